// The keys drawn as keycaps: what steers, which motion, which action; lit while pressed, and pressed by the pointer too.

import { el, setLabel } from "../elements";
import type { LiveGraph } from "../messages";
import type { Input } from "./input";

export class Keycaps {
  readonly root = el("div", { class: "keycaps", role: "group", label: "Keys" });
  private readonly caps = new Map<string, HTMLElement>();

  constructor(private readonly input: Input) {}

  setGraph(graph: LiveGraph): void {
    this.caps.clear();
    const sides = graph.nodes.some((node) => node.parameters.includes("side"));
    const cluster = el("div", { class: "cap-cluster" });
    cluster.append(
      ...(sides ? [this.cap("q", "Q", "Step left")] : [gap()]),
      this.cap("w", "W", "Forward"),
      ...(sides ? [this.cap("e", "E", "Step right")] : [gap()]),
      this.cap("a", "A", "Turn left"),
      this.cap("s", "S", "Slower"),
      this.cap("d", "D", "Turn right"),
    );
    const steer = group("Steer", cluster);
    if (graph.types.includes("run")) steer.append(this.cap("shift", "Shift", "Run", "run"));
    const types = graph.types.slice(0, 9).map((type, n) => this.cap(String(n + 1), String(n + 1), `Motion ${type}`, type));
    const actions = [...this.input.actions].map(([key, name]) => this.cap(key, key.toUpperCase(), `Do ${name}`, name));
    this.root.replaceChildren(steer, group("Motion", ...types), group("Action", ...actions));
    this.show(graph, "");
  }

  show(graph: LiveGraph, node: string): void {
    for (const [key, cap] of this.caps) {
      cap.classList.toggle("down", this.input.down.has(key));
      const type = graph.types[Number(key) - 1];
      const action = this.input.actions.get(key);
      cap.classList.toggle("now", (type !== undefined && type === node) || (action !== undefined && action === node));
      cap.classList.toggle("held", type !== undefined && this.input.mode !== "pointer" && type === this.input.held);
    }
  }

  private cap(key: string, shown: string, label: string, name = ""): HTMLElement {
    const made = el("button", { class: `cap cap-${key.length > 1 ? "wide" : "one"}`, type: "button" }, el("kbd", { text: shown }));
    if (name) made.append(el("span", { text: name }));
    setLabel(made, label, `${label} (${shown})`);
    made.addEventListener("pointerdown", (event) => {
      made.setPointerCapture(event.pointerId);
      this.input.press(key);
    });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      made.addEventListener(kind, () => this.input.release(key));
    }
    made.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.repeat) return;
      this.input.press(key);
      setTimeout(() => this.input.release(key), 200);
    });
    this.caps.set(key, made);
    return made;
  }
}

function group(title: string, ...caps: HTMLElement[]): HTMLElement {
  return el("div", { class: "cap-group" }, el("h3", { text: title }), ...caps);
}

function gap(): HTMLElement {
  return el("span", { class: "cap-gap" });
}
