// The line above the tracks: what can be done with the selected clips, adding a track, and the zoom.

import { bin, el, icon, setText } from "../elements";
import { act, bind, tip } from "../keys";
import type { Store } from "../store";
import type { Actions } from "./actions";

interface View {
  zoom(by: number): void;
  fit(): void;
}

const ZOOM = 1.35;

export class Bar {
  readonly root = el("div", { class: "tl-bar", role: "toolbar", label: "Timeline" });
  private readonly refusal = el("span", { class: "tl-refusal", role: "status" });
  private readonly onSelection: HTMLButtonElement[] = [];

  constructor(
    private readonly store: Store,
    actions: Actions,
    view: View,
  ) {
    const chosen = (): number[] => [...store.state.selection];
    const clipButtons = [
      button("Duplicate", tip("duplicate"), icon("M5.5 5.5h8v8h-8z", "M10.5 2.5h-8v8"), () => actions.duplicateSelected()),
      button("Delete", tip("remove"), bin(), () => actions.removeSelected()),
      button("Delete and close the gap", tip("removeRipple"), icon("M2 4v8", "M14 4v8", "M6.5 8h-3M5 6.5L3.5 8 5 9.5", "M9.5 8h3M11 6.5L12.5 8 11 9.5"), () => actions.removeSelected(true)),
      button("Mirror", tip("mirror"), icon("M8 2v12", "M6 4.5L2 12h4z", "M10 4.5L14 12h-4z"), () => actions.mirrorSelected()),
      button(
        "As soon as possible",
        "Play the selected clip as soon as possible after the one before (double-click)",
        icon("M2 3.5v9", "M13.5 8H5", "M8 5L5 8l3 3"),
        () => chosen().forEach((id) => actions.asSoonAsPossible(id)),
      ),
    ];
    this.onSelection.push(...clipButtons);
    const add = el(
      "button",
      { class: "btn quiet", type: "button", label: "Add track", title: "Another character" },
      icon("M8 3v10", "M3 8h10"),
      "Track",
    );
    add.addEventListener("click", () => actions.edit({ do: "add_track" }, "add a track"));
    bind("zoomIn", () => view.zoom(ZOOM));
    bind("zoomOut", () => view.zoom(1 / ZOOM));
    bind("zoomFit", () => view.fit());
    const split = button("Split", tip("split"), icon("M8 2v12", "M2.5 5h3v6h-3z", "M10.5 5h3v6h-3z"), () => act("split"));
    const ripple = button("Ripple", tip("ripple"), icon("M2 8h9", "M8.5 5L11.5 8l-3 3", "M14 4v8"), () => act("ripple"));
    const marker = button("Marker", tip("marker"), icon("M4 14V2.5h8L10 5.5l2 3H4"), () => act("marker"));
    const all = button("Loop all again", tip("rangeOff"), icon("M3 4v8", "M13 4v8", "M5.5 6l5 4", "M10.5 6l-5 4"), () => act("rangeOff"));
    store.watch("ripple", (state) => ripple.setAttribute("aria-pressed", String(state.ripple)));
    store.watch("range", (state) => (all.hidden = state.range === null));
    this.root.append(
      el("span", { class: "tl-title", text: "Timeline" }),
      el("div", { class: "tl-group" }, ...clipButtons),
      el("div", { class: "tl-group" }, split, ripple, marker, all),
      add,
      this.refusal,
      el("span", { class: "spring" }),
      legend(),
      el(
        "div",
        { class: "tl-group" },
        button("Zoom out", tip("zoomOut"), icon("M3 8h10"), () => view.zoom(1 / ZOOM)),
        button("Zoom in", tip("zoomIn"), icon("M8 3v10", "M3 8h10"), () => view.zoom(ZOOM)),
        button("Fit to window", tip("zoomFit"), icon("M2 4v8", "M14 4v8", "M4.5 8h7", "M6 6L4.5 8 6 10", "M10 6l1.5 2L10 10"), () => view.fit()),
      ),
    );
  }

  show(refusal: string): void {
    const none = this.store.state.selection.size === 0;
    for (const one of this.onSelection) one.disabled = none;
    setText(this.refusal, refusal);
  }
}

function button(label: string, title: string, picture: SVGElement, run: () => void): HTMLButtonElement {
  const props = { class: "btn quiet icon-only", type: "button", label, title, on: { click: run } } as const;
  return el("button", props, picture);
}

/** What the colours of the phase bars mean. */
function legend(): HTMLElement {
  const one = (phase: string, text: string): HTMLElement =>
    el("span", { class: "legend-one" }, el("i", { class: `swatch phase-${phase}` }), text);
  return el(
    "span",
    { class: "legend", title: "Which feet stand, shown in every clip" },
    one("LS", "left"),
    one("RS", "right"),
    one("DS", "both"),
    one("NS", "none"),
    el("button", { class: "btn quiet", type: "button", text: "Legend", title: tip("help", "What letters, colours and patterns mean"), on: { click: () => act("help") } }),
  );
}
