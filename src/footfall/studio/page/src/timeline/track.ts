// A track: its head with name, character and a button that takes it away, and the lane its clips lie on.

import { el, icon, setStyle, setText } from "../elements";
import type { ChangeTrack, JoinView } from "../messages";
import { ClipElement } from "./clip";
import { JoinElement, joinKey } from "./join";
import type { Row } from "./layout";
import type { Scale } from "./scale";

export interface TrackActions {
  change(change: Omit<ChangeTrack, "do">, label: string): void;
  remove(id: number, name: string): void;
}

export interface Shown {
  readonly scale: Scale;
  readonly selection: ReadonlySet<number>;
  readonly selectedJoin: { readonly before: number; readonly after: number } | null;
  readonly characters: readonly { readonly key: string; readonly name: string }[];
}

export class TrackElement {
  readonly row: HTMLElement;
  readonly head: HTMLElement;
  readonly lane: HTMLElement;
  private readonly name: HTMLInputElement;
  private readonly character = el("select", { class: "track-character" });
  private readonly problem = el("div", { class: "lane-problem", role: "status" });
  private readonly remove: HTMLButtonElement;
  private readonly clips = new Map<number, ClipElement>();
  private readonly joins = new Map<string, JoinElement>();
  private offered = "";
  private shown: Row | null = null;

  constructor(
    readonly id: number,
    private readonly actions: TrackActions,
  ) {
    this.name = el("input", { class: "track-name", type: "text", maxLength: 60, spellcheck: false });
    this.name.addEventListener("change", () => this.rename());
    this.name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.name.blur();
      if (event.key !== "Escape") return;
      this.name.value = this.shown?.name ?? "";
      this.name.blur();
    });
    this.character.addEventListener("change", () => {
      const chosen = this.character.selectedOptions[0]?.textContent ?? "";
      this.actions.change({ id, character: this.character.value }, `put ${this.shown?.name} on the body ${chosen}`);
    });
    this.remove = el(
      "button",
      { type: "button", class: "btn quiet icon-only small", on: { click: () => this.actions.remove(id, this.shown?.name ?? "") } },
      icon("M4 4l8 8", "M12 4l-8 8"),
    );
    this.head = el("div", { class: "tl-head" }, this.name, this.remove, this.character);
    this.lane = el("div", { class: "tl-lane", data: { track: String(id) } }, this.problem);
    this.row = el("div", { class: "tl-row" }, this.head, this.lane);
  }

  show(row: Row, shown: Shown): void {
    this.shown = row;
    if (document.activeElement !== this.name && this.name.value !== row.name) this.name.value = row.name;
    this.name.disabled = this.character.disabled = this.remove.disabled = row.track === null;
    this.name.setAttribute("aria-label", `Name of track ${row.name}`);
    this.name.title = "Rename";
    this.remove.setAttribute("aria-label", `Remove track ${row.name}`);
    this.remove.title = `Remove ${row.name} and its clips`;
    this.offerCharacters(shown.characters, row);
    setStyle(this.lane, "--levels", String(row.levels));
    setText(this.problem, row.problem ?? "");
    this.lane.classList.toggle("troubled", row.problem !== null);
    this.showClips(row, shown);
    this.showJoins(row, shown);
  }

  /** Shows a clip as the place where what is dragged will land; those that are only in the preview too. */
  land(id: number | null): void {
    for (const [one, clip] of this.clips) {
      const isNew = this.shown?.blocks.some((block) => block.id === one && block.placed === null) ?? false;
      clip.root.classList.toggle("landing", id !== null && (one === id || isNew));
    }
  }

  detach(): void {
    this.row.remove();
  }

  private rename(): void {
    const wanted = this.name.value.trim();
    if (!this.shown || wanted === this.shown.name) return;
    this.actions.change({ id: this.id, name: wanted }, `rename ${this.shown.name} to ${wanted || "nothing"}`);
  }

  private offerCharacters(characters: Shown["characters"], row: Row): void {
    const wanted = row.track?.character ?? "";
    const names = new Map([["", "first clip's body"], ...characters.map(({ key, name }) => [key, name] as const)]);
    if (!names.has(wanted)) names.set(wanted, wanted.split(/[\\/]/).pop() ?? wanted);
    const offered = JSON.stringify([...names]);
    if (this.offered !== offered) {
      this.offered = offered;
      this.character.replaceChildren(...[...names].map(([value, text]) => el("option", { value, text })));
    }
    if (this.character.value !== wanted) this.character.value = wanted;
    this.character.setAttribute("aria-label", `Character of track ${row.name}`);
    this.character.title = "The body this track is played on";
  }

  private showClips(row: Row, shown: Shown): void {
    const seen = new Set<number>();
    for (const block of row.blocks) {
      seen.add(block.id);
      let element = this.clips.get(block.id);
      if (!element) {
        element = new ClipElement(block.id);
        this.clips.set(block.id, element);
        this.lane.append(element.rest, element.root);
      }
      element.show(block, shown.scale, shown.selection.has(block.id), row.name);
      setStyle(element.root, "z-index", String(10 + Math.round(block.startS * 10)));
    }
    for (const [id, element] of this.clips) {
      if (seen.has(id)) continue;
      element.rest.remove();
      element.root.remove();
      this.clips.delete(id);
    }
  }

  private showJoins(row: Row, shown: Shown): void {
    const names = new Map(row.blocks.map((block) => [block.id, block.name]));
    const seen = new Set<string>();
    for (const join of row.joins) {
      const key = joinKey(join);
      if (seen.has(key)) continue;
      seen.add(key);
      let element = this.joins.get(key);
      if (!element) {
        element = new JoinElement(join.before, join.after);
        this.joins.set(key, element);
        this.lane.append(element.root);
      }
      const chosen = shown.selectedJoin !== null && joinKey(shown.selectedJoin) === key;
      const level = join.kind === "composition" ? (row.blocks.find((block) => block.id === join.after)?.level ?? 0) : 0;
      setStyle(element.root, "--level", String(level));
      element.show(join, namesOf(join, names), shown.scale, chosen);
    }
    for (const [key, element] of this.joins) {
      if (seen.has(key)) continue;
      element.root.remove();
      this.joins.delete(key);
    }
  }
}

function namesOf(join: JoinView, names: ReadonlyMap<number, string>): [string, string] {
  return [names.get(join.before) ?? "?", names.get(join.after) ?? "?"];
}
