// What is done to clips by keys, buttons and the inspector; every one can be undone and says what it was in words.

import type { Connection } from "../connection";
import { bind } from "../keys";
import type { Change, ChangeClip, PlacedClip } from "../messages";
import type { Store } from "../store";
import { findPlaced } from "./layout";

const USUAL_FPS = 30;

export class Actions {
  private nudged: { id: number; startS: number; revision: number } | null = null;
  private selectsNew = false;

  constructor(
    readonly store: Store,
    readonly connection: Connection,
  ) {
    let known = ids(store);
    store.subscribe("project", () => {
      const now = ids(store);
      const added = [...now].filter((id) => !known.has(id));
      known = now;
      const { selection, selectedJoin } = store.state;
      const kept = [...selection].filter((id) => now.has(id));
      if (this.selectsNew && added.length > 0) {
        this.selectsNew = false;
        store.set({ selection: new Set(added), selectedJoin: null });
      } else if (kept.length !== selection.size) {
        store.set({ selection: new Set(kept) });
      }
      if (selectedJoin && !(now.has(selectedJoin.before) && now.has(selectedJoin.after))) {
        store.set({ selectedJoin: null });
      }
    });
    bind("remove", () => this.removeSelected());
    bind("removeRipple", () => this.removeSelected(true));
    bind("split", () => this.splitAtPlayhead());
    bind("ripple", () => store.set({ ripple: !store.state.ripple }));
    bind("duplicate", () => this.duplicateSelected());
    bind("mirror", () => this.mirrorSelected());
    bind("selectAll", () => this.selectAll());
    bind("cancel", () => {
      this.clear();
      const at = document.activeElement; // keys are no longer for the clip or join that had the focus
      if (at instanceof HTMLElement && at.closest(".tl-lanes")) at.blur();
    });
  }

  edit(change: Change, label: string): void {
    if (change.do === "add_clip" || change.do === "duplicate_clip") this.selectsNew = true;
    this.connection.send({ type: "edit", change, label });
  }

  /** The clips this page adds next are selected when they come. */
  expectNew(): void {
    this.selectsNew = true;
  }

  select(id: number, add = false): void {
    const { selection } = this.store.state;
    const next = new Set(add ? selection : []);
    if (add && selection.has(id)) next.delete(id);
    else next.add(id);
    this.store.set({ selection: next, selectedJoin: null });
  }

  selectAll(): void {
    this.store.set({ selection: ids(this.store), selectedJoin: null });
  }

  clear(): void {
    this.store.set({ selection: new Set(), selectedJoin: null });
  }

  /** Takes clips away; with ripple, those after them move up. */
  removeSelected(ripple = this.store.state.ripple): boolean {
    const chosen = [...this.store.state.selection];
    if (chosen.length === 0) return false;
    const what = chosen.length === 1 ? this.nameOf(chosen[0]!) : `${chosen.length} clips`;
    this.edit({ do: "remove_clips", ids: chosen, ripple }, `delete ${what}${ripple ? " and close the gap" : ""}`);
    return true;
  }

  /** Splits what lies under the playhead: of the selected clips, or of all in a row. */
  splitAtPlayhead(): boolean {
    const { take, playhead, selection } = this.store.state;
    const under = (take?.tracks ?? []).flatMap((track) => track.clips).filter((clip) => clip.startS < playhead && playhead < clip.endS);
    const chosen = under.filter((clip) => selection.has(clip.id));
    const clips = chosen.length > 0 ? chosen : under.filter((clip) => !clip.composed);
    for (const clip of clips) this.edit({ do: "split_clip", id: clip.id, atS: playhead }, `split ${clip.name}`);
    if (clips.length === 0) this.store.problem("timeline", "There is no clip under the playhead; put it where a clip shall be split.");
    return true;
  }

  duplicateSelected(): boolean {
    const chosen = [...this.store.state.selection];
    for (const id of chosen) this.edit({ do: "duplicate_clip", id }, `duplicate ${this.nameOf(id)}`);
    return chosen.length > 0;
  }

  mirrorSelected(): boolean {
    const chosen = this.placedSelected();
    for (const clip of chosen) {
      this.change({ id: clip.id, mirror: !clip.mirror }, `${clip.mirror ? "unmirror" : "mirror"} ${this.nameOf(clip.id)}`);
    }
    return chosen.length > 0;
  }

  asSoonAsPossible(id: number): void {
    this.edit({ do: "move_clip", id, startS: null }, `play ${this.nameOf(id)} as soon as possible`);
  }

  change(change: Omit<ChangeClip, "do">, label: string): void {
    this.edit({ do: "change_clip", ...change }, label);
  }

  /** Moves a clip by frames; keys repeat faster than answers come, so it counts from where it was sent to last. */
  nudge(id: number, frames: number): void {
    const { take, poses, project } = this.store.state;
    const track = take?.tracks.find((one) => one.clips.some((clip) => clip.id === id));
    const view = track?.clips.find((clip) => clip.id === id);
    if (!track || !view || !project) return;
    const going = this.nudged?.id === id && project.revision - this.nudged.revision < 12 ? this.nudged : null;
    const recent = going && take && take.revision < project.revision ? going : null;
    const fps = poses.get(track.id)?.fps ?? USUAL_FPS;
    const startS = Math.max(0, (recent?.startS ?? view.startS) + frames / fps);
    this.nudged = { id, startS, revision: project.revision };
    const way = frames > 0 ? "later" : "earlier";
    this.edit({ do: "move_clip", id, startS }, `move ${view.name} a frame ${way}`);
  }

  nameOf(id: number): string {
    const { take, project, library } = this.store.state;
    for (const track of take?.tracks ?? []) {
      const view = track.clips.find((clip) => clip.id === id);
      if (view) return view.name;
    }
    const key = project ? findPlaced(project.document, id)?.clip.clip : undefined;
    return library.find((item) => item.key === key)?.name ?? key ?? "the clip";
  }

  private placedSelected(): PlacedClip[] {
    const { project, selection } = this.store.state;
    const found = [...selection].map((id) => (project ? findPlaced(project.document, id)?.clip : undefined));
    return found.filter((clip) => clip !== undefined);
  }
}

function ids(store: Store): Set<number> {
  const tracks = store.state.project?.document.tracks ?? [];
  return new Set(tracks.flatMap((track) => track.clips.map((clip) => clip.id)));
}
