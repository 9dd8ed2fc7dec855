// The timeline: tracks of clips under a ruler, with what a drag would give shown while it goes on.

import "../timeline.css";
import { carryTarget } from "../carry";
import type { Connection } from "../connection";
import { clamp, el, setStyle, setText } from "../elements";
import { bind } from "../keys";
import type { TrackView } from "../messages";
import type { Store } from "../store";
import { Actions } from "./actions";
import { Bar } from "./bar";
import { ClipElement } from "./clip";
import { DragController } from "./drag";
import { layout, wholly, type Block, type Row } from "./layout";
import { contactTimes, nextContact } from "./contacts";
import { Markers } from "./markers";
import { Previewer } from "./previewer";
import { Ruler } from "./ruler";
import { Scale } from "./scale";
import { TrackElement } from "./track";

const HEAD_PX = 152; // as --tl-head in timeline.css
const SPARE_S = 4; // empty room after the last clip

export class Timeline {
  readonly actions: Actions;
  private readonly scale = new Scale();
  private readonly scroller = el("div", { class: "tl-scroll" });
  private readonly content = el("div", { class: "tl-content" });
  private readonly lanes = el("div", { class: "tl-lanes" });
  private readonly playhead = el("div", { class: "tl-playhead", ariaHidden: "true" });
  private readonly snapLine = el("div", { class: "tl-snap", ariaHidden: "true" });
  private readonly hints = el("div", { class: "tl-hints", ariaHidden: "true" });
  private readonly empty: HTMLElement;
  private readonly below: HTMLElement;
  private readonly lifted = new ClipElement(-1);
  private readonly tracks = new Map<number, TrackElement>();
  private readonly ruler: Ruler;
  private readonly markers: Markers;
  private readonly bar: Bar;
  private readonly drag: DragController;
  private still: readonly Row[] = []; // as the rows lie without a drag
  private shownRows: readonly Row[] = [];
  private drawnOnce = false;
  private asked = 0;

  constructor(
    host: HTMLElement,
    private readonly store: Store,
    private readonly connection: Connection,
  ) {
    this.actions = new Actions(store, connection);
    const previewer = new Previewer(store, connection, (text) => {
      if (this.drag.refusal === text) return;
      this.drag.refusal = text;
      this.redraw();
    });
    this.drag = new DragController(store, this.actions, previewer, {
      scale: this.scale,
      scroller: this.scroller,
      timeAt: (x) => this.timeAt(x),
      trackAt: (y) => this.trackAt(y),
      rows: () => this.still,
      redraw: () => this.redraw(),
    });
    this.markers = new Markers(store, this.actions, this.scale);
    this.ruler = new Ruler(store, this.scale, (x) => this.timeAt(x), this.markers);
    this.bar = new Bar(store, this.actions, { zoom: (by) => this.zoom(by), fit: () => this.fit() });
    this.empty = this.teaching();
    this.below = el("div", { class: "tl-below", text: "Drop here for another character" });
    this.lifted.root.classList.add("lifted");
    const corner = el("div", { class: "tl-corner" });
    this.content.append(
      el("div", { class: "tl-top" }, corner, el("div", { class: "tl-times" }, this.ruler.root, this.markers.root)),
      this.lanes,
      el("div", { class: "tl-row tl-rest" }, el("div", { class: "tl-head" }), this.below),
      this.hints,
      this.snapLine,
      this.playhead,
    );
    this.scroller.append(this.content);
    const body = el("div", { class: "tl-body" }, this.scroller, this.empty);
    host.append(this.bar.root, body);
    this.listen(host);
    store.subscribe(["project", "take", "preview", "selection", "selectedJoin", "characters", "library"], () => this.redraw());
    store.subscribe("project", () => {
      if (this.behind()) this.content.setAttribute("aria-busy", "true"); // at once; no longer only when it is drawn
    });
    store.subscribe(["playhead", "playing"], () => this.showPlayhead());
    this.redraw();
  }

  /** Draws in the next frame; many changes make one drawing. */
  redraw(): void {
    if (this.asked) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      this.draw();
    });
  }

  timeAt(clientX: number): number {
    const box = this.scroller.getBoundingClientRect();
    return this.scale.s(clientX - box.left - HEAD_PX + this.scroller.scrollLeft);
  }

  private trackAt(clientY: number): number | null {
    for (const row of this.still) {
      const box = this.tracks.get(row.id)?.lane.getBoundingClientRect();
      if (box && clientY < box.bottom) return row.id;
    }
    return null;
  }

  private draw(): void {
    const { project, take, preview, library, selection, selectedJoin, characters } = this.store.state;
    const known = new Map(library.map((item) => [item.key, item]));
    const rows = (views: readonly TrackView[]): Row[] =>
      project ? layout(project.document, views, (key) => known.get(key)) : [];
    this.still = rows(take?.tracks ?? []);
    const shown = (this.shownRows = preview ? rows(preview.tracks) : this.still);
    const lengthS = Math.max(preview?.durationS ?? 0, take?.durationS ?? 0, this.drag.lifted?.endS ?? 0);
    if (!this.drawnOnce && take && take.durationS > 0) {
      this.drawnOnce = true;
      this.fit();
    }
    const room = Math.max(this.scroller.clientWidth - HEAD_PX, this.scale.x(lengthS + SPARE_S));
    setStyle(this.content, "width", `${HEAD_PX + room}px`);
    setStyle(this.content, "--step", `${this.scale.x(this.scale.stepS)}px`);
    const seen = { scale: this.scale, selection, selectedJoin, characters: characters.filter((one) => one.problem === null) };
    shown.forEach((row, index) => this.track(row, index).show(row, seen));
    for (const [id, track] of this.tracks) {
      if (shown.some((row) => row.id === id)) continue;
      track.detach();
      this.tracks.delete(id);
    }
    this.empty.hidden = project === null || shown.some((row) => row.blocks.length > 0) || this.drag.active;
    this.showLifted();
    this.showScale(lengthS);
    this.showPlayhead();
    this.bar.show(this.drag.refusal);
    this.content.setAttribute("aria-busy", String(this.behind()));
  }

  /** Whether what is arranged has no take yet. */
  private behind(): boolean {
    const { project, take } = this.store.state;
    return project === null || take === null || take.revision < project.revision;
  }

  private track(row: Row, index: number): TrackElement {
    let track = this.tracks.get(row.id);
    if (!track) {
      track = new TrackElement(row.id, {
        change: (change, label) => this.actions.edit({ do: "change_track", ...change }, label),
        remove: (id, name) => this.actions.edit({ do: "remove_track", id }, `remove the track ${name}`),
      });
      this.tracks.set(row.id, track);
    }
    const at = this.lanes.children[index];
    if (at !== track.row) this.lanes.insertBefore(track.row, at ?? null);
    return track;
  }

  /** The block under the pointer, the line it snaps to, and where better joins are. */
  private showLifted(): void {
    const lifted = this.drag.lifted;
    const { preview } = this.store.state;
    this.below.classList.toggle("wanted", this.drag.active && lifted?.mode === "drop");
    this.below.classList.toggle("chosen", this.drag.active && lifted?.track === null);
    this.snapLine.hidden = !lifted?.snap;
    this.hints.hidden = !lifted || !preview;
    for (const track of this.tracks.values()) track.land(this.drag.active ? (lifted?.id ?? -1) : null);
    if (!lifted) {
      this.lifted.root.remove();
      return;
    }
    const lane = lifted.track === null ? this.below : this.tracks.get(lifted.track)?.lane;
    if (lane && this.lifted.root.parentElement !== lane) lane.append(this.lifted.root);
    const plays = wholly(lifted.startS, lifted.endS);
    const block: Block = { ...lifted, id: -1, track: -1, placed: null, composed: false, sourceS: 0, planned: true, plays, level: 0 };
    this.lifted.show(block, this.scale, true, "");
    this.lifted.root.dataset.mode = lifted.mode;
    if (lifted.snap) {
      setStyle(this.snapLine, "left", `${HEAD_PX + this.scale.x(lifted.snap.timeS)}px`);
      this.snapLine.dataset.why = lifted.snap.why;
      setText(this.snapLine, lifted.snap.why === "join" ? "better join" : "");
    }
    const snaps = preview && !lifted.mode.startsWith("trim") ? preview.snapsS : [];
    this.hints.replaceChildren(
      ...snaps.map((timeS) => {
        const line = el("i");
        line.style.left = `${HEAD_PX + this.scale.x(timeS)}px`;
        return line;
      }),
    );
  }

  private showScale(lengthS: number): void {
    const from = this.scale.s(this.scroller.scrollLeft);
    const wide = this.scale.s(this.scroller.clientWidth);
    this.ruler.show(lengthS + SPARE_S + wide, from, from + wide);
  }

  private showPlayhead(): void {
    const { playhead, playing, take } = this.store.state;
    const x = this.scale.x(playhead);
    setStyle(this.playhead, "transform", `translateX(${(HEAD_PX + x).toFixed(1)}px)`);
    this.ruler.showTime(playhead, take?.durationS ?? 0);
    if (!playing || this.drag.active) return;
    const left = this.scroller.scrollLeft;
    const wide = this.scroller.clientWidth - HEAD_PX;
    if (x < left || x > left + wide - 24) this.scroller.scrollLeft = Math.max(0, x - 0.15 * wide);
  }

  private zoom(by: number, clientX?: number): void {
    const box = this.scroller.getBoundingClientRect();
    const { playhead } = this.store.state;
    const seen = this.scale.x(playhead) - this.scroller.scrollLeft;
    const inView = seen >= 0 && seen <= box.width - HEAD_PX;
    const at = clientX ?? box.left + HEAD_PX + (inView ? seen : (box.width - HEAD_PX) / 2);
    const fixed = this.timeAt(at);
    this.scale.zoomTo(this.scale.pxPerS * by);
    this.draw();
    this.scroller.scrollLeft = this.scale.x(fixed) - (at - box.left - HEAD_PX);
    this.showScale(this.store.state.take?.durationS ?? 0);
  }

  private fit(): void {
    const wide = this.scroller.clientWidth - HEAD_PX - 24;
    const lengthS = this.store.state.take?.durationS ?? 0;
    if (wide <= 0 || lengthS <= 0) return;
    this.scale.zoomTo(clamp(wide / lengthS, 24, 220));
    this.scroller.scrollLeft = 0;
    this.redraw();
  }

  /** What is selected, or looped, as large as it fits. */
  private fitSelection(): void {
    const { selection, range } = this.store.state;
    const chosen = this.still.flatMap((row) => row.blocks).filter((block) => selection.has(block.id));
    const spans = chosen.length > 0 ? chosen.map((block) => [block.startS, block.endS] as const) : range ? [range] : [];
    const wide = this.scroller.clientWidth - HEAD_PX;
    if (spans.length === 0 || wide <= 0) return this.fit();
    const [from, to] = [Math.min(...spans.map(([a]) => a)), Math.max(...spans.map(([, b]) => b))];
    this.scale.zoomTo((0.8 * wide) / Math.max(to - from, 0.05));
    this.draw();
    this.scroller.scrollLeft = Math.max(0, this.scale.x(from) - 0.1 * wide);
    this.showScale(this.store.state.take?.durationS ?? 0);
  }

  private toContact(way: 1 | -1): boolean {
    const next = nextContact(contactTimes(this.still, this.store.state.selection), this.store.state.playhead, way);
    if (next !== undefined) this.store.set({ playing: false, playhead: next });
    return next !== undefined;
  }

  private bindKeys(): void {
    bind("zoomSelection", () => this.fitSelection());
    bind("contactOn", () => this.toContact(1));
    bind("contactBack", () => this.toContact(-1));
    bind("marker", () => this.markers.toggle());
    bind("markerOn", () => this.markers.go(1));
    bind("markerBack", () => this.markers.go(-1));
  }

  private listen(host: HTMLElement): void {
    this.bindKeys();
    this.lanes.addEventListener("pointerdown", (event) => this.press(event));
    this.lanes.addEventListener("dblclick", (event) => {
      const block = this.blockOf(event.target);
      if (block?.placed) this.actions.asSoonAsPossible(block.id);
    });
    this.lanes.addEventListener("keydown", (event) => this.key(event));
    this.scroller.addEventListener("scroll", () => this.showScale(this.store.state.take?.durationS ?? 0), { passive: true });
    this.scroller.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-clamp(event.deltaY, -60, 60) / 160), event.clientX);
    }, { passive: false });
    new ResizeObserver(() => this.redraw()).observe(this.scroller);
    carryTarget({
      element: host,
      over: (item, event) => this.drag.over(item, event),
      leave: () => this.drag.cancel(),
      drop: (item, event) => this.drag.drop(item, event),
    });
  }

  private press(event: PointerEvent): void {
    const target = event.target as Element;
    const badge = target.closest<HTMLElement>(".join");
    if (badge && target.closest(".badge")) {
      this.selectJoin(badge);
      return;
    }
    const block = this.blockOf(target);
    if (block?.placed) {
      const edge = target.closest<HTMLElement>("[data-edge]")?.dataset.edge as "start" | "end" | undefined;
      this.drag.press(event, block, edge ?? null);
    } else if (target.closest(".tl-lane") && event.button === 0) {
      this.actions.clear();
      this.store.set({ playhead: clamp(this.timeAt(event.clientX), 0, this.store.state.take?.durationS ?? 0) });
    }
  }

  private selectJoin(badge: HTMLElement): void {
    const { before, after } = badge.dataset;
    this.store.set({ selection: new Set(), selectedJoin: { before: Number(before), after: Number(after) } });
  }

  private blockOf(target: EventTarget | null): Block | null {
    const id = (target as Element | null)?.closest<HTMLElement>("[data-clip]")?.dataset.clip;
    if (id === undefined) return null;
    return this.shownRows.flatMap((row) => row.blocks).find((block) => block.id === Number(id)) ?? null;
  }

  private key(event: KeyboardEvent): void {
    const badge = (event.target as Element).closest<HTMLElement>(".join");
    const block = this.blockOf(event.target);
    const way = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (event.key === "Enter" && badge) this.selectJoin(badge);
    else if (event.key === "Enter" && block) this.actions.select(block.id, event.ctrlKey || event.shiftKey);
    else if (way !== 0 && event.shiftKey && block) this.actions.nudge(block.id, way);
    else return;
    event.preventDefault();
  }

  private teaching(): HTMLElement {
    const demo = el("button", {
      class: "btn",
      text: "Load the demo",
      type: "button",
      title: "Load the demo timeline (D)",
      on: { click: () => this.connection.send({ type: "new", demo: true }) },
    });
    const text = el("p", { text: "Drag a clip here, or press D for a demo" });
    return el("div", { class: "tl-empty", hidden: true }, text, demo);
  }
}

export function mountTimeline(host: HTMLElement, store: Store, connection: Connection): Timeline {
  return new Timeline(host, store, connection);
}
