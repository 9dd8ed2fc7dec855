// The studio's page: the frame everything sits in, and what connects its parts.

import "./style.css";
import "./stage.css";
import { mountAudition } from "./audition";
import { mountBlend } from "./blend/blend";
import { Connection } from "./connection";
import { el, icon, setLabel, svg } from "./elements";
import { mountExports, mountJobs } from "./exports";
import { mountFloorTools } from "./floor_tools";
import { mountHistory } from "./history";
import { mountInspector } from "./inspector";
import { act, bind, listen, sheet, tip, type Action } from "./keys";
import { mountJoins } from "./joins/joins";
import { mountLibrary } from "./library";
import { mountLive } from "./live/live";
import { mountPlacing } from "./placing";
import { mountPlayer, runClock } from "./player";
import { mountPreparing } from "./preparing";
import { present } from "./presenter";
import { mountProblems } from "./problems";
import { mountProject } from "./project";
import { showGhosts } from "./stage/ghosts";
import { Stage } from "./stage/stage";
import { store, type Tab } from "./store";
import { PHASE_NAMES } from "./timeline/clip";
import { GRADE_NAMES, GRADE_WORDS, KINDS, KIND_WORDS } from "./timeline/join";
import { keepTheme, nextTheme, THEME_NAMES } from "./theme";
import { mountTimeline } from "./timeline/timeline";
import { showTour, tourOnce } from "./tour";
import { wire } from "./wire";

const TABS: readonly { tab: Tab; name: string; action?: Action }[] = [
  { tab: "arrange", name: "Arrange", action: "arrange" },
  { tab: "live", name: "Live", action: "live" },
  { tab: "blend", name: "Blend space", action: "blend" },
  { tab: "joins", name: "Joins", action: "joins" },
];
const FOOT = "M7.4 1.5c2.1 0 3 2.3 2.7 4.6-.3 2.1-.9 3-.9 3.9H5.6c0-1-.9-2-1.1-4C4.2 3.6 5.3 1.5 7.4 1.5zM5.7 11.4h3.5v1.3a1.750 1.750 0 0 1-3.5 0z";

function start(): void {
  const connection = new Connection();
  const view = el("div", { class: "view" });
  const overlay = el("div", { class: "overlay" });
  const transport = el("div", { class: "transport", role: "toolbar", label: "Transport" });
  const stageHost = el("section", { class: "stage", label: "Stage" }, view, overlay, transport);
  const library = el("section", { class: "library", label: "Library" });
  const inspector = el("section", { class: "inspector", label: "Inspector" });
  const timelineHost = el("section", { class: "timeline", label: "Timeline" });
  const joinsHost = el("section", { class: "joins", label: "Joins" });
  const shell = el("div", { class: "shell" });
  shell.append(head(connection), library, stageHost, inspector, timelineHost, splitter(shell), joinsHost);
  document.body.append(shell);

  const stage = makeStage(view);
  if (!stage) return;
  wire(store, connection);
  keepTheme(store, stage);
  present(store, stage);
  showGhosts(store, stage);
  runClock(store);
  mountPlayer(transport, store);
  mountLibrary(library, store, connection);
  const timeline = mountTimeline(timelineHost, store, connection);
  mountAudition(stageHost, transport, store, connection, stage);
  mountInspector(inspector, store, connection, timeline.actions);
  const live = el("div", { class: "live-host" });
  stageHost.append(live);
  mountLive(live, store, connection, stage);
  const joins = mountJoins(joinsHost, store, connection, timeline.actions);
  mountFloorTools(stageHost, store, connection, timeline.actions, stage);
  mountPlacing(store, connection, stage);
  mountBlend(shell, stageHost, store, connection, stage);
  mountPreparing(overlay, connection);
  mountProblems(overlay, store, ["stage", "timeline", "project"]);

  bind("resetView", () => stage.resetView());
  bind("help", showHelp);
  listen((event) => {
    const { tab } = store.state;
    if (tab === "live") return event.key !== "?"; // there, keys steer
    if (tab === "joins") return joins.key(event); // there, they play
    return tab === "blend" && !/^[1-4?0f]$/.test(event.key) && !event.ctrlKey; // there, nothing of the timeline is seen
  });
  store.watch("tab", ({ tab }) => {
    shell.dataset.tab = tab;
    if (tab !== "arrange") store.set({ playing: false, audition: null });
  });
  playOnceThere();
  tourOnce();
}

function makeStage(host: HTMLElement): Stage | null {
  try {
    return new Stage(host);
  } catch {
    const text = "This browser cannot draw in 3D: WebGL 2 is off. Switch hardware acceleration on, or use another browser.";
    host.append(el("p", { class: "no-stage", role: "alert", text }));
    return null;
  }
}

/** The first take plays by itself. */
function playOnceThere(): void {
  const end = store.subscribe("poses", ({ poses, take }) => {
    if (poses.size === 0 || !take || take.durationS === 0) return;
    end();
    if (store.state.tab === "arrange") store.set({ playing: true });
  });
}

function head(connection: Connection): HTMLElement {
  const brand = el("div", { class: "brand" }, svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: FOOT })), "footfall");
  const tabs = el("div", { class: "tabs", role: "tablist", label: "Views" }, ...TABS.map(({ tab, name, action }) => {
    const button = el("button", { type: "button", role: "tab", text: name });
    button.title = action ? tip(action) : name;
    button.addEventListener("click", () => store.set({ tab }));
    if (action) bind(action, () => store.set({ tab }));
    store.watch("tab", (state) => button.setAttribute("aria-selected", String(state.tab === tab)));
    return button;
  }));
  const theme = el("button", { class: "btn quiet icon-only", type: "button", on: { click: () => nextTheme(store) } },
    icon("M8 2.5a5.5 5.5 0 1 0 0 11z", "M8 2.5a5.5 5.5 0 0 1 0 11"));
  theme.querySelector("path")?.setAttribute("fill", "currentColor");
  store.watch("theme", (state) => setLabel(theme, "Theme", `Theme: ${THEME_NAMES[state.theme]}`));
  const help = el("button", { class: "btn quiet icon-only", type: "button", text: "?", label: "Shortcuts", title: tip("help"), on: { click: () => act("help") } });
  const hosts = { history: slot(), project: slot(), jobs: slot(), exports: slot() };
  mountHistory(hosts.history, store, connection);
  mountProject(hosts.project, store, connection);
  mountJobs(hosts.jobs, store, connection);
  mountExports(hosts.exports, store, connection);
  return el("header", { class: "head" }, brand, tabs, el("div", { class: "spring" }), hosts.jobs, hosts.history, hosts.project, hosts.exports, theme, help);
}

function slot(): HTMLElement {
  return el("div", { class: "slot" });
}

/** Between the stage and the timeline: drag it, or use the arrow keys. */
function splitter(shell: HTMLElement): HTMLElement {
  const bar = el("div", { class: "split", role: "separator", label: "Height of the timeline", tabIndex: 0, title: "Drag to resize the timeline" });
  bar.setAttribute("aria-orientation", "horizontal");
  bar.setAttribute("aria-valuenow", "252");
  const resize = (high: number): void => {
    const most = Math.max(shell.clientHeight - 44 - 200, 120);
    const now = Math.round(Math.min(Math.max(high, 120), most));
    shell.style.setProperty("--timeline-height", `${now}px`);
    bar.setAttribute("aria-valuenow", String(now));
  };
  const height = (): number => shell.querySelector(".timeline")?.clientHeight ?? 240;
  bar.addEventListener("pointerdown", (down) => {
    bar.setPointerCapture(down.pointerId);
    down.preventDefault();
  });
  bar.addEventListener("pointermove", (event) => {
    if (bar.hasPointerCapture(event.pointerId)) resize(shell.clientHeight - event.clientY);
  });
  bar.addEventListener("keydown", (event) => {
    const by = event.key === "ArrowUp" ? 16 : event.key === "ArrowDown" ? -16 : 0;
    if (by === 0) return;
    event.preventDefault();
    resize(height() + by);
  });
  return bar;
}

function showHelp(): void {
  const open = document.querySelector<HTMLDialogElement>("dialog.sheet");
  if (open) return open.close();
  const close = el("button", { class: "btn quiet icon-only", type: "button", text: "×", label: "Close" });
  const tour = el("button", { class: "btn", type: "button", text: "Show the tour again" });
  tour.addEventListener("click", () => {
    dialog.close();
    showTour();
  });
  const dialog = el("dialog", { class: "sheet", label: "Shortcuts" },
    el("header", {}, el("h2", { text: "Shortcuts" }), close), sheet(), legend(), mouse(), tour);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** What letters, colours and patterns mean. */
function legend(): HTMLElement {
  const line = (sign: HTMLElement, name: string, words: string): HTMLElement =>
    el("div", { class: "legend-row" }, sign, el("strong", { text: name }), el("span", { class: "muted", text: words }));
  const kinds = KINDS.map(([kind, letter]) => line(el("span", { class: "mini-badge", text: letter }), kind, KIND_WORDS[kind] ?? ""));
  const grades = (["good", "fair", "poor"] as const).map((grade) =>
    line(el("span", { class: "mini-badge", text: "●", data: { grade } }), GRADE_NAMES[grade], GRADE_WORDS[grade]));
  const feet = Object.entries(PHASE_NAMES).map(([phase, words]) => line(el("i", { class: `swatch phase-${phase}` }), phase, words));
  const clips = [
    line(el("i", { class: "swatch swatch-solid" }), "solid", "plays"),
    line(el("i", { class: "swatch swatch-wedge" }), "slanted", "one clip goes while the next comes"),
    line(el("i", { class: "swatch swatch-rest" }), "hatched", "dropped: the clips beside it meet there"),
  ];
  const part = (title: string, rows: HTMLElement[]): HTMLElement => el("section", {}, el("h3", { text: title }), ...rows);
  return el("div", { class: "sheet-columns legend-sheet" },
    part("Joins", kinds), part("Grades, by the judge", grades), part("Feet", feet), part("Clips", clips));
}

function mouse(): HTMLElement {
  const row = (what: string, how: string): HTMLElement =>
    el("div", { class: "legend-row" }, el("strong", { text: how }), el("span", { class: "muted", text: what }));
  return el("section", {}, el("h3", { text: "Mouse" }), el("div", { class: "sheet-columns" },
    row("turns the view; the wheel comes closer, Shift or the right button moves it", "Drag on the stage"),
    row("moves it; its edges trim it; Alt or Ctrl drags a copy; Shift ignores what it snaps to", "Drag a clip"),
    row("lets it follow the clip before by itself", "Double-click a clip"),
    row("shows why a join is as it is, and its cures", "Click a badge"),
    row("zooms the timeline", "Ctrl + wheel")));
}

start();
