// Curves of all joins under each other, in step with the figures: how feet slide, how the body is pushed, what jumps.

import { el, setText, svg } from "../elements";
import type { JoinCurves } from "../messages";

const WIDE = 360;
const HIGH = 62;
type Which = "skateCmS" | "pushMS2" | "excessMS2";
const CURVES: readonly { which: Which; name: string; unit: string; least: number; title: string }[] = [
  { which: "skateCmS", name: "Skate", unit: "cm/s", least: 20, title: "How fast a toe that is near the floor moves over it" },
  { which: "pushMS2", name: "Push", unit: "m/s²", least: 6, title: "How hard the body is pushed over the floor" },
  { which: "excessMS2", name: "Acceleration", unit: "m/s²", least: 60, title: "How much more a joint accelerates than in the clips" },
];

interface Plot {
  readonly which: Which;
  readonly least: number;
  readonly unit: string;
  readonly lines: SVGGElement;
  readonly playhead: SVGLineElement;
  readonly seam: SVGRectElement;
  readonly most: HTMLElement;
}

export class CurvesView {
  readonly root = el("div", { class: "curves", role: "group", label: "Curves" });
  private readonly plots: Plot[];
  private readonly known = new Map<number, JoinCurves>();
  private rangeS: readonly [number, number] = [-1, 2];
  private endS = 0;
  private chosen = 0;

  constructor(seek: (timeS: number) => void) {
    this.plots = CURVES.map(({ which, name, unit, least, title }) => {
      const most = el("span", { class: "muted number" });
      const lines = svg("g", { class: "curve-lines" });
      const playhead = svg("line", { class: "curve-now", y1: 0, y2: HIGH });
      const seam = svg("rect", { class: "curve-seam", y: 0, height: HIGH });
      const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": `${name} of every method over time` }, seam, lines, playhead);
      const follow = (event: PointerEvent): void => {
        const box = drawing.getBoundingClientRect();
        const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
        seek(this.rangeS[0] + share * (this.rangeS[1] - this.rangeS[0]));
      };
      drawing.addEventListener("pointerdown", (event) => {
        drawing.setPointerCapture(event.pointerId);
        follow(event);
      });
      drawing.addEventListener("pointermove", (event) => {
        if (drawing.hasPointerCapture(event.pointerId)) follow(event);
      });
      this.root.append(el("div", { class: "curve", title }, el("div", { class: "curve-name" }, el("span", { text: name }), most), drawing));
      return { which, least, unit, lines, playhead, seam, most };
    });
  }

  setRange(rangeS: readonly [number, number], endS: number): void {
    this.rangeS = rangeS;
    this.endS = endS;
    this.draw();
  }

  set(number: number, curves: JoinCurves | null): void {
    if (curves) this.known.set(number, curves);
    else this.known.delete(number);
    this.draw();
  }

  clear(): void {
    this.known.clear();
    this.draw();
  }

  /** The one that is drawn strongest. */
  choose(number: number): void {
    this.chosen = number;
    this.draw();
  }

  showTime(timeS: number): void {
    const x = this.x(timeS).toFixed(1);
    for (const { playhead } of this.plots) {
      playhead.setAttribute("x1", x);
      playhead.setAttribute("x2", x);
    }
  }

  private x(timeS: number): number {
    const [from, to] = this.rangeS;
    return (WIDE * (timeS - from)) / Math.max(to - from, 1e-3);
  }

  private draw(): void {
    const order = [...this.known].sort(([a], [b]) => Number(a === this.chosen) - Number(b === this.chosen));
    for (const { which, least, unit, lines, seam, most } of this.plots) {
      const top = Math.max(least, ...order.flatMap(([, curves]) => curves[which]));
      setText(most, order.length === 0 ? "" : `up to ${top.toFixed(0)} ${unit}`);
      seam.setAttribute("x", this.x(0).toFixed(1));
      seam.setAttribute("width", Math.max(this.x(this.endS) - this.x(0), 1).toFixed(1));
      lines.replaceChildren(...order.map(([number, curves]) => {
        const points = curves[which].map((value, i) =>
          `${this.x(curves.startS + i / curves.fps).toFixed(1)},${(HIGH - 2 - (HIGH - 6) * (value / top)).toFixed(1)}`);
        const line = svg("polyline", { points: points.join(" "), "vector-effect": "non-scaling-stroke" });
        line.classList.add("curve-line", `method-${number}`);
        line.classList.toggle("chosen", number === this.chosen);
        return line;
      }));
    }
  }
}
