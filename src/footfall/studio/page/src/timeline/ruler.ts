// The ruler: labels in seconds, and the playhead that is dragged along it.

import { clamp, el, setAttribute, setStyle } from "../elements";
import type { Store } from "../store";
import type { Markers } from "./markers";
import { clock, type Scale } from "./scale";

const SHORTEST_S = 0.1; // of what can be looped

export class Ruler {
  readonly root = el("div", {
    class: "tl-ruler",
    role: "slider",
    tabIndex: 0,
    label: "Playhead",
    title: "Click or drag to move the playhead; with Shift: what is looped",
    ariaValueMin: "0",
  });
  private readonly labels = el("div", { class: "tl-labels", ariaHidden: "true" });
  private readonly marker = el("div", { class: "tl-marker", ariaHidden: "true" });
  private readonly range = el("div", { class: "tl-range", hidden: true });
  private drawn = "";

  constructor(
    private readonly store: Store,
    private readonly scale: Scale,
    private readonly timeAt: (clientX: number) => number,
    private readonly markers: Markers,
  ) {
    this.root.append(this.labels, this.range, this.marker);
    store.subscribe("range", () => this.showRange());
    this.root.addEventListener("pointerdown", (event) => this.scrub(event));
  }

  /** Draws labels for the part that is seen. */
  show(lengthS: number, fromS: number, toS: number): void {
    this.markers.draw();
    this.showRange();
    const step = this.scale.stepS;
    const first = Math.max(0, Math.floor(fromS / step) - 1);
    const last = Math.min(Math.ceil(lengthS / step), Math.ceil(toS / step) + 1);
    const wanted = `${this.scale.pxPerS} ${first} ${last}`;
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    setStyle(this.root, "--step", `${this.scale.x(step)}px`);
    const made: HTMLElement[] = [];
    for (let i = first; i <= last; i++) {
      const label = el("span", {}, clock(i * step, step));
      label.style.transform = `translateX(${this.scale.x(i * step)}px)`;
      made.push(label);
    }
    this.labels.replaceChildren(...made);
  }

  showTime(timeS: number, lengthS: number): void {
    setStyle(this.marker, "transform", `translateX(${this.scale.x(timeS).toFixed(1)}px)`);
    setAttribute(this.root, "aria-valuenow", timeS.toFixed(2));
    setAttribute(this.root, "aria-valuemax", lengthS.toFixed(2));
    setAttribute(this.root, "aria-valuetext", `${timeS.toFixed(2)} seconds`);
  }

  /** What is looped, if not all. */
  private showRange(): void {
    const { range } = this.store.state;
    this.range.hidden = range === null;
    if (!range) return;
    setAttribute(this.range, "title", `Looped: ${range[0].toFixed(2)} to ${range[1].toFixed(2)} s`);
    setStyle(this.range, "transform", `translateX(${this.scale.x(range[0]).toFixed(1)}px)`);
    setStyle(this.range, "width", `${this.scale.x(range[1] - range[0]).toFixed(1)}px`);
  }

  /** Moves the playhead; with Shift, marks what is looped. */
  private scrub(down: PointerEvent): void {
    if (down.button !== 0) return;
    const end = new AbortController();
    const longest = this.store.state.take?.durationS ?? 0;
    const at = (event: PointerEvent): number => clamp(this.timeAt(event.clientX), 0, longest);
    const from = at(down);
    const move = (event: PointerEvent): void => {
      if (!down.shiftKey) return this.store.set({ playhead: at(event) });
      const [a, b] = [Math.min(from, at(event)), Math.max(from, at(event))];
      if (b - a > SHORTEST_S) this.store.set({ range: [a, b], loop: true, playhead: a });
    };
    this.store.set({ playing: false });
    this.root.setPointerCapture(down.pointerId);
    move(down);
    this.root.addEventListener("pointermove", move, { signal: end.signal });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      this.root.addEventListener(kind, () => end.abort(), { signal: end.signal });
    }
  }
}
