// "Make my folder playable": its progress, then a sheet of all that was found, to tick and build again.

import type { Connection } from "../connection";
import { el, setText } from "../elements";
import type { FoundRow, Job, LiveFound } from "../messages";
import type { Store } from "../store";

const WIDE = 168;
const HIGH = 60;
const TALL_CM = 200; // that fits the height of a picture
const STEP_CM = 125; // from one pose to the next

export class FolderSheet {
  readonly button = el("button", { class: "btn", type: "button", text: "Make my folder playable…" });
  readonly root: HTMLElement;
  private readonly said = el("p", { class: "muted" });
  private readonly bar = el("progress", { max: 1, label: "Making the folder playable", hidden: true });
  private readonly stop = el("button", { class: "btn quiet", type: "button", text: "Cancel", hidden: true });
  private readonly rows = el("div", { class: "found-rows", role: "group", label: "What was found" });
  private readonly told = el("ul", { class: "found-told muted" });
  private readonly make = el("button", { class: "btn primary", type: "button", text: "Find motions and build" });
  private readonly again = el("button", { class: "btn primary", type: "button", text: "Build with what is ticked", hidden: true });
  private readonly look = el("button", { class: "btn", type: "button", text: "Show what it was built of", hidden: true });
  private readonly ticked = new Set<number>();
  private job = 0;
  private folder = "";

  constructor(store: Store, connection: Connection, private readonly play: (graph: string) => void) {
    const close = el("button", { class: "btn quiet icon-only", type: "button", text: "×", label: "Close the folder's sheet" });
    this.root = el("section", { class: "live-card found", label: "My folder", hidden: true },
      el("header", {}, el("h3", { text: "My folder, playable" }), close), this.said, el("div", { class: "blend-line" }, this.bar, this.stop),
      this.rows, this.told, el("div", { class: "blend-line" }, this.make, this.look, this.again));
    close.addEventListener("click", () => (this.root.hidden = true));
    this.button.addEventListener("click", () => this.open());
    this.make.addEventListener("click", () => connection.send({ type: "live_make" }));
    this.look.addEventListener("click", () => connection.send({ type: "live_look" }));
    this.again.addEventListener("click", () => connection.send({ type: "live_make", used: [...this.ticked] }));
    this.stop.addEventListener("click", () => connection.send({ type: "cancel", job: this.job }));
    connection.on("job", (job) => this.worked(job));
    connection.on("live_found", (found) => this.found(found));
    store.watch("welcome", ({ welcome }) => {
      this.folder = welcome?.folder ?? "";
      this.button.title = this.folder ? "Finds walks, runs and actions in its recordings and makes a character of them" : "Start the studio on a folder: footfall studio FOLDER";
    });
  }

  /** Whether there is a graph of the folder to look at. */
  setHasGraph(has: boolean): void {
    this.look.hidden = !has;
  }

  private open(): void {
    this.root.hidden = !this.root.hidden;
    setText(this.said, this.folder ? `Walks, runs and actions are found in the recordings of ${this.folder} and become a character to steer.` : "Start the studio on a folder of recordings: footfall studio FOLDER");
    this.make.disabled = !this.folder;
  }

  private worked(job: Job): void {
    if (!/^(Making the folder|Looking at the folder)/.test(job.label)) return;
    this.job = job.id;
    const runs = job.state === "running";
    this.bar.hidden = this.stop.hidden = !runs;
    this.bar.value = job.share;
    for (const button of [this.make, this.again, this.look]) button.disabled = runs;
    setText(this.said, job.state === "failed" ? (job.problem ?? "") : job.state === "cancelled" ? "Cancelled; nothing was changed." : job.label);
  }

  private found(found: LiveFound): void {
    this.ticked.clear();
    for (const row of found.rows) if (row.use) this.ticked.add(row.id);
    this.rows.replaceChildren(...found.rows.map((row) => this.row(row)));
    this.told.replaceChildren(...found.told.map((text) => el("li", { text })), ...found.leftOut.map(([file, why]) => el("li", { class: "beyond", text: `${file}: ${why}` })));
    this.again.hidden = found.rows.length === 0;
    this.make.classList.toggle("primary", this.again.hidden);
    setText(this.make, "Find motions anew");
    this.look.hidden = true;
    this.showTicked();
    if (!this.root.hidden) this.play(found.graph);
  }

  private row(row: FoundRow): HTMLElement {
    const box = el("input", { type: "checkbox", checked: row.use });
    const canvas = el("canvas", { width: 2 * WIDE, height: 2 * HIGH });
    drawFigures(canvas, row.figures);
    const speed = row.kind === "cycle" && row.label !== "stand" ? ` ${row.speedMS.toFixed(1)} m/s${Math.abs(row.turnDegS) > 8 ? `, ${Math.round(row.turnDegS)} °/s` : ""}` : "";
    const name = `${row.label || "unknown"}${speed}`;
    box.setAttribute("aria-label", `${name}, ${row.file} at ${row.startS.toFixed(1)} s`);
    const made = el("label", { class: "found-row", title: row.why }, canvas,
      el("span", { class: "found-name" }, box, el("strong", { text: name })), el("small", { class: "muted", text: row.why || `${row.file} ${row.startS.toFixed(1)}–${row.endS.toFixed(1)} s` }));
    made.classList.toggle("off", !row.use);
    box.addEventListener("change", () => {
      if (box.checked) this.ticked.add(row.id);
      else this.ticked.delete(row.id);
      made.classList.toggle("off", !box.checked);
      this.showTicked();
    });
    return made;
  }

  private showTicked(): void {
    setText(this.said, `${this.ticked.size} of ${this.rows.childElementCount} stretches are used. Untick what should not be in it, then build again.`);
    this.again.disabled = this.ticked.size === 0;
  }
}

function drawFigures(canvas: HTMLCanvasElement, figures: readonly (readonly number[])[]): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const scale = canvas.height / TALL_CM;
  context.lineCap = "round";
  context.lineWidth = 3;
  context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--text") || "#888";
  figures.forEach((bones, n) => {
    context.globalAlpha = 0.45 + (0.55 * n) / Math.max(figures.length - 1, 1);
    const x = (value: number): number => canvas.width / 2 + scale * (value + (n - (figures.length - 1) / 2) * STEP_CM);
    const y = (value: number): number => canvas.height - 4 - scale * value;
    context.beginPath();
    for (let i = 0; i + 3 < bones.length; i += 4) {
      context.moveTo(x(bones[i]!), y(bones[i + 1]!));
      context.lineTo(x(bones[i + 2]!), y(bones[i + 3]!));
    }
    context.stroke();
  });
}
