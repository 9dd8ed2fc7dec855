// Markers on the ruler: moments somebody wants to find again. Click goes there, double-click renames, Delete takes away.

import { el, seconds, setStyle } from "../elements";
import type { TimeMarker } from "../messages";
import type { Store } from "../store";
import type { Actions } from "./actions";
import type { Scale } from "./scale";

const NEAR_S = 0.02; // of the playhead: the marker there is the one that is meant

export class Markers {
  readonly root = el("div", { class: "tl-flags" });
  private shown: readonly TimeMarker[] | null = null;

  constructor(private readonly store: Store, private readonly actions: Actions, private readonly scale: Scale) {
    store.watch("project", () => this.draw());
  }

  /** One at the playhead; where there is one already, it is taken away. */
  toggle(): void {
    const { playhead } = this.store.state;
    const there = this.all.find((marker) => Math.abs(marker.atS - playhead) < NEAR_S);
    if (there) this.remove(there);
    else this.send([...this.all, { atS: playhead, name: `${this.all.length + 1}` }], `add a marker at ${seconds(playhead)}`);
  }

  /** To the next marker, or the one before. */
  go(way: 1 | -1): boolean {
    const { playhead } = this.store.state;
    const times = this.all.map((marker) => marker.atS);
    const next = way > 0 ? times.find((t) => t > playhead + NEAR_S) : times.findLast((t) => t < playhead - NEAR_S);
    if (next === undefined) return false;
    this.store.set({ playing: false, playhead: next });
    return true;
  }

  draw(): void {
    if (this.shown !== this.all) {
      this.shown = this.all;
      this.root.replaceChildren(...this.all.map((marker) => this.flag(marker)));
    }
    this.all.forEach((marker, i) => setStyle(this.root.children[i] as HTMLElement, "transform", `translateX(${this.scale.x(marker.atS).toFixed(1)}px)`));
  }

  private get all(): readonly TimeMarker[] {
    return this.store.state.project?.document.markers ?? NONE;
  }

  private flag(marker: TimeMarker): HTMLElement {
    const label = `Marker ${marker.name || "without a name"} at ${seconds(marker.atS)}`;
    const flag = el("button", { class: "tl-flag", type: "button", text: marker.name || "·", label, title: `${label}: click goes there, double-click renames it, Delete takes it away` });
    flag.addEventListener("pointerdown", (event) => event.stopPropagation()); // it does not move the playhead
    flag.addEventListener("click", () => this.store.set({ playing: false, playhead: marker.atS }));
    flag.addEventListener("dblclick", () => this.rename(flag, marker));
    flag.addEventListener("keydown", (event) => {
      if (event.key !== "Delete" && event.key !== "Backspace") return;
      event.preventDefault();
      event.stopPropagation();
      this.remove(marker);
    });
    return flag;
  }

  private rename(flag: HTMLElement, marker: TimeMarker): void {
    const input = el("input", { class: "tl-flag-name", type: "text", value: marker.name ?? "", maxLength: 80, label: "Name of the marker" });
    const done = (keep: boolean): void => {
      const name = input.value.trim();
      this.shown = null;
      if (keep && name !== marker.name) this.send(this.all.map((one) => (one === marker ? { ...one, name } : one)), `call a marker ${name}`);
      else this.draw();
    };
    input.addEventListener("pointerdown", (event) => event.stopPropagation());
    input.addEventListener("blur", () => done(true), { once: true });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") input.value = marker.name ?? "";
      if (event.key === "Enter" || event.key === "Escape") input.blur();
    });
    flag.replaceWith(input);
    setStyle(input, "transform", `translateX(${this.scale.x(marker.atS).toFixed(1)}px)`);
    input.select();
  }

  private remove(marker: TimeMarker): void {
    this.send(this.all.filter((one) => one !== marker), `take the marker ${marker.name} away`);
  }

  private send(markers: readonly TimeMarker[], label: string): void {
    this.actions.edit({ do: "set_markers", markers }, label);
  }
}

const NONE: readonly TimeMarker[] = [];
