// The blend space tab: a handle among the examples, the figure that follows it, and what every weight method makes of it.

import "../blend.css";
import { addClip } from "../audition";
import type { Connection } from "../connection";
import { clamp, el, icon, setText } from "../elements";
import type { PoseFrame } from "../frames";
import { measured, push } from "../measure";
import type { BlendAnswer, BlendMap, BlendSpaceOpened } from "../messages";
import { mountProblems } from "../problems";
import { AUDITION, type Stage } from "../stage/stage";
import type { Store } from "../store";
import { rampWords, type MapKind } from "./colours";
import { Figures } from "./figures";
import { Methods } from "./methods";
import { ownSpace } from "./own";
import { named, Plane } from "./plane";
import { Round, Walker } from "./round";

const FIRST = { space: "walk", method: "smooth-inverse" };
const SAMPLES = 8; // poses of a round a body is worked out of
const LATE_MS = 120; // while a handle is dragged, figures are drawn as answers come; later than this the old one goes on
const TOAST_MS = 9000;
const MAPS: readonly (readonly [string, string])[] = [["", "no map"], ["error", "map of error"], ["smoothness", "map of smoothness"], ["weight", "map of one weight"]];

class Blend {
  readonly panel: HTMLElement;
  readonly bar: HTMLElement;
  private readonly plane = new Plane({ moved: (values, ms) => this.move(values, ms), chosen: (n) => this.chooseExample(n) });
  private readonly figures = new Figures((axis, value) => this.setValue(axis, value), (n) => this.chooseExample(n));
  private readonly methods = new Methods((method) => this.setMethod(method));
  private readonly spaces = el("select", { class: "field", label: "Blend space", title: "Motions with parameters" });
  private readonly forget = el("button", { class: "btn quiet", type: "button", text: "Forget", title: "Take this blend space out of the project", hidden: true });
  private readonly kinds = el("select", { class: "field", label: "Map" }, ...MAPS.map(([value, text]) => el("option", { value, text })));
  private readonly legend = el("span", { class: "blend-legend muted" });
  private readonly mapping = el("progress", { max: 1, value: 0, label: "Drawing maps", hidden: true });
  private readonly note = el("p", { class: "blend-note muted", hidden: true });
  private readonly slider = el("input", { type: "range", step: "any" });
  private readonly sliderRow: HTMLElement;
  private readonly sliderText = el("span", { class: "muted" });
  private readonly playing = el("button", { class: "btn quiet icon-only", type: "button" });
  private readonly moment = el("input", { type: "range", min: "0", max: "1", step: "0.001", label: "Moment" });
  private readonly clock = el("span", { class: "clock number" });
  private readonly lasts = el("input", { class: "field number", type: "number", min: "0.1", max: "60", step: "0.1", value: "4", label: "Seconds of the clip" });
  private readonly lastsRow = el("label", { class: "muted" }, "lasts ", this.lasts, " s");
  private readonly toast = el("div", { class: "toast", role: "status", hidden: true });
  private space: BlendSpaceOpened | null = null;
  private method = FIRST.method;
  private values: number[] = [];
  private example = 0;
  private serial = 0;
  private mapSerial = 0;
  private mapAskedMs = 0;
  private maps = new Map<string, BlendMap>();
  private sent = new Map<number, number>(); // serial of a request -> when the hand moved
  private drawn = -1; // serial whose figure is on the stage, not drawn yet
  private frame: PoseFrame | null = null;
  private round: Round | null = null;
  private walker = new Walker(true);
  private runs = true;
  private active = false;
  private lastMs = 0;
  private answeredMs = 0;
  private places = false; // the clip that is being made goes on the timeline

  constructor(private readonly store: Store, private readonly connection: Connection, private readonly stage: Stage) {
    this.sliderRow = el("div", { class: "blend-line", hidden: true }, this.sliderText, this.slider);
    const problems = el("div");
    mountProblems(problems, store, ["blend"]);
    this.panel = el("section", { class: "blend-panel", label: "Blend space" },
      el("div", { class: "blend-line" }, this.spaces, this.forget, ownSpace(store, connection), el("span", { class: "spring" }), this.kinds),
      problems, this.note, this.plane.root, el("div", { class: "blend-line" }, this.legend, el("span", { class: "spring" }), this.mapping), this.sliderRow,
      this.methods.root);
    this.bar = this.playBar();
    this.spaces.addEventListener("change", () => this.open(this.spaces.value));
    this.kinds.addEventListener("change", () => this.showMap());
    this.slider.addEventListener("input", (event) => this.setValue(Number(this.slider.dataset.axis), this.slider.valueAsNumber, event.timeStamp));
    this.slider.addEventListener("change", () => this.askMaps());
    this.listen();
  }

  private playBar(): HTMLElement {
    this.playing.addEventListener("click", () => this.setRuns(!this.runs));
    this.moment.addEventListener("input", () => {
      this.setRuns(false);
      this.walker.to(this.moment.valueAsNumber, this.round ?? undefined);
      this.pose();
    });
    const keep = (text: string, title: string, places: boolean, kind: string): HTMLButtonElement =>
      el("button", { class: kind, type: "button", text, title, on: { click: () => this.keep(places) } });
    const line = el("div", { class: "blend-bar-host" }, this.playing, this.moment, this.clock, this.lastsRow,
      keep("Add to library", "Make a clip of it, with feet locked", false, "btn"),
      keep("Put on the timeline", "Make a clip of it and put it on the timeline", true, "btn primary"));
    this.setRuns(true);
    return el("div", { class: "blend-stage" }, this.figures.root, this.toast, line);
  }

  private own: readonly string[] = [];

  private listen(): void {
    const { connection, store, stage } = this;
    connection.on("blend_spaces", ({ names, own, methods }) => {
      const group = (label: string, list: readonly string[]): Node[] =>
        list.length === 0 ? [] : [Object.assign(el("optgroup", {}, ...list.map((name) => el("option", { value: name, text: name }))), { label })];
      const chosen = this.space?.space ?? FIRST.space;
      this.spaces.replaceChildren(...group("own", own), ...group("built-in", names));
      this.spaces.value = chosen;
      this.own = own;
      this.forget.hidden = !own.includes(chosen);
      if (this.active && !own.includes(chosen) && !names.includes(chosen)) this.open(FIRST.space);
      this.methods.setMethods(methods);
      this.methods.setChosen(this.method);
      for (const map of this.maps.values()) this.methods.show(map, this.flips());
    });
    connection.on("blend_space_opened", (space) => {
      this.opened(space);
      this.forget.hidden = !this.own.includes(space.space);
    });
    this.forget.addEventListener("click", () => {
      const name = this.space?.space ?? "";
      connection.send({ type: "edit", change: { do: "forget_space", name }, label: `forget the blend space ${name}` });
    });
    connection.onFrame((frame) => {
      if (frame.kind === "blend") this.frame = frame;
    });
    connection.on("blend_answer", (answer) => this.answered(answer));
    connection.on("blend_map", (map) => this.mapped(map));
    connection.on("blend_mapping", ({ serial, share, text }) => {
      if (serial !== this.mapSerial) return;
      this.mapping.hidden = share >= 1;
      this.mapping.value = share;
      this.mapping.title = text ? `Drawing the maps of ${text}` : "";
    });
    connection.on("blend_kept", ({ key, name }) => this.kept(key, name));
    connection.onOnline((online) => {
      if (online && this.active) this.open(this.space?.space ?? FIRST.space);
    });
    stage.onDrawn(() => this.pictured());
    store.watch("tab", ({ tab }) => this.setActive(tab === "blend"));
    addEventListener("keydown", (event) => {
      if (!this.active || event.code !== "Space" || (event.target as HTMLElement).matches("button, input, select")) return;
      event.preventDefault();
      this.setRuns(!this.runs);
    });
  }

  private setActive(active: boolean): void {
    if (active === this.active) return;
    this.active = active;
    if (active) {
      this.open(this.space?.space ?? FIRST.space);
      this.lastMs = performance.now();
      requestAnimationFrame((now) => this.step(now));
      return;
    }
    this.connection.send({ type: "blend_close" });
    this.stage.setAudition(null);
    this.round = null;
  }

  private open(space: string): void {
    this.connection.send({ type: "blend_open", space });
  }

  private opened(space: BlendSpaceOpened): void {
    if (!this.active) return;
    const same = this.space?.space === space.space && this.values.length === space.parameters.length;
    this.space = space;
    this.store.closeProblems("blend");
    this.spaces.value = space.space;
    this.round = null;
    this.walker = new Walker(space.isLoop);
    this.example = 0;
    if (!same) this.values = space.low.map((low, i) => 0.5 * (low + space.high[i]!));
    this.stage.setAudition(space.skeleton);
    this.plane.setSpace(space);
    this.figures.setSpace(space);
    this.note.hidden = space.note === "";
    setText(this.note, space.note);
    this.lastsRow.hidden = !space.isLoop;
    const aside = space.parameters.findIndex((_, i) => !space.axes.includes(i));
    this.sliderRow.hidden = aside < 0;
    if (aside >= 0) {
      this.slider.dataset.axis = String(aside);
      this.slider.min = String(space.low[aside]);
      this.slider.max = String(space.high[aside]);
      this.slider.setAttribute("aria-label", named(space, aside));
      setText(this.sliderText, named(space, aside));
    }
    if (!space.isLoop && space.apex !== null) {
      this.walker.to(space.apex);
      this.setRuns(false); // an action is looked at where it does what it is for
    } else this.setRuns(true);
    this.move(this.values, performance.now());
    this.askMaps();
  }

  // --- the handle ----------------------------------------------------------------------------------------------------

  private setValue(axis: number, value: number, ms = performance.now()): void {
    if (!this.space) return;
    const values = [...this.values];
    values[axis] = clamp(value, this.space.low[axis] ?? value, this.space.high[axis] ?? value);
    const aside = !this.space.axes.includes(axis);
    this.move(values, ms);
    if (aside && document.activeElement !== this.slider) this.askMaps();
  }

  private move(values: number[], ms: number): void {
    if (!this.space) return;
    this.values = values;
    this.serial += 1;
    this.sent.set(this.serial, ms);
    this.connection.send({ type: "blend_ask", space: this.space.space, method: this.method, values, serial: this.serial });
    this.plane.show(values, null, null);
    this.figures.showAsked(values);
    if (!this.sliderRow.hidden) this.slider.value = String(values[Number(this.slider.dataset.axis)]);
  }

  private answered(answer: BlendAnswer): void {
    if (!this.active || !this.space || this.frame?.serial !== answer.serial) return;
    const first = this.round === null;
    this.round = new Round(this.frame, answer.keyTimesS);
    if (this.round.joints !== this.space.skeleton.names.length) {
      this.round = null; // of the space that was open before
      return;
    }
    if (first) this.dress(this.round);
    this.drawn = answer.serial;
    this.answeredMs = performance.now();
    this.pose();
    this.stage.flush(); // the figure first: numbers and marks are painted with the next picture of the page
    this.plane.show(this.values, answer.achieved, answer.weights);
    this.figures.show(answer);
  }

  private dress(round: Round): void {
    const joints = round.joints;
    this.stage.dressAudition(Array.from({ length: SAMPLES }, (_, n) => round.at(n / SAMPLES).slice(0, 7 * joints)));
    if (this.walker.t > 0) this.walker.to(this.walker.t, round);
  }

  /** A picture is on the screen: how long did the hand wait for it? */
  private pictured(): void {
    if (this.drawn < 0) return;
    const at = this.sent.get(this.drawn);
    for (const serial of [...this.sent.keys()]) if (serial <= this.drawn) this.sent.delete(serial);
    if (at !== undefined) push(measured.blendMs, performance.now() - at);
    this.drawn = -1;
  }

  private setMethod(method: string): void {
    this.method = method;
    this.methods.setChosen(method);
    this.move(this.values, performance.now());
    this.showMap();
  }

  // --- time ----------------------------------------------------------------------------------------------------------

  private setRuns(runs: boolean): void {
    this.runs = runs;
    const picture = icon(runs ? "M4 3h3v10H4zM9.5 3h3v10h-3z" : "M4.5 3v10l8.5-5z");
    picture.classList.add("solid");
    this.playing.replaceChildren(picture);
    this.playing.setAttribute("aria-label", runs ? "Hold the blend" : "Play the blend");
    this.playing.title = runs ? "Hold (Space)" : "Play (Space)";
  }

  private step(nowMs: number): void {
    if (!this.active) return;
    const dt = Math.min((nowMs - this.lastMs) / 1000, 0.1);
    this.lastMs = nowMs;
    if (this.runs && this.round) {
      this.walker.advance(this.round, dt);
      if (this.sent.size === 0 || nowMs - this.answeredMs > LATE_MS) this.pose(); // else the answer on its way draws it
    }
    requestAnimationFrame((now) => this.step(now));
  }

  private pose(): void {
    if (!this.round) return;
    this.stage.showPose(AUDITION, this.walker.pose(this.round));
    this.moment.value = this.walker.t.toFixed(3);
    setText(this.clock, `${this.round.secondsAt(Math.min(this.walker.t, 1)).toFixed(2)} / ${this.round.seconds.toFixed(2)} s`);
  }

  // --- maps ----------------------------------------------------------------------------------------------------------

  private askMaps(): void {
    if (!this.space) return;
    this.maps.clear();
    this.methods.clear();
    this.mapSerial += 1;
    this.mapAskedMs = performance.now();
    this.showMap();
    this.connection.send({ type: "blend_maps", space: this.space.space, method: this.method, values: this.values, serial: this.mapSerial });
  }

  private mapped(map: BlendMap): void {
    if (map.serial !== this.mapSerial) return;
    if (this.maps.size === 0) push(measured.mapMs, performance.now() - this.mapAskedMs);
    this.maps.set(map.method, map);
    this.methods.show(map, this.flips());
    if (map.method === this.method) this.showMap();
  }

  private flips(): boolean {
    return this.plane.isFlipped(0);
  }

  private chooseExample(example: number): void {
    this.example = example;
    this.kinds.value = "weight";
    this.showMap();
  }

  private showMap(): void {
    const kind = (this.kinds.value || null) as MapKind | null;
    const map = this.maps.get(this.method);
    this.plane.setChosen(kind === "weight" ? this.example : null);
    const values = map && kind && (kind === "error" ? map.error : kind === "smoothness" ? map.kappa : map.weights[this.example]);
    this.plane.setMap(kind, map && values ? { values, inside: map.inside, rows: map.rows, columns: map.columns } : null);
    const words = kind === null ? "" : `${kind === "weight" ? `weight of ${this.space?.examples[this.example]?.name}` : kind}: ${rampWords(kind).join(" … ")}`;
    setText(this.legend, words);
  }

  // --- clips ---------------------------------------------------------------------------------------------------------

  private keep(places: boolean): void {
    if (!this.space) return;
    this.places = places;
    const seconds = this.space.isLoop ? clamp(this.lasts.valueAsNumber || 4, 0.1, 60) : null;
    this.connection.send({ type: "blend_keep", space: this.space.space, method: this.method, values: this.values, seconds });
  }

  private kept(key: string, name: string): void {
    const placed = this.places;
    this.places = false;
    if (placed) addClip({ key, name }, this.store, this.connection);
    const show = el("button", { class: "btn", type: "button", text: "Go to Arrange" });
    show.addEventListener("click", () => {
      this.toast.hidden = true;
      this.store.set({ tab: "arrange" });
    });
    const said = placed ? " was put on the timeline" : " was added to the library";
    this.toast.replaceChildren(icon("M3.5 8.5l3 3 6-7"), el("span", {}, el("strong", { text: name }), said), show);
    this.toast.hidden = false;
    setTimeout(() => (this.toast.hidden = true), TOAST_MS);
  }
}

export function mountBlend(shell: HTMLElement, stageHost: HTMLElement, store: Store, connection: Connection, stage: Stage): void {
  const made = new Blend(store, connection, stage);
  shell.append(made.panel);
  stageHost.append(made.bar);
}
