// Every weight method beside the others: small maps of its error and smoothness, the flow of its motion, and a click to use it.

import { el, setText } from "../elements";
import type { BlendMap, Method } from "../messages";
import { paintFlow, paintMap } from "./colours";

interface Card {
  readonly root: HTMLButtonElement;
  readonly error: HTMLCanvasElement;
  readonly smoothness: HTMLCanvasElement;
  readonly flow: HTMLCanvasElement;
  readonly words: HTMLElement;
}

export class Methods {
  readonly root = el("div", { class: "blend-methods", role: "radiogroup", label: "Weight method" });
  private readonly cards = new Map<string, Card>();

  constructor(private readonly choose: (method: string) => void) {}

  setMethods(methods: readonly Method[]): void {
    this.cards.clear();
    const head = el("div", { class: "blend-method-head muted" }, el("span", { text: "method" }), el("span", { text: "error" }), el("span", { text: "smoothness" }), el("span", { text: "flow" }));
    this.root.replaceChildren(head, ...methods.map(({ name, description }) => {
      const picture = (what: string, wide = 48, high = 48): HTMLCanvasElement => {
        const made = el("canvas", { class: "blend-small", width: wide, height: high });
        made.dataset.picture = what;
        return made;
      };
      const [error, smoothness, flow] = [picture("error"), picture("smoothness"), picture("flow", 150, 60)];
      const words = el("span", { class: "blend-method-words muted number", text: "…" });
      const root = el("button", { type: "button", class: "blend-method", role: "radio", title: description, label: name },
        el("span", { class: "blend-method-name" }, el("strong", { text: name }), words), error, smoothness, flow);
      root.addEventListener("click", () => this.choose(name));
      this.cards.set(name, { root, error, smoothness, flow, words });
      return root;
    }));
  }

  setChosen(method: string): void {
    for (const [name, card] of this.cards) card.root.setAttribute("aria-checked", String(name === method));
  }

  /** Nothing is known of the space that is looked at now. */
  clear(): void {
    for (const card of this.cards.values()) {
      setText(card.words, "…");
      delete card.root.dataset.mapped;
      for (const canvas of [card.error, card.smoothness, card.flow]) canvas.getContext("2d")?.clearRect(0, 0, canvas.width, canvas.height);
    }
  }

  show(map: BlendMap, flip: boolean): void {
    const card = this.cards.get(map.method);
    if (!card) return;
    const { inside, rows, columns } = map;
    paintMap(card.error, "error", { values: map.error, inside, rows, columns }, flip);
    paintMap(card.smoothness, "smoothness", { values: map.kappa, inside, rows, columns }, flip);
    if (map.flow.length > 0) paintFlow(card.flow, map.flow);
    setText(card.words, `${(100 * map.meanError).toFixed(map.meanError < 0.001 ? 2 : 1)} % · κ ${map.meanKappa.toFixed(3)}`);
    if (map.isLast) card.root.dataset.mapped = "1";
  }
}
