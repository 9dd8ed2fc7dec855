// The project file: new, open, save and save as with a path typed in place, whether it is saved, and unsaved work found.

import type { Connection } from "./connection";
import { el, icon, setLabel, setSeen, setText } from "./elements";
import { bind, tip } from "./keys";
import { menu, menuItem, type Menu } from "./menu";
import type { ProjectFile } from "./messages";
import type { Store } from "./store";
import { Thumbnail } from "./thumbnail";

const UNNAMED = "Untitled";
const ENDING = ".footfall.json";
const LEAVING = "leaving the project before"; // what undo does first in a project that took the place of unsaved work

export function mountProject(host: HTMLElement, store: Store, connection: Connection): void {
  const name = el("span", { class: "project-name" });
  const opener = el("button", { class: "btn quiet", type: "button" }, name, icon("M4.5 6.5L8 10l3.5-3.5"));
  const saver = el("button", { class: "btn quiet", type: "button", text: "Save" });
  const dot = el("span", { class: "saved", role: "status" });
  const files: Menu = menu(opener, "Project", () => fileMenu(store, connection, files, wantsPath));
  let asksPath = false;
  const wantsPath = (): boolean => {
    const asks = asksPath;
    asksPath = false;
    return asks;
  };
  const save = (): void => {
    if (store.state.project?.path != null) {
      connection.send({ type: "save" });
      return;
    }
    asksPath = true; // it has no name yet: ask for one where the name is shown
    files.close();
    files.open();
  };
  saver.addEventListener("click", save);
  bind("save", save);
  bind("open", () => files.open());
  bind("demo", () => {
    const { project } = store.state;
    const kept = project === null || project.saved || project.document.tracks.every((track) => track.clips.length === 0);
    if (kept) connection.send({ type: "new", demo: true });
    else store.problem("project", "What is on the timeline is not saved; save it first, or choose Demo in the project menu.");
  });
  host.append(files.host, saver, dot);
  host.append(el("div", { class: "notices" }, recovery(store, connection), leftBehind(store, connection), lost(store, connection)));
  store.watch(["project", "online"], ({ project, online }) => {
    const path = project?.path ?? null;
    setSeen(name, path === null ? UNNAMED : baseName(path));
    setLabel(opener, "Open", `${path ?? "Not saved yet"}: open, save as or begin a project (Ctrl+O)`);
    setLabel(saver, "Save", tip("save", path === null ? "Save" : `Save to ${path}`));
    const state = !online ? "offline" : project?.saved ? "saved" : "changed";
    dot.dataset.state = state;
    const never = path === null ? "never saved" : null;
    setText(dot, { offline: "reconnecting…", saved: never ?? "saved", changed: never ?? "not saved" }[state]);
    dot.classList.toggle("never", path === null && state === "saved");
    dot.title = {
      offline: "The studio does not answer; the page goes on trying. Nothing is lost.",
      saved: path === null ? "Nothing to save yet" : "The file holds everything that is shown",
      changed: "Not in the file yet; kept safe by itself until you save",
    }[state];
  });
}

function fileMenu(store: Store, connection: Connection, files: Menu, wantsPath: () => boolean): Node[] {
  const { project } = store.state;
  const saves = wantsPath();
  const send = (message: Parameters<Connection["send"]>[0]): void => {
    connection.send(message);
    store.closeProblems("project");
    files.close();
  };
  const field = (label: string, button: string, value: string, run: (path: string) => void): HTMLElement => {
    const input = el("input", { class: "field", type: "text", label, placeholder: `name${ENDING}`, value });
    input.spellcheck = false;
    const form = el("form", { class: "path-line" }, input, el("button", { class: "btn", type: "submit", text: button }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (input.value.trim()) run(input.value.trim());
    });
    return form;
  };
  const suggested = project?.path ?? (saves ? `take${ENDING}` : "");
  const saveAs = field("Save as", "Save as", suggested, (path) => send({ type: "save", path: withEnding(path) }));
  if (saves) {
    const title = el("div", { class: "menu-title", text: "Save the project as" });
    queueMicrotask(() => saveAs.querySelector("input")?.select());
    return [title, saveAs];
  }
  const known = store.state.projects.filter((file) => file.path !== project?.path);
  return [
    menuItem("New", "an empty timeline", () => send({ type: "new" })),
    menuItem("Demo", "walk, kick, running kick, wave", () => send({ type: "new", demo: true })),
    el("div", { class: "menu-title", text: "Open" }),
    el("div", { class: "project-list", role: "group", label: "Projects" }, ...known.map((file) => projectItem(file, () => send({ type: "open", path: file.path })))),
    ...(known.length === 0 ? [el("p", { class: "menu-none muted", text: "No other project in this folder yet." })] : []),
    field("Path to open", "Open file", "", (path) => send({ type: "open", path })),
    el("div", { class: "menu-title", text: "Save as" }),
    saveAs,
  ];
}

/** A project with a picture of its first clips, and when it was changed. */
function projectItem(file: ProjectFile, run: () => void): HTMLButtonElement {
  const when = new Date(1000 * file.changedS);
  const clips = file.count === 1 ? "1 clip" : `${file.count} clips`;
  const line = menuItem(baseName(file.path), `${clips} · ${ago(when)}`, run);
  line.title = `${file.path}, ${when.toLocaleString()}`;
  line.classList.add("project-item");
  const pictures = el("span", { class: "project-picture", ariaHidden: "true" }, ...file.clips.map((key) => new Thumbnail(key).canvas));
  line.prepend(pictures);
  return line;
}

/** How long ago, in words. */
function ago(when: Date): string {
  const minutes = (Date.now() - when.getTime()) / 60_000;
  if (minutes < 1.5) return "just now";
  if (minutes < 90) return `${Math.round(minutes)} minutes ago`;
  if (minutes < 36 * 60) return `${Math.round(minutes / 60)} hours ago`;
  return when.toLocaleDateString();
}

/** "Found unsaved work from …": shown until it is answered. */
function recovery(store: Store, connection: Connection): HTMLElement {
  const text = el("span");
  const answer = (keep: boolean): void => {
    connection.send({ type: "recover", keep });
    const { welcome } = store.state;
    if (welcome) store.set({ welcome: { ...welcome, recoverable: null } });
  };
  const keep = el("button", { class: "btn primary", type: "button", text: "Keep", title: "Go on with it" });
  const discard = el("button", { class: "btn", type: "button", text: "Discard", title: "Throw it away" });
  keep.addEventListener("click", () => answer(true));
  discard.addEventListener("click", () => answer(false));
  const line = el("div", { class: "notice", role: "status", hidden: true }, text, keep, discard);
  store.watch("welcome", ({ welcome }) => {
    line.hidden = !welcome?.recoverable;
    setText(text, welcome?.recoverable ?? "");
  });
  return line;
}

const COME_BACK = {
  gone: "The studio does not answer. After a crash this page comes back by itself; if it was ended, start it again with “footfall studio” and open the link it prints. Unsaved work is kept.",
  stranger: "Another studio runs here now, and this page has no key for it. Open the link it printed in its terminal; unsaved work of the one before is offered there.",
};

/** A page whose studio has ended says how to come back. */
function lost(store: Store, connection: Connection): HTMLElement {
  const text = el("span");
  const line = el("div", { class: "notice", role: "alert", hidden: true }, text);
  connection.onLost((how) => {
    setText(text, COME_BACK[how]);
    line.hidden = false;
  });
  store.subscribe("online", ({ online }) => {
    if (online) line.hidden = true;
  });
  return line;
}

/** What took the place of unsaved work says so, and how that comes back. */
function leftBehind(store: Store, connection: Connection): HTMLElement {
  const back = el("button", { class: "btn primary", type: "button", text: "Bring it back", title: "The project before, as it was (Ctrl+Z)" });
  const fine = el("button", { class: "btn", type: "button", text: "Go on", title: "Close this message; it is kept for the next start, too" });
  const line = el("div", { class: "notice", role: "status", hidden: true }, "What was here before is not saved.", back, fine);
  back.addEventListener("click", () => connection.send({ type: "undo" }));
  fine.addEventListener("click", () => (line.hidden = true));
  let leaving = false;
  store.watch("project", ({ project }) => {
    const now = project?.undo === LEAVING;
    if (now !== leaving) line.hidden = !now;
    leaving = now;
  });
  return line;
}

function baseName(path: string): string {
  const last = path.split(/[\\/]/).pop() ?? path;
  return last.replace(/\.json$/, "").replace(/\.footfall$/, "");
}

function withEnding(path: string): string {
  return /\.(json|toml)$/i.test(path) ? path : `${path}${ENDING}`;
}
