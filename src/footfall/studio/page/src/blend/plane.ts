// The plane of two parameters: examples as points, a map behind them, and the handle that is dragged.

import { clamp, el, svg } from "../elements";
import { LEFT_IS_POSITIVE } from "../live/plane";
import type { BlendSpaceOpened } from "../messages";
import { paintMap, type MapKind, type Shown } from "./colours";

const WIDE = 440;
const HIGH = 300;
const MARGIN = { left: 46, right: 10, top: 10, bottom: 30 };
const OFTEN_MS = 8; // between two raw moves that are followed: some mice tell a thousand a second
const STEPS = 60; // arrow keys from one side to the other

export interface PlaneEvents {
  /** The handle is at other values; `ms` is when the hand moved. */
  moved(values: number[], ms: number): void;
  /** An example was clicked. */
  chosen(example: number): void;
}

export class Plane {
  readonly root = el("div", { class: "blend-plane" });
  private readonly map = el("canvas", { class: "blend-map", hidden: true });
  private readonly drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "group", "aria-label": "Examples" });
  private readonly handle = svg("circle", { r: 9, class: "blend-handle", tabindex: 0, role: "slider", "aria-label": "Handle" });
  private readonly reached = svg("circle", { r: 4.5, class: "reached-mark" });
  private readonly link = svg("line", { class: "blend-link" });
  private space: BlendSpaceOpened | null = null;
  private dots: SVGCircleElement[] = [];
  private looks: string[] = []; // of the dots, as they are drawn: only those that change are touched, or all are painted anew
  private values: number[] = [];
  private last = { x: NaN, y: NaN, ms: 0 }; // move that was followed

  constructor(private readonly events: PlaneEvents) {
    this.root.append(this.map, this.drawing);
    this.drawing.addEventListener("pointerdown", (event) => this.press(event));
    // where a browser has it, the raw event comes at once; pointermove waits for the next picture of the page
    for (const kind of ["pointerrawupdate", "pointermove"]) this.drawing.addEventListener(kind, (event) => this.follow(event as PointerEvent));
    this.handle.addEventListener("keydown", (event) => this.key(event));
  }

  setSpace(space: BlendSpaceOpened): void {
    this.space = space;
    this.map.hidden = true;
    this.dots = space.examples.map((example, n) => {
      const [x, y] = this.at(example.values);
      const dot = svg("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: 4, class: "blend-example", role: "button", tabindex: -1, "aria-label": `Example ${example.name}` });
      dot.append(svg("title", {}, `${example.name}: ${space.parameters.map((name, i) => `${name} ${example.values[i]?.toFixed(2)}`).join(", ")}`));
      dot.addEventListener("click", () => this.events.chosen(n));
      return dot;
    });
    this.looks = [];
    this.drawing.replaceChildren(...this.axes(space), ...this.dots, this.link, this.reached, this.handle);
  }

  /** Examples near the slice of what is not in the plane are bright; the more weight the larger. */
  show(values: readonly number[], achieved: readonly number[] | null, weights: readonly number[] | null): void {
    if (!this.space) return;
    this.values = [...values];
    const [x, y] = this.at(values);
    place(this.handle, x, y);
    const words = this.space.parameters.map((name, i) => `${name} ${values[i]?.toFixed(2)}`).join(", ");
    this.handle.setAttribute("aria-valuenow", (values[this.space.axes[0] ?? 0] ?? 0).toFixed(3));
    this.handle.setAttribute("aria-valuetext", words);
    this.reached.style.visibility = this.link.style.visibility = achieved ? "visible" : "hidden";
    if (achieved) {
      const [ax, ay] = this.at(achieved);
      place(this.reached, ax, ay);
      for (const [name, value] of [["x1", x], ["y1", y], ["x2", ax], ["y2", ay]] as const) this.link.setAttribute(name, value.toFixed(1));
    }
    if (!weights) return;
    this.dots.forEach((dot, n) => {
      const weight = weights[n] ?? 0;
      const radius = (3 + 7 * Math.sqrt(Math.min(Math.abs(weight), 1))).toFixed(1);
      const opacity = (0.35 + 0.65 * this.nearness(n, values)).toFixed(2);
      const look = `${radius} ${opacity} ${weight < -0.005}`;
      if (look === this.looks[n]) return;
      this.looks[n] = look;
      dot.setAttribute("r", radius);
      dot.classList.toggle("negative", weight < -0.005);
      dot.style.fillOpacity = dot.style.strokeOpacity = opacity; // `opacity` would make a layer of every dot
    });
  }

  setMap(kind: MapKind | null, shown: Shown | null): void {
    this.map.hidden = !kind || !shown;
    if (!kind || !shown) return;
    paintMap(this.map, kind, shown, this.isFlipped(0));
    this.map.setAttribute("role", "img");
    this.map.setAttribute("aria-label", `Map of ${kind}`);
  }

  setChosen(example: number | null): void {
    this.dots.forEach((dot, n) => dot.classList.toggle("chosen", n === example));
  }

  /** 1 in the slice, 0 half a range away from it. */
  private nearness(example: number, values: readonly number[]): number {
    const { space } = this;
    if (!space) return 1;
    const aside = space.parameters.map((_, i) => i).filter((i) => !space.axes.includes(i));
    const off = aside.map((i) => Math.abs((space.examples[example]?.values[i] ?? 0) - (values[i] ?? 0)) / ((space.high[i] ?? 1) - (space.low[i] ?? 0) || 1));
    return Math.max(0, 1 - 2 * Math.max(0, ...off));
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0 || !this.space) return;
    if ((event.target as Element).classList.contains("blend-example")) return;
    this.drawing.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.handle.focus({ preventScroll: true });
    this.moveTo(event);
  }

  private follow(event: PointerEvent): void {
    const { x, y, ms } = this.last;
    if (!this.drawing.hasPointerCapture(event.pointerId) || (event.clientX === x && event.clientY === y)) return;
    if (event.type === "pointermove" || event.timeStamp - ms >= OFTEN_MS) this.moveTo(event);
  }

  private moveTo(event: PointerEvent): void {
    const { space } = this;
    if (!space) return;
    this.last = { x: event.clientX, y: event.clientY, ms: event.timeStamp };
    const box = this.drawing.getBoundingClientRect();
    const shares = [
      ((event.clientX - box.left) / box.width * WIDE - MARGIN.left) / (WIDE - MARGIN.left - MARGIN.right),
      1 - ((event.clientY - box.top) / box.height * HIGH - MARGIN.top) / (HIGH - MARGIN.top - MARGIN.bottom),
    ];
    const values = [...this.values];
    space.axes.forEach((axis, n) => {
      const share = clamp(this.isFlipped(n) ? 1 - shares[n]! : shares[n]!, 0, 1);
      values[axis] = space.low[axis]! + share * (space.high[axis]! - space.low[axis]!);
    });
    this.events.moved(values, event.timeStamp);
  }

  private key(event: KeyboardEvent): void {
    const steps: Record<string, readonly [number, number]> = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 1], ArrowDown: [1, -1] };
    const step = steps[event.key];
    const axis = step && this.space?.axes[step[0]];
    if (!step || axis === undefined || !this.space) return;
    event.preventDefault();
    event.stopPropagation();
    const size = this.space.high[axis]! - this.space.low[axis]!;
    const values = [...this.values];
    const by = step[1] * (this.isFlipped(step[0]) ? -1 : 1) * (size / STEPS);
    values[axis] = clamp((values[axis] ?? 0) + by, this.space.low[axis]!, this.space.high[axis]!);
    this.events.moved(values, event.timeStamp);
  }

  /** Whether an axis runs from right to left: what is to the left of the character is drawn there. */
  isFlipped(n: number): boolean {
    return n === 0 && LEFT_IS_POSITIVE.has(this.space?.parameters[this.space.axes[0] ?? 0] ?? "");
  }

  private at(values: readonly number[]): readonly [number, number] {
    const { space } = this;
    if (!space) return [0, 0];
    const share = (n: number): number => {
      const axis = space.axes[n];
      if (axis === undefined) return 0.5;
      const found = clamp(((values[axis] ?? 0) - space.low[axis]!) / (space.high[axis]! - space.low[axis]! || 1), -0.05, 1.05);
      return this.isFlipped(n) ? 1 - found : found;
    };
    return [
      MARGIN.left + share(0) * (WIDE - MARGIN.left - MARGIN.right),
      HIGH - MARGIN.bottom - share(1) * (HIGH - MARGIN.top - MARGIN.bottom),
    ];
  }

  private axes(space: BlendSpaceOpened): SVGElement[] {
    const [right, bottom] = [WIDE - MARGIN.right, HIGH - MARGIN.bottom];
    const text = (x: number, y: number, anchor: string, said: string): SVGTextElement => svg("text", { x, y, "text-anchor": anchor, class: "axis" }, said);
    const ends = (n: number): readonly [string, string] => {
      const axis = space.axes[n] ?? 0;
      const both = [space.low[axis]!, space.high[axis]!].map((value) => String(+value.toFixed(1))) as [string, string];
      return this.isFlipped(n) ? [both[1], both[0]] : both;
    };
    const frame = svg("rect", { x: MARGIN.left, y: MARGIN.top, width: right - MARGIN.left, height: bottom - MARGIN.top, rx: 4, class: "blend-frame" });
    const made: SVGElement[] = [
      frame, text(MARGIN.left, HIGH - 12, "start", ends(0)[0]), text(right, HIGH - 12, "end", ends(0)[1]),
      text((MARGIN.left + right) / 2, HIGH - 12, "middle", named(space, space.axes[0])),
    ];
    if (space.axes.length > 1) {
      const up = text(12, (MARGIN.top + bottom) / 2, "middle", named(space, space.axes[1]));
      up.setAttribute("transform", `rotate(-90 12 ${(MARGIN.top + bottom) / 2})`);
      made.push(up, text(MARGIN.left - 5, bottom, "end", ends(1)[0]), text(MARGIN.left - 5, MARGIN.top + 9, "end", ends(1)[1]));
    }
    return made;
  }
}

/** A parameter with its unit. */
export function named(space: BlendSpaceOpened, axis: number | undefined): string {
  const name = space.parameters[axis ?? 0] ?? "";
  const unit = space.units[axis ?? 0];
  return unit ? `${name} (${unit})` : name;
}

function place(mark: SVGCircleElement, x: number, y: number): void {
  mark.setAttribute("cx", x.toFixed(1));
  mark.setAttribute("cy", y.toFixed(1));
}
