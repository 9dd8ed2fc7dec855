// One line where something went wrong, with its cure; it stays until it is closed or things are well again.

import { el } from "./elements";
import type { Store } from "./store";

export function mountProblems(host: HTMLElement, store: Store, places: readonly string[]): void {
  const box = el("div", { class: "problems", role: "status" });
  box.setAttribute("aria-live", "polite");
  host.append(box);
  store.watch("problems", ({ problems }) => {
    box.replaceChildren(...problems.filter((line) => places.includes(line.where)).map((line) => {
      const close = el("button", {
        type: "button", text: "×", label: "Close this message", title: "Close",
        on: { click: () => store.closeProblems(line.where) },
      });
      return el("div", { class: "problem" }, el("span", { text: line.text }), close);
    }));
  });
}
