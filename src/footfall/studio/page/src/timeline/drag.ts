// Dragging: moving, trimming and duplicating clips, and dropping library items; Esc takes a drag back.

import { clamp } from "../elements";
import type { Change, LibraryItem, PhaseSpan } from "../messages";
import type { Store } from "../store";
import type { Actions } from "./actions";
import type { Block, Row } from "./layout";
import type { Previewer } from "./previewer";
import type { Scale } from "./scale";
import { RADIUS_PX, snapEdge, snapStart, toFrame, type Snapped, type SnapPoint } from "./snap";

// pointer moves as they come; the usual event waits for the next picture, and the studio's answer with it
const MOVED = ("onpointerrawupdate" in window ? "pointerrawupdate" : "pointermove") as "pointermove";
const SLOP_PX = 4; // a press that moves less is a click
const EDGE_PX = 48; // from here on the timeline scrolls by itself
const SHORTEST_S = 0.1; // what is left of a clip after trimming

export type Mode = "move" | "duplicate" | "trim-start" | "trim-end" | "drop";

/** The block under the pointer, wherever the plan would put it. */
export interface Lifted {
  readonly mode: Mode;
  readonly id: number | null;
  readonly track: number | null; // null: a new one
  readonly name: string;
  readonly startS: number;
  readonly endS: number;
  readonly phases: readonly PhaseSpan[];
  readonly snap: SnapPoint | null;
}

/** What a drag needs to know of the timeline it happens on. */
export interface Ground {
  readonly scale: Scale;
  readonly scroller: HTMLElement;
  timeAt(clientX: number): number;
  trackAt(clientY: number): number | null;
  rows(): readonly Row[]; // as they lie without the drag
  redraw(): void;
}

interface Going {
  readonly mode: Mode;
  readonly block: Block | null;
  readonly item: LibraryItem | null;
  readonly grabS: number; // pointer's time minus the clip's start
  readonly along: readonly number[];
  last: PointerEvent;
}

type Step = { change: Change; label: string; lifted: Lifted };

export class DragController {
  lifted: Lifted | null = null;
  refusal = "";
  private going: Going | null = null;
  private scrolling = 0;

  constructor(
    private readonly store: Store,
    private readonly actions: Actions,
    private readonly previewer: Previewer,
    private readonly ground: Ground,
  ) {}

  get active(): boolean {
    return this.going !== null;
  }

  /** A press on a clip; what it becomes is known when the pointer moves. */
  press(down: PointerEvent, block: Block, edge: "start" | "end" | null): void {
    if (down.button !== 0 || this.going) return;
    const several = down.ctrlKey || down.metaKey || down.shiftKey;
    const { selection } = this.store.state;
    if (!several && !selection.has(block.id)) this.actions.select(block.id);
    else if (!several) this.store.set({ selectedJoin: null });
    const end = new AbortController();
    const options = { signal: end.signal };
    const finish = (): void => end.abort();
    addEventListener(MOVED, (event) => {
      if (event.pointerId !== down.pointerId) return;
      if (!this.going) {
        if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < SLOP_PX) return;
        this.begin(modeOf(down, edge), block, null, this.ground.timeAt(down.clientX) - block.startS, event);
      }
      this.move(event);
    }, options);
    addEventListener("pointerup", (event) => {
      finish();
      if (this.going) this.release(event);
      else if (several) this.actions.select(block.id, true);
      else if (selection.size > 1) this.actions.select(block.id);
    }, options);
    addEventListener("pointercancel", () => (finish(), this.cancel()), options);
    addEventListener("blur", () => (finish(), this.cancel()), options);
    addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      finish();
      this.cancel();
    }, { ...options, capture: true });
  }

  /** A library item is carried over the timeline. */
  over(item: LibraryItem, event: PointerEvent): void {
    if (!this.going) this.begin("drop", null, item, 0, event);
    this.move(event);
  }

  drop(item: LibraryItem, event: PointerEvent): void {
    if (!this.going) this.begin("drop", null, item, 0, event);
    this.release(event);
  }

  cancel(): void {
    if (!this.going) return;
    this.stop();
    this.previewer.cancel();
    this.ground.redraw();
  }

  private begin(mode: Mode, block: Block | null, item: LibraryItem | null, grabS: number, last: PointerEvent): void {
    const selected = this.store.state.selection;
    const along = mode === "move" && block && selected.has(block.id) ? [...selected].filter((id) => id !== block.id) : [];
    const rippled = block && (mode === "move" || mode === "trim-end") && this.store.state.ripple ? this.later(block) : [];
    this.going = { mode, block, item, grabS, along: [...new Set([...along, ...rippled])], last };
    this.refusal = "";
    this.previewer.begin();
    document.body.classList.add("dragging", `dragging-${mode}`);
    this.scrolling = requestAnimationFrame(() => this.scrollAlong());
  }

  /** Clips after one on its track that have seconds of their own. */
  private later(block: Block): number[] {
    const row = this.ground.rows().find((one) => one.id === block.track);
    const after = (row?.blocks ?? []).filter((one) => one.id !== block.id && one.startS > block.startS && one.placed?.startS !== null);
    return after.map((one) => one.id);
  }

  private move(event: PointerEvent): void {
    const going = this.going;
    if (!going) return;
    going.last = event;
    const step = this.step(going, event);
    this.lifted = step.lifted;
    this.previewer.ask(step.change, event.timeStamp);
    this.ground.redraw();
  }

  private release(event: PointerEvent): void {
    const going = this.going;
    if (!going) return;
    const { change, label } = this.step(going, event);
    this.stop();
    if (going.mode === "drop" || going.mode === "duplicate") this.actions.expectNew();
    this.previewer.commit(change, label);
    this.ground.redraw();
  }

  private stop(): void {
    document.body.classList.remove("dragging", ...MODES.map((mode) => `dragging-${mode}`));
    cancelAnimationFrame(this.scrolling);
    this.going = null;
    this.lifted = null;
    this.refusal = "";
  }

  private step(going: Going, event: PointerEvent): Step {
    const atS = this.ground.timeAt(event.clientX);
    const points = event.shiftKey ? [] : this.points(going);
    const radiusS = this.ground.scale.s(RADIUS_PX);
    if (going.mode === "trim-start" || going.mode === "trim-end") return trimStep(going, atS, points, radiusS);
    const lengthS = going.block ? going.block.endS - going.block.startS : (going.item?.seconds ?? 1);
    const snapped = snapStart(Math.max(0, atS - going.grabS), lengthS, points, radiusS);
    return this.placeStep(going, event, snapped, lengthS);
  }

  private placeStep(going: Going, event: PointerEvent, snapped: Snapped, lengthS: number): Step {
    const { block, item, mode } = going;
    const startS = snapped.at ? snapped.startS : toFrame(snapped.startS);
    const under = this.ground.trackAt(event.clientY);
    const rows = this.ground.rows();
    const track = mode === "drop" ? under : (under ?? rows[rows.length - 1]?.id ?? null);
    const name = block?.name ?? item?.name ?? "";
    const endS = startS + lengthS;
    const phases = block?.phases ?? item?.phases ?? [];
    const lifted: Lifted = { mode, id: block?.id ?? null, track, name, startS, endS, phases, snap: snapped.at };
    if (!block) {
      const change: Change = { do: "add_clip", clip: item?.key ?? "", track, startS };
      return { change, label: `add ${name}`, lifted };
    }
    if (mode === "duplicate") {
      return { change: { do: "duplicate_clip", id: block.id, startS, track }, label: `duplicate ${name}`, lifted };
    }
    const other = track !== null && track !== block.track ? track : null;
    const what = going.along.length > 0 ? `${going.along.length + 1} clips` : name;
    const change: Change = { do: "move_clip", id: block.id, startS, track: other, along: going.along };
    return { change, label: `move ${what}`, lifted };
  }

  /** Times worth stopping at: better joins, other clips' ends, the playhead, the beginning. */
  private points(going: Going): SnapPoint[] {
    const moving = new Set([...(going.block ? [going.block.id] : []), ...going.along]);
    const found: SnapPoint[] = [{ timeS: 0, why: "start" }, { timeS: this.store.state.playhead, why: "playhead" }];
    for (const row of this.ground.rows()) {
      for (const block of row.blocks) {
        if (moving.has(block.id)) continue;
        const follows = block.placed?.startS === null && block.track === going.block?.track;
        if (follows && block.startS > going.block!.startS) continue; // it moves along
        found.push({ timeS: block.startS, why: "edge" }, { timeS: block.endS, why: "edge" });
      }
    }
    const trims = going.mode === "trim-start" || going.mode === "trim-end";
    for (const timeS of trims ? [] : (this.store.state.preview?.snapsS ?? [])) found.push({ timeS, why: "join" });
    return found;
  }

  private scrollAlong(): void {
    const going = this.going;
    if (!going) return;
    const { scroller } = this.ground;
    const box = scroller.getBoundingClientRect();
    const x = going.last.clientX;
    const left = x - (box.left + 160);
    const right = box.right - x;
    const by = left < EDGE_PX && left > -EDGE_PX ? left - EDGE_PX : right < EDGE_PX ? EDGE_PX - right : 0;
    const before = scroller.scrollLeft;
    if (by !== 0) scroller.scrollLeft += clamp(by, -EDGE_PX, EDGE_PX) / 4;
    if (scroller.scrollLeft !== before) this.move(going.last);
    this.scrolling = requestAnimationFrame(() => this.scrollAlong());
  }
}

const MODES: readonly Mode[] = ["move", "duplicate", "trim-start", "trim-end", "drop"];

function modeOf(down: PointerEvent, edge: "start" | "end" | null): Mode {
  if (edge) return `trim-${edge}`;
  return down.altKey || down.ctrlKey || down.metaKey ? "duplicate" : "move";
}

/** A new piece of the recording; the timeline's seconds are the recording's over the speed. */
function trimStep(going: Going, atS: number, points: readonly SnapPoint[], radiusS: number): Step {
  const block = going.block!;
  const speed = block.placed?.speed ?? 1;
  const from = block.placed?.trimS?.[0] ?? 0;
  const wholeS = block.sourceS * speed;
  const begin = block.startS - from / speed; // where the whole recording would begin
  const shared = { id: block.id, track: block.track, name: block.name, phases: block.phases };
  if (going.mode === "trim-start") {
    const snapped = snapEdge(atS, points, radiusS);
    const startS = clamp(snapped.startS, Math.max(begin, 0), block.endS - SHORTEST_S);
    const trimS = [clamp((startS - begin) * speed, 0, wholeS), (block.endS - begin) * speed] as const;
    const change: Change = {
      do: "trim_clip",
      id: block.id,
      trimS,
      startS: block.placed?.startS === null ? null : startS,
    };
    const lifted = { ...shared, mode: going.mode, startS, endS: block.endS, snap: snapped.at };
    return { change, label: `trim the beginning of ${block.name}`, lifted };
  }
  const snapped = snapEdge(atS, points, radiusS);
  const endS = clamp(snapped.startS, block.startS + SHORTEST_S, Math.max(begin + block.sourceS, block.startS + SHORTEST_S));
  const trimS = [from, Math.min((endS - begin) * speed, wholeS)] as const;
  const lifted = { ...shared, mode: going.mode, startS: block.startS, endS, snap: snapped.at };
  return { change: { do: "trim_clip", id: block.id, trimS, along: going.along }, label: `trim the end of ${block.name}`, lifted };
}
