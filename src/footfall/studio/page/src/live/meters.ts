// Meters of the live character: how soon it answers, how much its feet slide, how deep they sink; with a short past.

import { clamp, el, setText } from "../elements";

interface MeterOptions {
  readonly name: string;
  readonly unit: string;
  readonly limits: readonly [number, number]; // good up to the first, bad above the second
  readonly title: string;
  readonly digits: number;
}

const PAST = 90;
const CANVAS = { wide: 96, high: 22 };

export class Meter {
  readonly root: HTMLElement;
  private readonly value = el("span", { class: "number" });
  private readonly canvas = el("canvas", { width: 2 * CANVAS.wide, height: 2 * CANVAS.high, ariaHidden: "true" });
  private readonly past: number[] = [];

  constructor(private readonly options: MeterOptions) {
    const text = el("div", { class: "meter-text" }, el("span", { class: "muted", text: options.name }), this.value);
    this.root = el("div", { class: "meter", title: options.title, role: "group", label: options.name }, text, this.canvas);
    setText(this.value, "–");
  }

  show(value: number): void {
    const { limits, unit, digits } = this.options;
    this.past.push(value);
    if (this.past.length > PAST) this.past.shift();
    setText(this.value, `${value.toFixed(digits)} ${unit}`);
    this.root.dataset.grade = value <= limits[0] ? "good" : value <= limits[1] ? "fair" : "poor";
    this.draw();
  }

  clear(): void {
    this.past.length = 0;
    setText(this.value, "–");
    this.root.dataset.grade = "unknown";
    this.draw();
  }

  private draw(): void {
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    const { width, height } = this.canvas;
    const most = Math.max(1.2 * this.options.limits[1], ...this.past);
    const y = (value: number): number => height - 2 - clamp(value / most, 0, 1) * (height - 4);
    const style = getComputedStyle(this.root);
    pen.clearRect(0, 0, width, height);
    pen.strokeStyle = style.getPropertyValue("--line-strong");
    pen.setLineDash([4, 4]);
    pen.beginPath();
    pen.moveTo(0, y(this.options.limits[0]));
    pen.lineTo(width, y(this.options.limits[0]));
    pen.stroke();
    pen.setLineDash([]);
    pen.strokeStyle = style.getPropertyValue("--grade");
    pen.lineWidth = 2.5;
    pen.beginPath();
    this.past.forEach((value, n) => pen.lineTo((n / (PAST - 1)) * width, y(value)));
    pen.stroke();
  }
}

export class Meters {
  readonly answer = new Meter({
    name: "Response", unit: "ms", limits: [50, 100], digits: 0, title: "From the hand to the first picture that knows of it",
  });
  readonly change = new Meter({
    name: "Change of motion", unit: "s", limits: [0.6, 1.2], digits: 2,
    title: "From asking for another motion to its beginning: a foot must come down first",
  });
  readonly slide = new Meter({
    name: "Slide", unit: "cm/s", limits: [2, 6], digits: 1, title: "How fast feet that stand move over the floor",
  });
  readonly depth = new Meter({
    name: "Penetration", unit: "mm", limits: [5, 15], digits: 1, title: "How deep the feet are under the floor",
  });
  readonly root = el(
    "div",
    { class: "live-card meters" },
    el("h3", { text: "Meters" }),
    this.answer.root, this.change.root, this.slide.root, this.depth.root,
  );

  clear(): void {
    for (const meter of [this.answer, this.change, this.slide, this.depth]) meter.clear();
  }
}
