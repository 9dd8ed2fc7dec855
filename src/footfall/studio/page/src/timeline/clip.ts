// A clip on a lane: what plays of it is a solid block, slanted where it comes and goes, and what is dropped is hatched.

import { el, seconds, setLabel, setSeen, setStyle, setText } from "../elements";
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
const DROPPED_S = 0.05; // less than this is not worth a word

export class ClipElement {
  readonly root: HTMLElement;
  readonly rest = el("div", { class: "clip-rest", ariaHidden: "true" }); // all of it, hatched, below every clip's body
  private readonly name = el("span", { class: "clip-name" });
  private readonly length = el("span", { class: "clip-length" });
  private readonly marks = el("span", { class: "clip-marks" });
  private readonly bar = el("div", { class: "phases" });
  private readonly body: HTMLElement;
  private drawn = "";

  constructor(readonly id: number) {
    this.body = el("div", { class: "clip-body" }, el("div", { class: "clip-line" }, this.name, this.marks, this.length), this.bar);
    this.root = el(
      "div",
      { class: "clip", role: "button", tabIndex: 0, data: { clip: String(id) } },
      this.body,
      el("div", { class: "edge edge-start", data: { edge: "start" }, title: "Drag to trim the beginning" }),
      el("div", { class: "edge edge-end", data: { edge: "end" }, title: "Drag to trim the end" }),
    );
  }

  show(block: Block, scale: Scale, selected: boolean, track: string): void {
    const width = Math.max(scale.x(block.endS - block.startS), 6);
    for (const part of [this.root, this.rest]) {
      setStyle(part, "transform", `translateX(${scale.x(block.startS).toFixed(1)}px)`);
      setStyle(part, "width", `${width.toFixed(1)}px`);
      setStyle(part, "--level", String(block.level));
      part.classList.toggle("composed", block.composed);
    }
    const clear = this.shape(block, scale, width);
    const classes = this.root.classList;
    classes.toggle("selected", selected);
    classes.toggle("unplanned", !block.planned);
    classes.toggle("new", block.placed === null);
    classes.toggle("left-out", block.plays.leftOut);
    classes.toggle("narrow", clear < ROOM_PX.length);
    classes.toggle("tiny", clear < ROOM_PX.name);
    setText(this.name, block.name);
    setSeen(this.length, seconds(playedS(block), 1));
    setSeen(this.marks, marks(block));
    this.root.setAttribute("aria-pressed", String(selected));
    const label = `${block.name}, ${block.startS.toFixed(1)} to ${block.endS.toFixed(1)} s, track ${track}`;
    setLabel(this.root, label, `${block.name}: ${tooltip(block)}`);
    this.showPhases(block.phases, block.endS - block.startS);
  }

  /** Cuts the body to what plays; the result is how much room its text has. */
  private shape(block: Block, scale: Scale, width: number): number {
    const { fromS, wholeS, goingS, toS, leftOut } = block.plays;
    const at = (timeS: number): number => Math.min(Math.max(scale.x(timeS - block.startS), 0), width);
    const [from, whole, going, to] = [at(fromS), at(wholeS), at(goingS), at(toS)];
    const plain = fromS === block.startS && wholeS === fromS && toS === block.endS && goingS === toS;
    const text = from + 0.66 * (whole - from); // where the slant has left the line of text
    const corner = (x: number, y: string): string => `${x.toFixed(1)}px ${y}`;
    const slanted = `polygon(${corner(from, "0")}, ${corner(going, "0")}, ${corner(to, "100%")}, ${corner(whole, "100%")})`;
    setStyle(this.body, "clip-path", plain || leftOut || !block.planned ? "none" : slanted);
    setStyle(this.body, "--from", `${text.toFixed(1)}px`);
    setStyle(this.body, "--covered", `${(width - Math.max(going, from + 0.5 * (to - from))).toFixed(1)}px`);
    this.rest.hidden = plain && !leftOut;
    return Math.max(going, from + 0.5 * (to - from)) - text;
  }

  private showPhases(phases: readonly PhaseSpan[], lengthS: number): void {
    const wanted = phases.map((span) => `${span.phase}${span.startS.toFixed(3)}`).join() + lengthS.toFixed(3);
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    this.bar.replaceChildren(...phases.map((span) => phaseSpan(span, lengthS)));
  }
}

/** How long something of a clip is seen. */
export function playedS(block: Block): number {
  return block.plays.leftOut ? 0 : block.plays.toS - block.plays.fromS;
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
  const { fromS, toS, leftOut } = block.plays;
  const whole = block.endS - block.startS;
  const said = [`${seconds(whole)} from ${seconds(block.startS)}`];
  if (leftOut) said.push("left out: it is over before it could be entered; give it more room");
  const [head, tail] = [fromS - block.startS, block.endS - toS];
  if (!leftOut && head + tail > DROPPED_S) said.push(`plays ${seconds(playedS(block))} of it`);
  if (!leftOut && head > DROPPED_S) said.push(`its first ${seconds(head)} are dropped`);
  if (!leftOut && tail > DROPPED_S) said.push(`its last ${seconds(tail)} are dropped`);
  if (placed?.startS === null) said.push("as soon as possible after the one before");
  if (placed?.mirror) said.push("mirrored");
  if (placed && placed.speed !== 1) said.push(`at ${+placed.speed.toFixed(2)} times its speed`);
  if (placed && placed.repeat > 1) said.push(`${placed.repeat} rounds`);
  if (block.composed) said.push("laid over the clips beneath it");
  return said.join(", ");
}
