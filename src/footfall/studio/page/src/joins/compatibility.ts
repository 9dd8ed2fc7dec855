// Which clips of the library blend: every pair as a cell, what keeps two apart in words, and cures that are a click away.

import type { Connection } from "../connection";
import { el, setText } from "../elements";
import type { ClipFault, ClipFix, LibraryMap } from "../messages";
import type { Store } from "../store";

const MOST = 64; // clips of one map, as the studio compares them
const EVERY = "every clip";

export class CompatibilityView {
  readonly root = el("div", { class: "compatible", role: "group", label: "Which clips blend" });
  private readonly groups = el("select", { class: "field", label: "Clips of", title: "Which clips are compared" });
  private readonly state = el("span", { class: "muted", role: "status" });
  private readonly bar = el("progress", { max: 1, value: 0, label: "Comparing the clips" });
  private readonly grid = el("div", { class: "pairs" });
  private readonly detail = el("div", { class: "pair-detail", role: "region", label: "The pair" });
  private serial = 0;
  private map: LibraryMap | null = null;
  private chosen: readonly [string, string] | null = null;
  private known = ""; // keys that were asked for last
  private active = false;

  constructor(private readonly store: Store, private readonly connection: Connection, private readonly compare: (first: string, second: string) => void) {
    this.groups.addEventListener("change", () => this.ask());
    this.root.append(
      el("div", { class: "compatible-main" },
        el("div", { class: "compatible-head" }, el("span", { class: "muted", text: "Clips of" }), this.groups, this.bar, this.state, legend()),
        el("div", { class: "pairs-scroll" }, this.grid)),
      this.detail);
    connection.on("library_map", (map) => this.told(map));
    store.watch("library", () => {
      this.offer();
      if (this.active) this.ask();
    });
  }

  show(): void {
    this.active = true;
    this.offer();
    this.ask();
  }

  hide(): void {
    this.active = false;
  }

  private offer(): void {
    const names = [...new Set(this.store.state.library.filter((item) => item.problem === null).map((item) => item.group))];
    const own = names.filter((name) => name !== "built-in");
    const all = [EVERY, ...own, ...names.filter((name) => name === "built-in")];
    const chosen = this.groups.value;
    this.groups.replaceChildren(...all.map((name) => el("option", { value: name, text: name })));
    this.groups.value = all.includes(chosen) ? chosen : EVERY;
  }

  private ask(): void {
    const group = this.groups.value;
    const items = this.store.state.library.filter((item) => item.problem === null && (group === EVERY || item.group === group));
    const own = [...items].sort((a, b) => Number(a.group === "built-in") - Number(b.group === "built-in"));
    const keys = own.slice(0, MOST).map((item) => item.key);
    const wanted = keys.join("\n");
    if (wanted === this.known && this.map) return;
    this.known = wanted;
    this.connection.send({ type: "map_library", keys, serial: ++this.serial });
    setText(this.state, items.length > MOST ? `the first ${MOST} of ${items.length} clips` : "");
    this.bar.hidden = false;
    this.bar.value = 0;
  }

  private told(map: LibraryMap): void {
    if (map.serial !== this.serial) return;
    this.bar.value = map.share;
    if (map.share < 1) return;
    this.bar.hidden = true;
    this.map = map;
    this.draw(map);
    const blending = pairsOf(map).filter(([a, b]) => faultsOf(map, a, b).length === 0).length;
    setText(this.state, `${map.keys.length} clips, ${blending} pairs blend${map.leftOut.length > 0 ? `; left out: ${map.leftOut.join(" ")}` : ""}`);
    if (this.chosen && this.chosen.every((key) => map.keys.includes(key))) this.choose(...this.chosen);
    else this.detail.replaceChildren(el("p", { class: "muted", text: "Click a cell: what keeps two clips from blending, and what cures it." }));
  }

  private nameOf(key: string): string {
    return this.store.state.library.find((item) => item.key === key)?.name ?? key;
  }

  private draw(map: LibraryMap): void {
    const { keys } = map;
    this.grid.style.gridTemplateColumns = `minmax(90px, max-content) repeat(${keys.length}, 22px)`;
    const cells: HTMLElement[] = [el("span")];
    for (const key of keys) cells.push(el("span", { class: "pairs-column", title: this.nameOf(key) }, el("span", { text: this.nameOf(key) })));
    keys.forEach((row, i) => {
      cells.push(el("span", { class: "pairs-row", text: this.nameOf(row), title: this.nameOf(row) }));
      keys.forEach((column, j) => cells.push(j < i ? el("span") : this.cell(map, row, column)));
    });
    this.grid.replaceChildren(...cells);
  }

  private cell(map: LibraryMap, a: string, b: string): HTMLElement {
    const faults = faultsOf(map, a, b);
    const words = faults.length === 0 ? (a === b ? "nothing is wrong with it" : "blend") : faults.map((fault) => fault.kind).join(", ");
    const label = a === b ? `${this.nameOf(a)}: ${words}` : `${this.nameOf(a)} and ${this.nameOf(b)}: ${words}`;
    const button = el("button", { class: "library-pair", type: "button", label, title: label, data: { faults: gravity(faults), pair: `${a}|${b}` } });
    if (a === b) button.classList.add("alone");
    button.addEventListener("click", () => this.choose(a, b));
    return button;
  }

  private choose(a: string, b: string): void {
    const { map } = this;
    if (!map) return;
    this.chosen = [a, b];
    for (const cell of this.grid.querySelectorAll<HTMLElement>(".library-pair")) {
      cell.classList.toggle("chosen", cell.dataset.pair === `${a}|${b}` || cell.dataset.pair === `${b}|${a}`);
    }
    const faults = faultsOf(map, a, b);
    const title = a === b ? this.nameOf(a) : `${this.nameOf(a)} · ${this.nameOf(b)}`;
    const none = a === b ? "Nothing is wrong with this clip." : "These two blend: the same events in the same order, on the same feet.";
    const compares = ([[a, b], [b, a]] as const).map(([first, second]) => {
      const text = `Compare joins: ${this.nameOf(first)} → ${this.nameOf(second)}`;
      return el("button", { class: "btn", type: "button", text, on: { click: () => this.compare(first, second) } });
    });
    this.detail.replaceChildren(
      el("h2", { text: title }),
      ...(faults.length === 0 ? [el("p", { text: none })] : faults.map((fault) => this.fault(fault))),
      ...(a === b ? [] : compares),
    );
  }

  private fault({ kind, why, cure, fixes }: ClipFault): HTMLElement {
    return el("div", { class: "fault" },
      el("p", {}, el("strong", { text: kind }), ` ${why}`),
      el("p", { class: "muted selectable", text: cure }),
      ...fixes.map((fix) => this.fix(fix, kind)));
  }

  /** A cured copy, as a new clip: nothing is changed that was there. */
  private fix(fix: ClipFix, kind: string): HTMLElement {
    const button = el("button", { class: "btn", type: "button", text: `Make “${fix.label}”`, title: "A copy in the library, without this fault" });
    button.addEventListener("click", () => {
      button.disabled = true;
      this.connection.send({ type: "cure_clip", key: fix.key, other: fix.other, kind });
    });
    return button;
  }
}

function faultsOf(map: LibraryMap, a: string, b: string): ClipFault[] {
  if (a === b) return map.faults.filter((fault) => fault.a === a && fault.b === null);
  return map.faults.filter((fault) => fault.b !== null && ((fault.a === a && fault.b === b) || (fault.a === b && fault.b === a)));
}

/** How far from blending: of different motions it is enough to know that; a transition joins them. */
function gravity(faults: readonly ClipFault[]): string {
  return faults.some((fault) => fault.kind === "type") ? "other" : String(Math.min(faults.length, 3));
}

function pairsOf({ keys }: LibraryMap): (readonly [string, string])[] {
  return keys.flatMap((a, i) => keys.slice(i + 1).map((b) => [a, b] as const));
}

function legend(): HTMLElement {
  const one = (faults: string, text: string): HTMLElement => el("span", {}, el("i", { class: "library-pair", data: { faults } }), text);
  return el("span", { class: "pairs-legend muted" }, one("0", "blend"), one("1", "one fault"), one("2", "two"), one("3", "more"), one("other", "other motions"));
}
