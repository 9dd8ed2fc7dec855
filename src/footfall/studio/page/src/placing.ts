// Where a character begins on the floor: a ring under its first pose, dragged to move the whole track, its arrow to turn it.

import type { Connection } from "./connection";
import { STRIDE } from "./frames";
import { rolesOf } from "./stage/body";
import { TIP_M, type FloorPlace } from "./stage/place_mark";
import type { Stage } from "./stage/stage";
import type { State, Store } from "./store";
import { Previewer } from "./timeline/previewer";

const REACH_M = 0.34; // a hand so near to the ring's middle, or to the arrow's tip, takes it

/** Where a track begins: as it was placed, or as its first clip does. */
export function placeOf(state: Readonly<State>, track: number): FloorPlace | null {
  const placed = state.project?.document.tracks.find((one) => one.id === track)?.place;
  if (placed) return { x: placed[0], z: placed[1], headingDeg: placed[2] };
  const frame = state.poses.get(track);
  const body = state.skeletons.get(track);
  if (!frame || !body || frame.frames === 0) return null;
  const roles = rolesOf(body);
  const at = (role: string, axis: number): number => frame.poses[STRIDE * (roles.get(role) ?? 0) + axis] ?? 0;
  const left = [at("left thigh", 0) - at("right thigh", 0), at("left thigh", 2) - at("right thigh", 2)] as const;
  return { x: at("pelvis", 0), z: at("pelvis", 2), headingDeg: (Math.atan2(-left[1], left[0]) * 180) / Math.PI };
}

/** The track of the first selected clip. */
export function chosenTrack(state: Readonly<State>): number | null {
  const tracks = state.project?.document.tracks ?? [];
  return tracks.find((track) => track.clips.some((clip) => state.selection.has(clip.id)))?.id ?? null;
}

export function mountPlacing(store: Store, connection: Connection, stage: Stage): void {
  const previewer = new Previewer(store, connection, (text) => text && store.problem("stage", text));
  const room = stage.element.parentElement ?? stage.element;
  let held: { track: number; turns: boolean; from: FloorPlace; now: FloorPlace; offX: number; offZ: number } | null = null;

  const show = (): void => {
    const { tab, audition, playing } = store.state;
    const track = tab === "arrange" && audition === null && !playing ? chosenTrack(store.state) : null;
    stage.place.set(held ? held.now : track === null ? null : placeOf(store.state, track));
  };
  store.watch(["selection", "tab", "project", "poses", "audition", "playing"], show);

  const letGo = (): void => {
    held = null;
    stage.setFollow(store.state.follow);
    show();
  };
  const change = () => ({ do: "place_track", id: held!.track, place: [held!.now.x, held!.now.z, held!.now.headingDeg] } as const);
  room.addEventListener("pointerdown", (event) => {
    const at = stage.place.shown && stage.floorPoint(event.clientX, event.clientY);
    const track = chosenTrack(store.state);
    if (event.button !== 0 || !at || track === null || !stage.place.shown) return;
    const from = stage.place.shown;
    const heading = (from.headingDeg * Math.PI) / 180;
    const turns = Math.hypot(at.x - from.x - TIP_M * Math.sin(heading), at.z - from.z - TIP_M * Math.cos(heading)) < REACH_M;
    if (!turns && Math.hypot(at.x - from.x, at.z - from.z) > REACH_M) return;
    event.stopPropagation(); // the camera stays
    event.preventDefault();
    stage.element.setPointerCapture(event.pointerId);
    held = { track, turns, from, now: from, offX: from.x - at.x, offZ: from.z - at.z };
    stage.setFollow(false); // a camera that came along would draw the floor away under the hand
    previewer.begin();
  }, { capture: true });
  room.addEventListener("pointermove", (event) => {
    if (!held) return;
    event.stopPropagation();
    const at = stage.floorPoint(event.clientX, event.clientY);
    if (!at) return;
    held.now = held.turns
      ? { ...held.from, headingDeg: (Math.atan2(at.x - held.from.x, at.z - held.from.z) * 180) / Math.PI }
      : { ...held.from, x: at.x + held.offX, z: at.z + held.offZ };
    show();
    previewer.ask(change(), event.timeStamp);
  }, { capture: true });
  room.addEventListener("pointerup", (event) => {
    if (!held) return;
    event.stopPropagation();
    if (held.now === held.from) previewer.cancel();
    else previewer.commit(change(), held.turns ? "turn the character" : "place the character");
    letGo();
  }, { capture: true });
  addEventListener("keydown", (event) => {
    if (!held || event.key !== "Escape") return;
    event.stopImmediatePropagation();
    previewer.cancel();
    letGo();
  }, { capture: true });
}
