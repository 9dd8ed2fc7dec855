// Tools of the floor, over the stage: a walk drawn with the pointer, and the ground that everybody walks on.

import type { Connection } from "./connection";
import { el, setText } from "./elements";
import { chosenTrack } from "./placing";
import type { Stage } from "./stage/stage";
import type { State, Store } from "./store";
import type { Actions } from "./timeline/actions";

const LEAST_M = 0.04; // between two points of a line
const GAITS: readonly (readonly [name: string, motion: string, speed: number])[] = [
  ["walk", "walk", 1.3], ["slow walk", "walk", 0.9], ["brisk walk", "walk", 1.7], ["run", "run", 3],
];

export function mountFloorTools(host: HTMLElement, store: Store, connection: Connection, actions: Actions, stage: Stage): void {
  const draw = el("button", { class: "btn", type: "button", text: "Draw a walk", title: "Draw a line on the floor; the selected track's character, or a new one, walks along it" });
  const gait = el("select", { class: "field", label: "Gait of the drawn walk", title: "How the line is walked" }, ...GAITS.map(([name]) => el("option", { value: name, text: name })));
  const ground = el("select", { class: "field", label: "Ground of the take", title: "What all characters walk on; stairs and slopes are laid before the first of them" });
  const said = el("span", { class: "muted", role: "status" });
  host.append(el("div", { class: "floor-tools", role: "toolbar", label: "Floor" }, draw, gait, ground, said));

  store.watch(["grounds", "project"], ({ grounds, project }) => {
    const now = project?.document.ground ?? "";
    const known = grounds.find(({ key }) => key === now || (key !== "" && now.startsWith(`${key}~`)));
    const choices = known || now === "" ? grounds : [...grounds, { key: now, name: now.split("~")[0]! }];
    ground.replaceChildren(...choices.map(({ key, name }) => el("option", { value: key, text: name })));
    ground.value = known?.key ?? now;
  });
  ground.addEventListener("change", () => {
    const name = ground.selectedOptions[0]?.textContent ?? "";
    actions.edit({ do: "set_ground", ground: ground.value }, `walk on ${name}`);
  });
  connection.on("take_ground", ({ shape }) => stage.setGround("arranged", shape));

  let drawing = false; // it waits for the pointer
  let points: (readonly [number, number])[] | null = null;
  const room = stage.element.parentElement ?? stage.element;
  const set = (on: boolean): void => {
    drawing = on;
    points = null;
    stage.drawn.clear();
    draw.setAttribute("aria-pressed", String(on));
    draw.classList.toggle("primary", on);
    room.classList.toggle("draws", on);
    setText(said, on ? "Press on the floor and draw; Esc ends" : "");
    stage.setFollow(!on && store.state.follow); // a camera that came along would draw the floor away under the hand
    if (on) store.set({ playing: false, audition: null });
    stage.invalidate();
  };
  const add = (event: PointerEvent): void => {
    const at = stage.floorPoint(event.clientX, event.clientY);
    const last = points?.at(-1);
    if (!at || !points || (last && Math.hypot(at.x - last[0], at.z - last[1]) < LEAST_M)) return;
    points.push([at.x, at.z]);
    stage.drawn.add(at.x, at.z, at.y);
    stage.invalidate();
  };
  draw.addEventListener("click", () => set(!drawing));
  store.subscribe("tab", () => drawing && set(false));
  room.addEventListener("pointerdown", (event) => {
    if (!drawing || event.button !== 0) return;
    event.stopPropagation(); // the camera and the ring stay
    event.preventDefault();
    stage.element.setPointerCapture(event.pointerId);
    points = [];
    stage.drawn.clear();
    add(event);
  }, { capture: true });
  room.addEventListener("pointermove", (event) => {
    if (!points) return;
    event.stopPropagation();
    add(event);
  }, { capture: true });
  room.addEventListener("pointerup", (event) => {
    if (!points) return;
    event.stopPropagation();
    const line = points;
    set(false);
    if (line.length < 2) return;
    const [, motion, speed] = GAITS.find(([name]) => name === gait.value) ?? GAITS[0]!;
    connection.send({ type: "draw_walk", points: line, motion, speed, track: trackToWalk(store.state) });
    actions.expectNew();
    setText(said, "Making the walk…");
    const end = store.subscribe(["project", "problems"], () => {
      end();
      setText(said, "");
    });
  }, { capture: true });
  addEventListener("keydown", (event) => {
    if (!drawing || event.key !== "Escape") return;
    event.stopImmediatePropagation();
    set(false);
  }, { capture: true });
}

/** The track of what is selected, else one that has nothing to do yet, else a new one. */
function trackToWalk(state: Readonly<State>): number | null {
  return chosenTrack(state) ?? state.project?.document.tracks.find((track) => track.clips.length === 0)?.id ?? null;
}
