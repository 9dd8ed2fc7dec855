// One method's card: its figure is drawn behind it; below, what the judge says, and a button that takes it over.

import { el, setText } from "../elements";
import type { JoinMade, Method } from "../messages";
import { GRADE_WORDS } from "../timeline/join";

export class Card {
  readonly root: HTMLElement;
  readonly view = el("div", { class: "card-view" });
  private readonly verdict = el("span", { class: "card-verdict", text: "…" });
  private readonly moment = el("span", { class: "muted number card-moment" });
  private readonly use: HTMLButtonElement;

  constructor(number: number, readonly method: Method, choose: () => void, use: () => void) {
    this.use = el("button", { class: "btn quiet small-btn", type: "button", text: "Use", label: `Use ${method.name} in the timeline`, title: "Put this join on the timeline, as one clip of the library", disabled: true });
    this.use.addEventListener("click", use);
    const name = el("button", { class: "card-name", type: "button", title: `${method.description} Click to draw its curves strongest.` }, el("i", { class: `method-dot method-${number}` }), el("strong", { text: method.name }));
    name.addEventListener("click", choose);
    const own = { pointerdown: (event: Event) => event.stopPropagation() }; // it does not turn the figures
    this.root = el("div", { class: "card", role: "group", label: `${method.name}: being made` },
      el("div", { class: "card-head", on: own }, name, this.moment),
      this.view,
      el("div", { class: "card-foot", on: own }, this.verdict, this.use));
    this.root.dataset.grade = "unknown";
  }

  /** What is shown is of another moment; the new one is on its way. */
  wait(): void {
    this.root.classList.add("waits");
    this.use.disabled = true;
  }

  show(made: JoinMade): void {
    this.root.classList.remove("waits");
    this.use.disabled = made.problem !== null;
    this.root.dataset.grade = made.problem ? "poor" : made.grade;
    const words = made.problem ?? (made.seen[0] || (made.grade === "unknown" ? "not judged: too short, or no feet" : GRADE_WORDS[made.grade].split(":")[0]!));
    setText(this.verdict, words);
    this.verdict.title = made.problem ?? [...made.seen.slice(1), made.reason, figures(made)].filter(Boolean).join("\n");
    setText(this.moment, made.problem ? "" : `${made.leaveS.toFixed(2)} → ${made.enterS.toFixed(2)} s`);
    this.moment.title = `Leaves the first clip at ${made.leaveS.toFixed(2)} s; the second has taken over at its ${made.enterS.toFixed(2)} s`;
    this.root.setAttribute("aria-label", `${this.method.name}: ${made.grade}, ${words}`);
  }

  choose(on: boolean): void {
    this.root.classList.toggle("chosen", on);
  }
}

/** Every figure beside its limit, those that miss it first. */
function figures(made: JoinMade): string {
  const sorted = [...made.figures].sort((a, b) => Number(a.ok) - Number(b.ok));
  return sorted.map(({ name, value, limit, ok }) => `${ok ? "✓" : "✗"} ${name.replaceAll("_", " ")} ${+value.toFixed(2)} of ${+limit.toFixed(2)}`).join("\n");
}
