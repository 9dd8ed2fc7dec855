// Shoving the steered character by the mouse: pressed on its body, drawn out, let go. The longer the line the harder.

import { svg } from "../elements";
import type { Stage } from "../stage/stage";

const PER_M = 2.2; // m/s of a shove for each metre that was drawn on the floor; by eye
const MOST = 4; // m/s
const LEAST = 0.4; // m/s: a click is none

/** `shoved` gets m/s in the world. The result ends it. */
export function listenForShoves(stage: Stage, host: HTMLElement, shoved: (x: number, z: number) => void): () => void {
  const ends = new AbortController();
  const line = svg("line", { class: "shove-line" });
  const drawn = svg("svg", { class: "shove", "aria-hidden": "true" }, line);
  const room = stage.element.parentElement ?? stage.element;
  let from: { x: number; z: number } | null = null;
  const draw = (event: PointerEvent, first: boolean): void => {
    const box = stage.element.getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    if (first) for (const [name, value] of [["x1", at.x], ["y1", at.y]] as const) line.setAttribute(name, String(value));
    for (const [name, value] of [["x2", at.x], ["y2", at.y]] as const) line.setAttribute(name, String(value));
  };
  room.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !stage.touchesLive(event.clientX, event.clientY)) return;
    from = stage.floorPoint(event.clientX, event.clientY);
    if (!from) return;
    event.stopPropagation(); // the camera stays
    event.preventDefault();
    stage.element.setPointerCapture(event.pointerId);
    draw(event, true);
    host.append(drawn);
  }, { signal: ends.signal, capture: true });
  room.addEventListener("pointermove", (event) => {
    if (!from) return;
    event.stopPropagation();
    draw(event, false);
  }, { signal: ends.signal, capture: true });
  room.addEventListener("pointerup", (event) => {
    if (!from) return;
    event.stopPropagation();
    const to = stage.floorPoint(event.clientX, event.clientY);
    drawn.remove();
    const begun = from;
    from = null;
    if (!to) return;
    const [x, z] = [PER_M * (to.x - begun.x), PER_M * (to.z - begun.z)];
    const hard = Math.hypot(x, z);
    if (hard < LEAST) return;
    const scale = Math.min(MOST / hard, 1);
    shoved(scale * x, scale * z);
  }, { signal: ends.signal, capture: true });
  return () => {
    ends.abort();
    drawn.remove();
  };
}
