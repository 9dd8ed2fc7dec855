// The inspector: the take, a clip or a join, whatever is selected; every number in it can be changed and undone.

import "./inspector.css";
import type { Connection } from "./connection";
import { el } from "./elements";
import { clipPanel, clipsPanel } from "./inspector/clip";
import { joinPanel } from "./inspector/join";
import { takePanel } from "./inspector/take";
import type { Preview, Take } from "./messages";
import type { State, Store } from "./store";
import type { Actions } from "./timeline/actions";
import { findPlaced } from "./timeline/layout";

const CALM_MS = 250; // figures that change faster cannot be read, and drawing them costs the drag its pace

export function mountInspector(host: HTMLElement, store: Store, _connection: Connection, actions: Actions): void {
  const body = el("div", { class: "inspect", label: "Inspector", role: "region" });
  host.append(body);
  let asked = 0;
  let drawn = "";
  let calmMs = 0; // while something is dragged, not again before this

  const draw = (): void => {
    asked = 0;
    if (isBeingTyped(body)) return;
    const now = performance.now();
    if (store.state.preview && now < calmMs) {
      setTimeout(redraw, calmMs - now);
      return;
    }
    calmMs = now + CALM_MS;
    const wanted = signature(store.state);
    if (wanted === drawn) return;
    drawn = wanted;
    const focused = body.contains(document.activeElement) ? document.activeElement?.getAttribute("aria-label") : null;
    body.replaceChildren(...panel(store, actions));
    if (focused) body.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  };
  const redraw = (): void => {
    asked ||= requestAnimationFrame(draw);
  };
  body.addEventListener("focusout", redraw);
  store.subscribe(["project", "take", "preview", "selection", "selectedJoin", "library", "welcome"], redraw);
  draw();
}

/** Half a number in a field must not be thrown away because an answer came. */
function isBeingTyped(body: HTMLElement): boolean {
  const at = document.activeElement;
  return at instanceof HTMLInputElement && body.contains(at) && at.type === "number" && at.value !== at.defaultValue;
}

function shown(state: Readonly<State>): Take | Preview | null {
  return state.preview ?? state.take;
}

/** What the panel depends on: the same text, the same panel. */
function signature(state: Readonly<State>): string {
  const { selection, selectedJoin, project, library, welcome } = state;
  const views = shown(state)?.tracks.map((track) => [track.clips.map((clip) => ({ ...clip, phases: 0 })), track.joins]);
  return JSON.stringify([[...selection], selectedJoin, project?.document, views, library.length, welcome?.methods.length]);
}

function panel(store: Store, actions: Actions): Node[] {
  const { selection, selectedJoin, project } = store.state;
  const take = shown(store.state);
  const tracks = take?.tracks ?? [];
  if (selectedJoin && project) {
    for (const track of tracks) {
      const join = track.joins.find((one) => one.before === selectedJoin.before && one.after === selectedJoin.after);
      if (join) return joinPanel(store, actions, join, track, findPlaced(project.document, join.after)?.clip ?? null);
    }
  }
  if (selection.size > 1) return clipsPanel(actions, selection.size);
  const [id] = selection;
  const placed = id !== undefined && project ? findPlaced(project.document, id) : null;
  if (placed) {
    const view = tracks.flatMap((track) => track.clips).find((clip) => clip.id === id);
    return clipPanel(store, actions, placed.clip, view ?? null);
  }
  return takePanel(store, actions, tracks, take?.durationS ?? 0);
}
