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
}

export interface Row {
  readonly id: number;
  readonly track: DocumentTrack | null; // null: a track that a drop would make
  readonly name: string;
  readonly problem: string | null;
  readonly blocks: readonly Block[];
  readonly joins: readonly JoinView[];
  readonly bracketed: boolean; // something is laid over the clips
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
  const bracketed = blocks.some((block) => block.composed);
  return { id, track, name, problem: view?.problem ?? null, blocks, joins, bracketed };
}

function plannedBlock(clip: ClipView, track: number, placed: PlacedClip | null): Block {
  return { ...clip, track, placed, planned: true };
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
    const shared = { id: placed.id, track, placed, startS, endS: startS + lastS, composed: false, planned: false };
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
