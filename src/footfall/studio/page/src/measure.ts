// What the page measures of itself, for the browser tests and the curious: window.__footfall.

export interface Measured {
  frames: number; // drawn so far
  lastDragMs: number[]; // pointer move to the stage redrawn, newest last
  previewMs: number[]; // of these, what the studio itself needed
  drawMs: number[]; // of the last frames
  blendMs: number[]; // handle of a blend space moved to the figure redrawn, newest last
  mapMs: number[]; // a map asked for to its first picture
  stage: unknown; // for the browser tests only
  lineup?: unknown; // the same
}

const KEPT = 600;
const sent = new Map<number, number>(); // serial of a drag -> time of its pointer event
export const measured: Measured = { frames: 0, lastDragMs: [], previewMs: [], drawMs: [], blendMs: [], mapMs: [], stage: null };

declare global {
  interface Window {
    __footfall: Measured;
  }
}
if (typeof window !== "undefined") window.__footfall = measured;

/** A drag goes out; `eventTime` is the pointer event's timeStamp. */
export function dragSent(serial: number, eventTime: number): void {
  sent.set(serial, eventTime);
  if (sent.size > KEPT) sent.delete(sent.keys().next().value!);
}

/** The stage has drawn the poses that answer a drag. */
export function dragDrawn(serial: number): void {
  const at = sent.get(serial);
  if (at === undefined) return;
  for (const older of [...sent.keys()]) if (older <= serial) sent.delete(older);
  push(measured.lastDragMs, performance.now() - at);
}

/** The studio has answered a drag. */
export function dragAnswered(tookMs: number): void {
  push(measured.previewMs, tookMs);
}

/** One picture was drawn. */
export function frameDrawn(tookMs: number): void {
  measured.frames += 1;
  push(measured.drawMs, tookMs);
}

export function push(list: number[], value: number): void {
  list.push(value);
  if (list.length > KEPT) list.splice(0, list.length - KEPT);
}
