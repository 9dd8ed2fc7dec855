// Which two clips are joined: two lists of the library, and a button that swaps them.

import { el } from "../elements";
import type { LibraryItem } from "../messages";
import type { Store } from "../store";

export class Chooser {
  readonly root: HTMLElement;
  private readonly lists: readonly [HTMLSelectElement, HTMLSelectElement];

  constructor(private readonly store: Store, private readonly changed: () => void) {
    const list = (label: string, title: string): HTMLSelectElement => {
      const made = el("select", { class: "field clip-field", label, title });
      made.addEventListener("change", () => changed());
      return made;
    };
    this.lists = [list("First clip", "The clip that is left"), list("Second clip", "The clip that is entered")];
    const swap = el("button", { class: "btn quiet icon-only", type: "button", text: "⇄", label: "Swap the clips", title: "Swap the clips" });
    swap.addEventListener("click", () => this.set(this.second, this.first));
    this.root = el("div", { class: "chooser" }, this.lists[0], el("span", { class: "muted", text: "→" }), this.lists[1], swap);
    store.watch("library", ({ library }) => this.offer(library));
  }

  get first(): string {
    return this.lists[0].value;
  }

  get second(): string {
    return this.lists[1].value;
  }

  nameOf(key: string): string {
    return this.store.state.library.find((item) => item.key === key)?.name ?? key;
  }

  /** Chooses both; what the library does not have is left as it was. */
  set(first: string, second: string): void {
    const known = new Set(this.usable(this.store.state.library).map((item) => item.key));
    if (known.has(first)) this.lists[0].value = first;
    if (known.has(second)) this.lists[1].value = second;
    this.changed();
  }

  private usable(library: readonly LibraryItem[]): LibraryItem[] {
    return library.filter((item) => item.problem === null);
  }

  private offer(library: readonly LibraryItem[]): void {
    const groups = new Map<string, LibraryItem[]>();
    for (const item of this.usable(library)) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
    const own = [...groups].sort(([a], [b]) => Number(a === "built-in") - Number(b === "built-in")); // a person's own first
    for (const list of this.lists) {
      const chosen = list.value;
      list.replaceChildren(...own.map(([group, items]) => {
        const made = el("optgroup", {}, ...items.map((item) => el("option", { value: item.key, text: item.name })));
        made.label = group;
        return made;
      }));
      if (library.some((item) => item.key === chosen)) list.value = chosen;
    }
  }
}
