// Shortcuts: one table of what keys do. It drives the keyboard, the tooltips and the sheet behind `?`.

import { el, isTyping } from "./elements";

interface Shortcut {
  readonly keys: readonly string[]; // as in "Ctrl+Shift+Z": modifiers in this order, then event.key or event.code
  readonly label: string;
  readonly group: "Play" | "Edit" | "Project" | "View";
}

export const SHORTCUTS = {
  play: { keys: ["Space"], label: "Play or pause", group: "Play" },
  stepBack: { keys: ["ArrowLeft"], label: "One frame back", group: "Play" },
  stepOn: { keys: ["ArrowRight"], label: "One frame on", group: "Play" },
  secondBack: { keys: ["Shift+ArrowLeft"], label: "One second back", group: "Play" },
  secondOn: { keys: ["Shift+ArrowRight"], label: "One second on", group: "Play" },
  toStart: { keys: ["Home"], label: "To the beginning", group: "Play" },
  toEnd: { keys: ["End"], label: "To the end", group: "Play" },
  reverse: { keys: ["J"], label: "Play backwards, again: faster", group: "Play" },
  stop: { keys: ["K"], label: "Stop", group: "Play" },
  forward: { keys: ["L"], label: "Play, again: faster", group: "Play" },
  loop: { keys: ["Shift+L"], label: "Loop on or off", group: "Play" },
  contactOn: { keys: ["ArrowDown"], label: "To the next foot that lands or lifts", group: "Play" },
  contactBack: { keys: ["ArrowUp"], label: "To the foot before that landed or lifted", group: "Play" },
  rangeIn: { keys: ["["], label: "Loop from here", group: "Play" },
  rangeOut: { keys: ["]"], label: "Loop up to here", group: "Play" },
  rangeOff: { keys: ["}"], label: "Loop all again", group: "Play" },
  markerOn: { keys: ["."], label: "To the next marker", group: "Play" },
  markerBack: { keys: [","], label: "To the marker before", group: "Play" },
  undo: { keys: ["Ctrl+Z"], label: "Undo", group: "Edit" },
  redo: { keys: ["Ctrl+Y", "Ctrl+Shift+Z"], label: "Redo", group: "Edit" },
  remove: { keys: ["Delete", "Backspace"], label: "Delete the selected clips", group: "Edit" },
  removeRipple: { keys: ["Shift+Delete", "Shift+Backspace"], label: "Delete, and close the gap", group: "Edit" },
  split: { keys: ["S"], label: "Split at the playhead", group: "Edit" },
  ripple: { keys: ["R"], label: "Ripple on or off: later clips move along", group: "Edit" },
  marker: { keys: ["Shift+M"], label: "Marker at the playhead on or off", group: "Edit" },
  duplicate: { keys: ["Ctrl+D"], label: "Duplicate the selected clip", group: "Edit" },
  mirror: { keys: ["M"], label: "Mirror the selected clip", group: "Edit" },
  selectAll: { keys: ["Ctrl+A"], label: "Select every clip", group: "Edit" },
  setIn: { keys: ["I"], label: "Preview: it begins here", group: "Edit" },
  setOut: { keys: ["O"], label: "Preview: it ends here", group: "Edit" },
  cancel: { keys: ["Escape"], label: "Cancel a drag, close a menu, select nothing", group: "Edit" },
  save: { keys: ["Ctrl+S"], label: "Save", group: "Project" },
  open: { keys: ["Ctrl+O"], label: "Open", group: "Project" },
  exportTake: { keys: ["Ctrl+E"], label: "Export", group: "Project" },
  demo: { keys: ["D"], label: "The demo timeline", group: "Project" },
  search: { keys: ["/"], label: "Search clips", group: "View" },
  follow: { keys: ["F"], label: "Camera follows or stays", group: "View" },
  footprints: { keys: ["P"], label: "Footprints on or off", group: "View" },
  trails: { keys: ["T"], label: "Trails on or off", group: "View" },
  ghosts: { keys: ["G"], label: "Ghosts at joins on or off", group: "View" },
  resetView: { keys: ["0"], label: "Camera back to where it was", group: "View" },
  zoomIn: { keys: ["+", "="], label: "Zoom the timeline in", group: "View" },
  zoomOut: { keys: ["-"], label: "Zoom the timeline out", group: "View" },
  zoomSelection: { keys: ["Shift+F"], label: "Fit what is selected to the window", group: "View" },
  zoomFit: { keys: ["\\"], label: "Fit the timeline to the window", group: "View" },
  arrange: { keys: ["1"], label: "Arrange", group: "View" },
  live: { keys: ["2"], label: "Live", group: "View" },
  blend: { keys: ["3"], label: "Blend space", group: "View" },
  joins: { keys: ["4"], label: "Joins", group: "View" },
  help: { keys: ["?"], label: "Shortcuts", group: "View" },
} as const satisfies Record<string, Shortcut>;

export type Action = keyof typeof SHORTCUTS;

const NAMES: Record<string, string> = {
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", Delete: "Del", Backspace: "⌫",
};
const bound = new Map<Action, (event?: KeyboardEvent) => boolean | void>();

/** Says what an action does; a function that returns false leaves the key to the browser. */
export function bind(action: Action, run: (event?: KeyboardEvent) => boolean | void): void {
  bound.set(action, run);
}

/** Does an action, as a button would. */
export function act(action: Action): void {
  bound.get(action)?.();
}

/** A tooltip: "Undo (Ctrl+Z)"; another text in place of the label if given. */
export function tip(action: Action, text: string = SHORTCUTS[action].label): string {
  return `${text} (${SHORTCUTS[action].keys.map(shown).join(", ")})`;
}

/** Starts listening; keys typed into fields stay theirs. A veto keeps all keys to itself (the live tab steers by them). */
export function listen(veto: (event: KeyboardEvent) => boolean): void {
  const byKeys = new Map<string, Action>();
  for (const [action, { keys }] of Object.entries(SHORTCUTS)) {
    for (const key of keys) byKeys.set(key.toLowerCase(), action as Action);
  }
  watchFocus();
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || typing(event) || veto(event)) return;
    const action = byKeys.get(pressed(event).toLowerCase());
    if (document.querySelector("dialog[open]") && action !== "help") return; // Esc and Tab are the dialog's own
    const run = action && bound.get(action);
    if (run && run(event) !== false) event.preventDefault();
  });
}

/** The list of all shortcuts, by group. */
export function sheet(): HTMLElement {
  const groups = [...new Set(Object.values(SHORTCUTS).map((s) => s.group))];
  return el("div", { class: "sheet-columns" }, ...groups.map((group) => {
    const rows = Object.values(SHORTCUTS).filter((s) => s.group === group).map((s) =>
      el("div", { class: "sheet-row" },
        el("span", {}, s.label),
        el("span", { class: "sheet-keys" }, ...s.keys.map((key) => el("kbd", {}, shown(key))))),
    );
    return el("section", {}, el("h3", {}, group), ...rows);
  }));
}

function shown(keys: string): string {
  return keys.split("+").map((key) => NAMES[key] ?? key).join("+");
}

function pressed(event: KeyboardEvent): string {
  const key = event.code === "Space" ? "Space" : event.key;
  const shifted = event.shiftKey && (key.length > 1 || /[a-z]/i.test(key)); // "?" already says it was shifted
  return `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${shifted ? "Shift+" : ""}${key}`;
}

function typing(event: KeyboardEvent): boolean {
  if (isTyping(event.target)) return true;
  const at = event.target as HTMLElement; // Space presses a button that was reached by keys; after a click it plays
  return event.code === "Space" && reachedByKeys && at.matches("button, summary, [role=button]") && !at.closest("[data-transport]");
}

let reachedByKeys = false; // whether what has the focus got it by the keyboard

function watchFocus(): void {
  let keys = false;
  addEventListener("keydown", () => (keys = true), true);
  addEventListener("pointerdown", () => (keys = reachedByKeys = false), true);
  addEventListener("focusin", () => (reachedByKeys = keys), true);
  addEventListener("keyup", (event) => {
    const at = event.target as HTMLElement; // browsers press a button when Space is let go
    if (event.code === "Space" && !reachedByKeys && at.matches?.("button, summary")) event.preventDefault();
  });
}
