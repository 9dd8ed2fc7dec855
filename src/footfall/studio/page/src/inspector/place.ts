// Where the clip's character begins on the floor, as numbers beside the ring on the stage.

import { el } from "../elements";
import { placeOf } from "../placing";
import type { Store } from "../store";
import type { Actions } from "../timeline/actions";
import { button, numberField, row, section } from "./parts";

const FARTHEST_M = 1000;

export function placeSection(store: Store, actions: Actions, clip: number): Node {
  const track = store.state.project?.document.tracks.find((one) => one.clips.some((each) => each.id === clip));
  const at = track && placeOf(store.state, track.id);
  if (!track || !at) return el("span", { hidden: true });
  const send = (x: number, z: number, heading: number, label: string): void =>
    actions.edit({ do: "place_track", id: track.id, place: [x, z, heading] }, label);
  const field = (label: string, value: number, most: number, unit: string, change: (value: number) => void): HTMLElement =>
    numberField({ label, value, min: -most, max: most, step: unit === "m" ? 0.1 : 5, unit, title: `${label}; or drag the ring on the stage`, change });
  return section("Character begins",
    row("Across", field("Begins at x", at.x, FARTHEST_M, "m", (x) => send(x, at.z, at.headingDeg, "place the character"))),
    row("Along", field("Begins at z", at.z, FARTHEST_M, "m", (z) => send(at.x, z, at.headingDeg, "place the character"))),
    row("Facing", field("Begins facing", at.headingDeg, 360, "°", (heading) => send(at.x, at.z, heading, "turn the character")),
      track.place ? button("As its clip", "Begin where the first clip does", () => actions.edit({ do: "place_track", id: track.id, place: null }, "unplace the character"), "btn quiet") : el("span")));
}
