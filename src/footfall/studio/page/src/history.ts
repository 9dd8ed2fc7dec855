// Undo and redo: two buttons that say what they would take back or do again.

import type { Connection } from "./connection";
import { el, icon, setLabel } from "./elements";
import { bind, tip } from "./keys";
import type { Store } from "./store";

export function mountHistory(host: HTMLElement, store: Store, connection: Connection): void {
  const undo = (): boolean => {
    if (store.state.project?.undo == null) return false;
    connection.send({ type: "undo" });
    return true;
  };
  const redo = (): boolean => {
    if (store.state.project?.redo == null) return false;
    connection.send({ type: "redo" });
    return true;
  };
  bind("undo", undo);
  bind("redo", redo);
  const quiet = { class: "btn quiet icon-only", type: "button" } as const;
  const back = el("button", { ...quiet, on: { click: undo } }, icon("M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6", "M6 3.5l-3 3 3 3"));
  const again = el("button", { ...quiet, on: { click: redo } }, icon("M13 6.5H6.5a3.5 3.5 0 0 0 0 7H10", "M10 3.5l3 3-3 3"));
  host.append(back, again);
  store.watch("project", ({ project }) => {
    back.disabled = project?.undo == null;
    again.disabled = project?.redo == null;
    setLabel(back, "Undo", tip("undo", project?.undo ? `Undo: ${project.undo}` : "Nothing to undo"));
    setLabel(again, "Redo", tip("redo", project?.redo ? `Redo: ${project.redo}` : "Nothing to redo"));
  });
}
