// Two characters who meet at a marker: chosen, and placed by one button.

import { el } from "../elements";
import type { DocumentTrack } from "../messages";
import type { Store } from "../store";
import type { Actions } from "../timeline/actions";
import { button, row, section } from "./parts";

export function meetingSection(store: Store, actions: Actions): Node[] {
  const { tracks, markers } = store.state.project?.document ?? { tracks: [], markers: [] };
  const busy = tracks.filter((track) => track.clips.length > 0);
  if (busy.length < 2) return [];
  if (markers.length === 0) {
    return [section("Meeting", el("p", { class: "muted", text: "Press Shift + M for a marker where two characters shall meet." }))];
  }
  const nameOf = (track: DocumentTrack): string => track.name || `track ${track.id}`;
  const choice = (label: string, options: readonly (readonly [string, string])[], chosen: number): HTMLSelectElement => {
    const made = el("select", { class: "field", label, title: label }, ...options.map(([value, text]) => el("option", { value, text })));
    made.selectedIndex = chosen;
    return made;
  };
  const who = busy.map((track) => [String(track.id), nameOf(track)] as const);
  const first = choice("Who is met", who, 0);
  const second = choice("Who comes", who, 1);
  const at = choice("Marker to meet at", markers.map((marker) => [String(marker.atS), `${marker.name || "marker"}, ${marker.atS.toFixed(1)} s`] as const), 0);
  const meet = (): void =>
    actions.edit({ do: "meet_tracks", first: Number(first.value), second: Number(second.value), atS: Number(at.value) },
      `let ${second.selectedOptions[0]?.textContent} meet ${first.selectedOptions[0]?.textContent}`);
  return [section("Meeting", row("Stays", first), row("Comes", second), row("At", at),
    button("Meet there", "Place the one who comes so that both face each other at the marker; who would be too early or too late is moved in time", meet))];
}
