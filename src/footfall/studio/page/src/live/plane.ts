// The parameter plane of the motion that plays: its examples by weight, the point asked for and the point reached.

import { clamp, el, setText, svg } from "../elements";
import type { LiveGraph, LiveNode, LiveState } from "../messages";
import { nodeOf } from "./request";

const WIDE = 250;
const HIGH = 150;
const MARGIN = { left: 34, right: 10, top: 10, bottom: 24 };
const TRAIL = 24;
const UNITS: Record<string, string> = { speed: "m/s", turn: "°/s", side: "m/s", distance: "m", height: "m", direction: "°" };
export const LEFT_IS_POSITIVE = new Set(["turn", "side", "direction", "x"]); // drawn the way the character goes

type Point = readonly [number, number];

export class PlaneView {
  readonly root = el("div", { class: "live-card plane-card" });
  private readonly title = el("span");
  private readonly beyond = el("span", { class: "beyond", text: "at its limit", title: "More than the examples can do was asked for" });
  private readonly drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" });
  private readonly note = el("p", { class: "muted" });
  private readonly askedMark = svg("circle", { r: 6, class: "asked-mark" });
  private readonly reachedMark = svg("circle", { r: 4, class: "reached-mark" });
  private readonly trail = svg("polyline", { class: "trail" });
  private dots: SVGCircleElement[] = [];
  private graph: LiveGraph | null = null;
  private node: LiveNode | null = null;
  private path: Point[] = [];

  constructor() {
    const key = el(
      "p",
      { class: "plane-key muted" },
      el("span", {}, el("i", { class: "key-asked" }), "asked"),
      el("span", {}, el("i", { class: "key-reached" }), "reached"),
      el("span", {}, el("i", { class: "key-example" }), "examples"),
    );
    this.root.append(el("h3", {}, this.title, this.beyond), this.drawing, this.note, key);
  }

  setGraph(graph: LiveGraph): void {
    this.graph = graph;
    this.node = null;
  }

  show(state: LiveState): void {
    const node = this.graph && nodeOf(this.graph, state.node);
    if (node && node !== this.node) this.setNode(node);
    this.beyond.style.visibility = state.clamped ? "visible" : "hidden";
    if (!this.node || this.node.parameters.length === 0) return;
    const most = Math.max(...state.weights, 1e-6);
    const fits = state.weights.length === this.dots.length;
    this.dots.forEach((dot, n) => dot.setAttribute("r", String(2 + (fits ? 4 * ((state.weights[n] ?? 0) / most) : 0))));
    this.mark(this.askedMark, state.asked);
    const reached = this.mark(this.reachedMark, state.achieved);
    if (!reached) return;
    this.path = [...this.path.slice(-TRAIL), reached];
    this.trail.setAttribute("points", this.path.map((point) => point.join()).join(" "));
  }

  private setNode(node: LiveNode): void {
    this.node = node;
    this.path = [];
    setText(this.title, `${node.name}: parameters`);
    const none = node.parameters.length === 0;
    setText(this.note, none ? `${node.name} has none` : "");
    this.note.hidden = !none;
    this.drawing.style.display = none ? "none" : "";
    this.drawing.setAttribute("aria-label", `Parameters of ${node.name}: ${node.parameters.join(", ")}`);
    if (none) return;
    this.dots = node.examples.map((example) => {
      const [x, y] = this.at(example);
      return svg("circle", { cx: x, cy: y, r: 2, class: "example" });
    });
    this.trail.setAttribute("points", "");
    this.drawing.replaceChildren(...this.axes(node), ...this.dots, this.trail, this.askedMark, this.reachedMark);
  }

  /** Where values (in the order of the parameters) lie; the second parameter goes across, the first up. */
  private at(values: readonly number[]): Point {
    const across = this.share(1, values[1]);
    const up = this.share(0, values[0]);
    return [
      MARGIN.left + across * (WIDE - MARGIN.left - MARGIN.right),
      HIGH - MARGIN.bottom - up * (HIGH - MARGIN.top - MARGIN.bottom),
    ];
  }

  private share(axis: number, value: number | undefined): number {
    const name = this.node?.parameters[axis];
    if (name === undefined || value === undefined) return 0.5;
    const [low, high] = [this.node?.low[axis] ?? 0, this.node?.high[axis] ?? 1];
    const share = clamp((value - low) / (high - low || 1), -0.04, 1.04);
    return LEFT_IS_POSITIVE.has(name) && axis === 1 ? 1 - share : share;
  }

  private mark(mark: SVGCircleElement, values: Readonly<Record<string, number>>): Point | null {
    const found = this.node?.parameters.slice(0, 2).map((name) => values[name]);
    const known = found?.every((value) => value !== undefined) ?? false;
    mark.style.visibility = known ? "visible" : "hidden";
    if (!known) return null;
    const point = this.at(found as number[]);
    mark.setAttribute("cx", point[0].toFixed(1));
    mark.setAttribute("cy", point[1].toFixed(1));
    return point;
  }

  private axes(node: LiveNode): SVGElement[] {
    const [right, bottom] = [WIDE - MARGIN.right, HIGH - MARGIN.bottom];
    const frame = svg("rect", {
      x: MARGIN.left, y: MARGIN.top, width: right - MARGIN.left, height: bottom - MARGIN.top, rx: 4, class: "frame",
    });
    const text = (x: number, y: number, anchor: string, said: string): SVGTextElement =>
      svg("text", { x, y, "text-anchor": anchor, class: "axis" }, said);
    const [first = "", second] = node.parameters;
    const made: SVGElement[] = [
      frame,
      text(MARGIN.left - 4, bottom, "end", number(node.low[0])),
      text(MARGIN.left - 4, MARGIN.top + 9, "end", number(node.high[0])),
      text(MARGIN.left + 6, MARGIN.top + 13, "start", named(first)),
    ];
    if (second === undefined) return made;
    const turned = LEFT_IS_POSITIVE.has(second);
    made.push(
      text(MARGIN.left, HIGH - 8, "start", number(turned ? node.high[1] : node.low[1])),
      text(right, HIGH - 8, "end", number(turned ? node.low[1] : node.high[1])),
      text((MARGIN.left + right) / 2, HIGH - 8, "middle", named(second)),
    );
    return made;
  }
}

function named(parameter: string): string {
  const unit = UNITS[parameter];
  return unit ? `${parameter} (${unit})` : parameter;
}

function number(value: number | undefined): string {
  return value === undefined ? "" : String(+value.toFixed(1));
}
