// Asks the studio what a drag would give: one question on its way at a time, always the newest, and shows the answers.

import type { Connection } from "../connection";
import { dragAnswered, dragSent } from "../measure";
import type { Change, Preview } from "../messages";
import type { Store } from "../store";
import { named } from "./layout";

const LOST_MS = 2000; // an answer that did not come by then will not

interface Asked {
  readonly change: Change;
  readonly stampMs: number; // of the pointer event
}

export class Previewer {
  private serial = 0;
  private first = 1; // serials before this belong to a drag that is over
  private onItsWay: { serial: number; sentMs: number } | null = null;
  private waiting: Asked | null = null;
  private active = false;
  private committed = -1; // revision that was current when the drag was let go

  constructor(
    private readonly store: Store,
    private readonly connection: Connection,
    private readonly onRefused: (text: string) => void, // "" when an answer came
  ) {
    connection.on("preview", (preview) => this.answered(preview));
    connection.on("problem", (problem) => {
      if (problem.serial === null || problem.serial !== this.onItsWay?.serial) return;
      this.onItsWay = null;
      if (this.active) this.onRefused(problem.text);
      this.next();
    });
    connection.on("take", (take) => {
      if (!this.active && (this.committed < 0 || take.revision > this.committed)) this.clear();
    });
    connection.on("problem", (problem) => {
      if (!this.active && problem.serial === null) this.clear(); // the change was refused: show what is
    });
    connection.onOnline(() => {
      this.onItsWay = null;
      if (!this.active) this.clear();
    });
  }

  get dragging(): boolean {
    return this.active;
  }

  begin(): void {
    this.active = true;
    this.first = this.serial + 1;
    this.waiting = null;
    this.onItsWay = null;
  }

  ask(change: Change, stampMs: number): void {
    this.waiting = { change, stampMs };
    if (this.onItsWay && performance.now() - this.onItsWay.sentMs > LOST_MS) this.onItsWay = null;
    if (!this.onItsWay) this.next();
  }

  /** Let go for good: the preview stays until the take of the change is there. */
  commit(change: Change, label: string): void {
    this.stop();
    this.committed = this.store.state.project?.revision ?? -1;
    this.connection.send({ type: "edit", change, label });
  }

  /** Let go without a change. */
  cancel(): void {
    this.stop();
    this.connection.send({ type: "drag_end" });
    this.clear();
  }

  private stop(): void {
    this.active = false;
    this.waiting = null;
    this.onItsWay = null;
  }

  private clear(): void {
    this.committed = -1;
    if (this.store.state.preview) this.store.set({ preview: null, previewPoses: new Map() });
  }

  private next(): void {
    const asked = this.waiting;
    if (!asked || !this.active) return;
    this.waiting = null;
    this.onItsWay = { serial: ++this.serial, sentMs: performance.now() };
    const playheadS = this.store.state.playhead;
    dragSent(this.serial, asked.stampMs);
    this.connection.send({ type: "drag", change: asked.change, serial: this.serial, playheadS });
  }

  private answered(preview: Preview): void {
    if (!this.active || preview.serial < this.first) return; // of a drag that is over
    if (this.onItsWay && preview.serial >= this.onItsWay.serial) this.onItsWay = null;
    this.onRefused("");
    dragAnswered(preview.tookMs);
    const { project, library } = this.store.state;
    this.store.set({ preview: named(preview, project?.document ?? null, library) });
    this.next();
  }
}
