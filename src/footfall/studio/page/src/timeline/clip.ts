// A clip on a lane: a rounded block with its name, its length, and a bar of which feet stand when.

import { el, seconds, setLabel, setStyle, setText } from "../elements";
import type { PhaseSpan } from "../messages";
import type { Block } from "./layout";
import type { Scale } from "./scale";

export const PHASE_NAMES = {
  DS: "both feet stand",
  LS: "the left foot stands",
  RS: "the right foot stands",
  NS: "no foot stands",
} as const;
const ROOM_PX = { name: 26, length: 112 };

export class ClipElement {
  readonly root: HTMLElement;
  private readonly name = el("span", { class: "clip-name" });
  private readonly length = el("span", { class: "clip-length" });
  private readonly marks = el("span", { class: "clip-marks" });
  private readonly bar = el("div", { class: "phases" });
  private drawn = "";

  constructor(readonly id: number) {
    this.root = el(
      "div",
      { class: "clip", role: "button", tabIndex: 0, data: { clip: String(id) } },
      el("div", { class: "clip-line" }, this.name, this.marks, this.length),
      this.bar,
      el("div", { class: "edge edge-start", data: { edge: "start" }, title: "Drag to trim the beginning" }),
      el("div", { class: "edge edge-end", data: { edge: "end" }, title: "Drag to trim the end" }),
    );
  }

  /** coveredS: how much of its end lies under the next clip; its text stays clear of it. */
  show(block: Block, scale: Scale, selected: boolean, track: string, coveredS = 0): void {
    const width = Math.max(scale.x(block.endS - block.startS), 6);
    const clear = width - scale.x(coveredS);
    setStyle(this.root, "--covered", `${(width - clear).toFixed(1)}px`);
    setStyle(this.root, "transform", `translateX(${scale.x(block.startS).toFixed(1)}px)`);
    setStyle(this.root, "width", `${width.toFixed(1)}px`);
    const classes = this.root.classList;
    classes.toggle("selected", selected);
    classes.toggle("composed", block.composed);
    classes.toggle("unplanned", !block.planned);
    classes.toggle("new", block.placed === null);
    classes.toggle("narrow", clear < ROOM_PX.length);
    classes.toggle("tiny", clear < ROOM_PX.name);
    setText(this.name, block.name);
    setText(this.length, seconds(block.endS - block.startS, 1));
    setText(this.marks, marks(block));
    this.root.setAttribute("aria-pressed", String(selected));
    const label = `${block.name}, ${block.startS.toFixed(1)} to ${block.endS.toFixed(1)} s, track ${track}`;
    setLabel(this.root, label, `${block.name}: ${tooltip(block)}`);
    this.showPhases(block.phases, block.endS - block.startS);
  }

  private showPhases(phases: readonly PhaseSpan[], lengthS: number): void {
    const wanted = phases.map((span) => `${span.phase}${span.startS.toFixed(3)}`).join() + lengthS.toFixed(3);
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    this.bar.replaceChildren(...phases.map((span) => phaseSpan(span, lengthS)));
  }
}

function phaseSpan(span: PhaseSpan, lengthS: number): HTMLElement {
  const share = (timeS: number): string => `${((100 * timeS) / lengthS).toFixed(2)}%`;
  const title = `${span.phase}: ${PHASE_NAMES[span.phase]}, ${seconds(span.endS - span.startS)}`;
  const made = el("span", { class: `phase phase-${span.phase}`, title });
  made.style.left = share(span.startS);
  made.style.width = share(Math.max(span.endS - span.startS, 0));
  return made;
}

/** What was done to it, in signs: mirrored, faster, repeated. */
function marks(block: Block): string {
  const placed = block.placed;
  if (!placed) return "";
  const found: string[] = [];
  if (placed.mirror) found.push("⇋");
  if (placed.speed !== 1) found.push(`${+placed.speed.toFixed(2)}×`);
  if (placed.repeat > 1) found.push(`⟳${placed.repeat}`);
  return found.join(" ");
}

function tooltip(block: Block): string {
  const placed = block.placed;
  const said = [`${seconds(block.endS - block.startS)} from ${seconds(block.startS)}`];
  if (placed?.startS === null) said.push("as soon as possible after the one before");
  if (placed?.mirror) said.push("mirrored");
  if (placed && placed.speed !== 1) said.push(`at ${+placed.speed.toFixed(2)} times its speed`);
  if (placed && placed.repeat > 1) said.push(`${placed.repeat} rounds`);
  if (block.composed) said.push("laid over the clips beneath it");
  return said.join(", ");
}
