// What lies where on the timeline: the document's clips, with where the plan (or the preview of a drag) has put them.

import type {
  Document,
  DocumentTrack,
  JoinView,
  LibraryItem,
  PhaseSpan,
  PlacedClip,
  TrackView,
  ClipView,
} from "../messages";

export interface Block {
  readonly id: number;
  readonly track: number;
  readonly placed: PlacedClip | null; // null: only in the preview so far
  readonly name: string;
  readonly startS: number;
  readonly endS: number;
  readonly composed: boolean;
  readonly phases: readonly PhaseSpan[];
  readonly sourceS: number;
  readonly planned: boolean; // false: not joined yet, or not possible
  readonly plays: Plays;
  readonly level: number; // of clips laid over others at the same time: how far down
}

/** What of a clip is seen, in seconds of the timeline: it comes in until `whole`, and goes from `going` on. */
export interface Plays {
  readonly fromS: number;
  readonly wholeS: number;
  readonly goingS: number;
  readonly toS: number;
  readonly leftOut: boolean; // nothing of it: the next clip begins before it could be entered
}

export interface Row {
  readonly id: number;
  readonly track: DocumentTrack | null; // null: a track that a drop would make
  readonly name: string;
  readonly problem: string | null;
  readonly blocks: readonly Block[];
  readonly joins: readonly JoinView[];
  readonly levels: number; // of clips laid over the others
}

type Find = (key: string) => LibraryItem | undefined;

export function trackName(track: DocumentTrack, index: number): string {
  return track.name || `Character ${index + 1}`;
}

export function layout(document: Document, views: readonly TrackView[], find: Find): Row[] {
  const byTrack = new Map(views.map((view) => [view.id, view]));
  const shownOn = new Map<number, number>(); // a clip that is dragged to another track is shown there
  for (const view of views) for (const clip of view.clips) shownOn.set(clip.id, view.id);
  const placedById = new Map<number, PlacedClip>();
  for (const track of document.tracks) for (const clip of track.clips) placedById.set(clip.id, clip);
  const rows = document.tracks.map((track, index) => {
    const view = byTrack.get(track.id);
    byTrack.delete(track.id);
    const missing = track.clips.filter((clip) => !shownOn.has(clip.id));
    const planned = (view?.clips ?? []).map((clip) => plannedBlock(clip, track.id, placedById.get(clip.id) ?? null));
    const blocks = [...planned, ...guessed(missing, track.id, planned, find)];
    return row(track.id, track, trackName(track, index), view, blocks);
  });
  for (const view of byTrack.values()) {
    if (!view.clips.some((clip) => !placedById.has(clip.id))) continue; // a track that was taken away
    const blocks = view.clips.map((clip) => plannedBlock(clip, view.id, placedById.get(clip.id) ?? null));
    rows.push(row(view.id, null, "New character", view, blocks));
  }
  return rows;
}

function row(
  id: number,
  track: DocumentTrack | null,
  name: string,
  view: TrackView | undefined,
  blocks: Block[],
): Row {
  const ids = new Set(blocks.map((block) => block.id));
  const joins = (view?.joins ?? []).filter((join) => ids.has(join.before) && ids.has(join.after));
  const shown = levelled(blocks.map((block) => ({ ...block, plays: playsOf(block, blocks, joins) })));
  const levels = Math.max(0, ...shown.map((block) => (block.composed ? block.level + 1 : 0)));
  return { id, track, name, problem: view?.problem ?? null, blocks: shown, joins, levels };
}

/** A join takes the clip before it out, and brings the one after it in. */
function playsOf(block: Block, blocks: readonly Block[], joins: readonly JoinView[]): Plays {
  const whole = wholly(block.startS, block.endS);
  if (block.composed || !block.planned) return whole;
  const row = joins.filter((join) => join.kind !== "composition");
  const into = row.find((join) => join.after === block.id);
  const out = row.find((join) => join.before === block.id);
  if (!into && !out) {
    const others = blocks.some((other) => other !== block && other.planned && !other.composed);
    return { ...whole, leftOut: others && row.length > 0 };
  }
  const inside = (timeS: number): number => Math.min(Math.max(timeS, block.startS), block.endS);
  const fromS = into ? inside(into.startS) : block.startS;
  const wholeS = into ? Math.max(inside(into.endS), fromS) : fromS;
  const goingS = Math.max(out ? inside(out.startS) : block.endS, wholeS);
  const toS = Math.max(out ? inside(out.endS) : block.endS, goingS);
  return { fromS, wholeS, goingS, toS, leftOut: false };
}

export function wholly(startS: number, endS: number): Plays {
  return { fromS: startS, wholeS: startS, goingS: endS, toS: endS, leftOut: false };
}

/** Clips that are laid over others at the same time lie below each other, so that each can be seen. */
function levelled(blocks: Block[]): Block[] {
  const ends: number[] = [];
  const levels = new Map<number, number>();
  for (const block of blocks.filter((one) => one.composed).sort((a, b) => a.startS - b.startS)) {
    const free = ends.findIndex((endS) => endS <= block.startS + 1e-3);
    const level = free < 0 ? ends.length : free;
    ends[level] = block.endS;
    levels.set(block.id, level);
  }
  return blocks.map((block) => ({ ...block, level: levels.get(block.id) ?? 0 }));
}

/** Clips called as the library calls them, also after one was renamed. */
export function named<T extends { readonly tracks: readonly TrackView[] }>(
  made: T, document: Document | null, library: readonly LibraryItem[],
): T {
  const names = new Map(library.map((item) => [item.key, item.name]));
  const placed = new Map((document?.tracks ?? []).flatMap((track) => track.clips).map((clip) => [clip.id, clip]));
  const called = (clip: ClipView): ClipView => {
    const key = placed.get(clip.id)?.clip ?? "";
    const plain = /^[a-z-]+(?=$|:)/.exec(key)?.[0]; // a built-in that the library has not looked at yet
    return { ...clip, name: names.get(key) ?? (plain && !/^(file-|missing:)/.test(key) ? plain : clip.name) };
  };
  return { ...made, tracks: made.tracks.map((track) => ({ ...track, clips: track.clips.map(called) })) };
}

function plannedBlock(clip: ClipView, track: number, placed: PlacedClip | null): Block {
  return { ...clip, track, placed, planned: true, plays: wholly(clip.startS, clip.endS), level: 0 };
}

/** Clips that no plan knows yet lie where they were asked for, or after the one before. */
function guessed(missing: readonly PlacedClip[], track: number, planned: readonly Block[], find: Find): Block[] {
  const found: Block[] = [];
  let end = Math.max(0, ...planned.map((block) => block.endS));
  for (const placed of missing) {
    const item = find(placed.clip);
    const sourceS = ((item?.seconds ?? 1) * placed.repeat) / placed.speed;
    const lastS = placed.trimS ? (placed.trimS[1] - placed.trimS[0]) / placed.speed : sourceS;
    const startS = placed.startS ?? end;
    end = Math.max(end, startS + lastS);
    const endS = startS + lastS;
    const shared = { id: placed.id, track, placed, startS, endS, composed: false, planned: false, plays: wholly(startS, endS), level: 0 };
    found.push({ ...shared, name: item?.name ?? placed.clip, phases: [], sourceS });
  }
  return found;
}

/** Finds a clip of the document. */
export function findPlaced(document: Document, id: number): { track: DocumentTrack; clip: PlacedClip } | null {
  for (const track of document.tracks) {
    const clip = track.clips.find((one) => one.id === id);
    if (clip) return { track, clip };
  }
  return null;
}
