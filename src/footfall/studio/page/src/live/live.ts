// The live tab: a character steered by hand, its graph, its parameters, its meters, and recording it for the timeline.

import "../live.css";
import type { Connection } from "../connection";
import { el, icon, setText } from "../elements";
import type { PoseFrame } from "../frames";
import type { LibraryItem, LiveGraph, LiveState } from "../messages";
import type { Stage } from "../stage/stage";
import type { Store } from "../store";
import { mountProblems } from "../problems";
import { FolderSheet } from "./folder";
import { GraphView } from "./graph";
import { Input, type Mode } from "./input";
import { Keycaps } from "./keycaps";
import { Meters } from "./meters";
import { PlaneView } from "./plane";
import type { Asked } from "./request";
import { listenForShoves } from "./shove";

const TOAST_MS = 9000;
const SAY_TICKS = 6; // poses between two words to the studio on what was shown: it sends no more than half a second ahead
const MOST_CROWD = 500;
const PLAYABLE = "playable.graph";
const MODES: readonly (readonly [Mode, string, string])[] = [
  ["pointer", "Pointer", "It goes where the pointer is on the floor"],
  ["keys", "Keys", "W A S D or arrows; Shift runs"],
  ["gamepad", "Gamepad", "Left stick steers, the shoulder runs, the buttons are the actions"],
];

export class Live {
  private readonly root = el("div", { class: "live", hidden: true });
  private readonly graphView = new GraphView();
  private readonly plane = new PlaneView();
  private readonly meters = new Meters();
  private readonly input: Input;
  private readonly keycaps: Keycaps;
  private readonly modes = new Map<Mode, HTMLButtonElement>();
  private readonly graphs = el("select", { class: "field", label: "Graph", title: "Motions the character can use" });
  private readonly characters = el("select", { class: "field", label: "Character", title: "Whose body it has: the graph's own, or one of the shelf" });
  private readonly ground = el("select", { class: "field", label: "Ground", title: "What it walks on: the floor, stairs, a slope, or a mesh or heights of your folder" });
  private readonly crowd = el("input", { type: "range", min: "0", max: String(MOST_CROWD), step: "10", value: "0", label: "Crowd" });
  private readonly crowdText = el("span", { class: "muted number", text: "crowd 0" });
  private readonly folder: FolderSheet;
  private shoves: (() => void) | null = null;
  private readonly problems = el("div", { class: "live-problems" });
  private readonly doing = el("span", { class: "live-doing", role: "status" });
  private readonly recordText = el("span", { text: "Record" });
  private readonly record: HTMLButtonElement;
  private readonly toast = el("div", { class: "toast", role: "status", hidden: true });
  private readonly wait = el("p", { class: "live-wait muted", text: "Getting the character ready…" });
  private graph: LiveGraph | null = null;
  private state: LiveState | null = null;
  private recording = false;
  private awaitsRecording = false;
  private echo = 0;
  private active = false;
  private newest: PoseFrame | null = null; // that is not on the stage yet
  private newestCrowd: PoseFrame | null = null;
  private shown = { tick: 0, crowd: 0 }; // the newest frames that were put on the stage
  private said = { tick: -SAY_TICKS, crowd: -SAY_TICKS }; // and those that the studio knows of
  private drawing = false; // one is on the stage, and not drawn yet

  constructor(
    host: HTMLElement,
    private readonly store: Store,
    private readonly connection: Connection,
    private readonly stage: Stage,
  ) {
    this.input = new Input(stage, {
      steer: (asked) => this.steer(asked),
      act: (name) => connection.send({ type: "live_act", name }),
      record: () => this.toggleRecord(),
      changed: () => this.showInput(),
    });
    this.keycaps = new Keycaps(this.input);
    this.record = el("button", { class: "btn record", type: "button", label: "Record", title: "Record what it does (R)" });
    this.record.append(el("i", { class: "record-dot" }), this.recordText);
    this.record.addEventListener("click", () => this.toggleRecord());
    for (const choice of [this.graphs, this.characters, this.ground]) choice.addEventListener("change", () => this.begin());
    this.crowd.addEventListener("input", () => setText(this.crowdText, `crowd ${this.crowd.value}`));
    this.crowd.addEventListener("change", () => this.askCrowd());
    this.folder = new FolderSheet(store, connection, (graph) => this.playGraph(graph));
    this.root.append(this.head(), this.side(), this.keycaps.root, this.wait, this.folder.root, this.toast);
    mountProblems(this.problems, store, ["live"]);
    host.append(this.root);
    connection.on("live_graph", (graph) => this.started(graph));
    connection.on("live_graphs", ({ names }) => this.offerGraphs(names));
    connection.on("live_ground", ({ shape }) => this.active && stage.setGround("live", shape));
    store.watch("grounds", ({ grounds }) => offer(this.ground, grounds.map(({ key, name }) => [key, name])));
    store.watch("characters", ({ characters }) => offer(this.characters, [["", "graph's own body"], ...characters.filter((one) => !one.problem).map(({ key, name }) => [key, name] as const)]));
    connection.on("live_state", (state) => this.told(state));
    connection.on("added", ({ item }) => this.added(item));
    connection.onFrame((frame) => this.frame(frame));
    stage.onDrawn(() => this.drawn());
    connection.onOnline((online) => {
      if (online && this.active) this.begin();
    });
    store.watch(["tab"], ({ tab }) => this.setActive(tab === "live"));
    store.watch("welcome", ({ welcome }) => this.offerGraphs(welcome?.graphs ?? []));
  }

  private head(): HTMLElement {
    const modes = el("div", { class: "segments", role: "group", label: "Steer by" });
    for (const [mode, text, title] of MODES) {
      const button = el("button", { type: "button", text, title, on: { click: () => this.input.setMode(mode) } });
      this.modes.set(mode, button);
      modes.append(button);
    }
    const crowd = el("label", { class: "live-crowd", title: "More characters of this graph that wander about" }, this.crowdText, this.crowd);
    return el("div", { class: "live-top" },
      el("div", { class: "live-head" }, modes, this.graphs, this.characters, this.ground, this.folder.button, this.record, crowd, this.doing), this.problems);
  }

  private side(): HTMLElement {
    return el("div", { class: "live-side" }, this.graphView.root, this.plane.root, this.meters.root);
  }

  private offerGraphs(names: readonly string[]): void {
    const all = names.includes("builtin") ? names : ["builtin", ...names];
    const chosen = this.graphs.value;
    this.graphs.replaceChildren(...all.map((name) => el("option", { value: name, text: name })));
    if (all.includes(chosen)) this.graphs.value = chosen;
    this.graphs.hidden = all.length < 2;
    this.folder.setHasGraph(all.includes(PLAYABLE));
  }

  private setActive(active: boolean): void {
    if (active === this.active) return;
    this.active = active;
    this.root.hidden = !active;
    if (active) {
      this.store.set({ playing: false });
      this.begin();
      return;
    }
    this.input.stop();
    this.shoves?.();
    this.shoves = null;
    this.stage.crowd.clear();
    this.connection.send({ type: "live_stop" });
    this.stage.setLive(null);
    this.graph = null;
  }

  private begin(): void {
    this.input.stop();
    this.graph = this.newest = this.newestCrowd = this.state = null;
    this.shown = { tick: 0, crowd: 0 };
    this.said = { tick: -SAY_TICKS, crowd: -SAY_TICKS };
    this.drawing = this.recording = false;
    this.showRecording(null);
    this.showWaiting(true);
    this.connection.send({ type: "live_start", graph: this.graphs.value || "builtin", character: this.characters.value, ground: this.ground.value });
  }

  /** Until there is a character there is nothing to measure or to press. */
  private showWaiting(waits: boolean): void {
    this.wait.hidden = !waits;
    this.root.classList.toggle("waits", waits);
  }

  private started(graph: LiveGraph): void {
    if (!this.active) return;
    this.graph = graph;
    this.showWaiting(false);
    this.store.closeProblems("live");
    this.stage.setLive(graph.skeleton);
    this.stage.crowd.setSkeleton(graph.skeleton);
    this.shoves?.();
    this.shoves = listenForShoves(this.stage, this.root, (x, z) => this.connection.send({ type: "live_shove", x, z }));
    if (this.crowd.valueAsNumber > 0) this.askCrowd();
    this.graphView.setGraph(graph);
    this.plane.setGraph(graph);
    this.meters.clear();
    this.input.start(graph);
    this.keycaps.setGraph(graph);
    this.showInput();
  }

  private playGraph(graph: string): void {
    this.graphs.value = graph;
    this.begin();
  }

  private askCrowd(): void {
    const count = this.crowd.valueAsNumber;
    this.newestCrowd = null;
    this.shown.crowd = 0;
    this.said.crowd = -SAY_TICKS;
    setText(this.crowdText, `crowd ${count}`);
    this.connection.send({ type: "live_crowd", count });
    if (count === 0) this.stage.crowd.clear();
  }

  private steer(asked: Asked): void {
    this.connection.send({ type: "live_steer", ...asked, sentMs: performance.now() });
  }

  private frame(frame: PoseFrame): void {
    if (!this.graph) return;
    if (frame.kind === "crowd" && this.crowd.valueAsNumber > 0) this.newestCrowd = frame;
    if (frame.kind === "live") this.newest = frame;
    if (!this.drawing) this.showNewest();
    if (frame.kind !== "live") return;
    const echo = frame.live?.echoMs ?? 0;
    if (echo <= this.echo) return;
    this.echo = echo;
    this.meters.answer.show(Math.max(0, performance.now() - echo));
  }

  /** Poses come faster than a slow machine draws: those in between are left out. */
  private showNewest(): void {
    const { newest, newestCrowd, shown, said } = this;
    if (!newest && !newestCrowd) return;
    this.drawing = true;
    if (newest) {
      this.stage.showLive(newest.poses);
      shown.tick = newest.serial;
    }
    if (newestCrowd) {
      this.stage.crowd.show(newestCrowd.poses, newestCrowd.frames, newestCrowd.joints);
      shown.crowd = newestCrowd.serial;
    }
    this.newest = this.newestCrowd = null;
    if (shown.tick - said.tick < SAY_TICKS && shown.crowd - said.crowd < SAY_TICKS) return;
    this.said = { ...shown };
    this.connection.send({ type: "live_seen", ...shown });
  }

  private drawn(): void {
    this.drawing = false;
    if (this.graph) this.showNewest();
  }

  private told(state: LiveState): void {
    if (!this.graph) return;
    this.state = state;
    this.graphView.show(state);
    this.plane.show(state);
    this.meters.change.show(state.latencyS);
    this.meters.slide.show(state.slideCmS);
    this.meters.depth.show(state.depthMm);
    this.keycaps.show(this.graph, state.node);
    this.showRecording(state.recordingS);
    const speed = state.achieved["speed"];
    const now = state.edge ? `${state.edge.replace(" to ", " → ")}` : state.node;
    const waits = state.waiting ? `, then ${state.waiting}` : "";
    setText(this.doing, `${now}${state.blocked ? ", blocked" : waits}${speed === undefined ? "" : ` · ${Math.abs(speed).toFixed(1)} m/s`}`);
  }

  private showInput(): void {
    for (const [mode, button] of this.modes) button.setAttribute("aria-pressed", String(mode === this.input.mode));
    if (this.graph) this.keycaps.show(this.graph, this.state?.node ?? "");
  }

  private toggleRecord(): void {
    this.recording = !this.recording;
    if (!this.recording) this.awaitsRecording = true;
    this.connection.send({ type: "live_record", on: this.recording });
    this.showRecording(this.recording ? 0 : null);
  }

  private showRecording(lastedS: number | null): void {
    if (lastedS === null && this.recording) return; // it has only just been asked for
    const on = this.recording;
    this.record.classList.toggle("on", on);
    this.record.setAttribute("aria-pressed", String(on));
    this.record.setAttribute("aria-label", on ? "Stop recording" : "Record");
    setText(this.recordText, on ? `Stop  ${(lastedS ?? 0).toFixed(1)} s` : "Record");
  }

  private added(item: LibraryItem): void {
    if (!this.awaitsRecording) return;
    this.awaitsRecording = false;
    const show = el("button", { class: "btn", type: "button", text: "Go to Arrange" });
    show.addEventListener("click", () => {
      this.toast.hidden = true;
      this.store.set({ tab: "arrange" });
    });
    const text = el("span", {}, el("strong", { text: item.name }), " was added to the library; drag it to the timeline");
    this.toast.replaceChildren(icon("M3.5 8.5l3 3 6-7"), text, show);
    this.toast.hidden = false;
    setTimeout(() => (this.toast.hidden = true), TOAST_MS);
  }
}

/** The choices of a list; what was chosen stays so where it still can be. */
function offer(list: HTMLSelectElement, choices: readonly (readonly [string, string])[]): void {
  const chosen = list.value;
  list.replaceChildren(...choices.map(([value, text]) => el("option", { value, text })));
  list.value = choices.some(([value]) => value === chosen) ? chosen : "";
}

export function mountLive(host: HTMLElement, store: Store, connection: Connection, stage: Stage): Live {
  return new Live(host, store, connection, stage);
}
