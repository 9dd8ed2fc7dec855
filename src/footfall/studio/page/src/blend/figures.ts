// What was asked and what the blend does, number by number, and how much of each example it is made of.

import { el, setStyle, setText } from "../elements";
import type { BlendAnswer, BlendSpaceOpened } from "../messages";
import { named } from "./plane";

const SHOWN = 8; // examples with a bar, the heaviest

export class Figures {
  readonly root: HTMLElement;
  private readonly table = el("div", { class: "blend-table" });
  private readonly said = el("p", { class: "blend-off", role: "status" });
  private readonly bars = el("div", { class: "blend-bars", role: "list", label: "Weights of the examples" });
  private asked: HTMLInputElement[] = [];
  private achieved: HTMLElement[] = [];
  private space: BlendSpaceOpened | null = null;

  constructor(private readonly change: (axis: number, value: number) => void, private readonly choose: (example: number) => void) {
    this.root = el("div", { class: "blend-figures" }, this.table, this.said, el("h3", { text: "Weights" }), this.bars);
  }

  setSpace(space: BlendSpaceOpened): void {
    this.space = space;
    this.asked = space.parameters.map((name, axis) => {
      const field = el("input", { class: "field number", type: "number", label: `Asked ${name}`, step: "any" });
      field.addEventListener("change", () => {
        if (Number.isFinite(field.valueAsNumber)) this.change(axis, field.valueAsNumber);
      });
      return field;
    });
    this.achieved = space.parameters.map((name) => el("output", { class: "number", label: `Achieved ${name}` }));
    this.table.replaceChildren(el("span"), el("span", { class: "muted", text: "asked" }), el("span", { class: "muted", text: "achieved" }),
      ...space.parameters.flatMap((_, axis) => [el("span", { text: named(space, axis) }), this.asked[axis]!, this.achieved[axis]!]));
  }

  showAsked(values: readonly number[]): void {
    this.asked.forEach((field, axis) => {
      if (document.activeElement !== field) field.value = (values[axis] ?? 0).toFixed(2);
    });
  }

  show(answer: BlendAnswer): void {
    this.achieved.forEach((cell, axis) => setText(cell, (answer.achieved[axis] ?? 0).toFixed(2)));
    const outside = answer.inside ? "" : "outside the examples, extrapolated";
    setText(this.said, [answer.off, outside].filter(Boolean).join("; "));
    this.showWeights(answer.weights);
  }

  private showWeights(weights: readonly number[]): void {
    const order = weights.map((weight, n) => [Math.abs(weight), n] as const).sort((a, b) => b[0] - a[0]).slice(0, SHOWN).filter(([size]) => size > 0.005);
    while (this.bars.childElementCount > order.length) this.bars.lastElementChild?.remove();
    order.forEach(([size, n], i) => {
      const row = (this.bars.children[i] as HTMLElement | undefined) ?? this.newBar();
      const weight = weights[n] ?? 0;
      row.dataset.example = String(n);
      row.classList.toggle("negative", weight < 0);
      setText(row.children[0]!, this.space?.examples[n]?.name ?? "");
      setStyle(row.children[1]!.firstElementChild as HTMLElement, "width", `${Math.min(100 * size, 100).toFixed(1)}%`);
      setText(row.children[2]!, `${Math.round(100 * weight)} %`);
    });
  }

  private newBar(): HTMLElement {
    const row = el("div", { class: "blend-bar", role: "listitem", title: "Show the map of this example's weight" },
      el("span", { class: "blend-bar-name" }), el("span", { class: "blend-bar-track" }, el("i")), el("span", { class: "number" }));
    row.addEventListener("click", () => this.choose(Number(row.dataset.example)));
    this.bars.append(row);
    return row;
  }
}
