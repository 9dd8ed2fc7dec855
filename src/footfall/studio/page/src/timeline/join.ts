// A join between two clips: a band as long as the join takes, with a badge of its kind, coloured by how good it is.

import { el, setLabel, setStyle, setText } from "../elements";
import type { Grade, JoinView } from "../messages";
import type { Scale } from "./scale";

const LETTERS: Record<string, string> = {
  transition: "T",
  connection: "C",
  adaptation: "A",
  bridge: "B",
  composition: "+",
  wait: "W",
  fallback: "!",
};

/** What each kind is, for the legend and where a badge is pointed at. */
export const KIND_WORDS: Record<string, string> = {
  transition: "both swing the same foot: the one becomes the other in that step",
  connection: "the swing of the first ends in the posture the second starts from",
  adaptation: "both feet are down: the second starts on the first one's footprints",
  bridge: "steps are put in between",
  wait: "it waits, standing, until the next clip starts",
  fallback: "no rule fits: blended, with the feet held",
  composition: "laid over the clips above, as a wave while walking",
};

/** The letters with their kinds, as badges show them. */
export const KINDS: readonly (readonly [string, string])[] = Object.entries(LETTERS);

export const GRADE_WORDS: Record<Grade, string> = {
  good: "believable: every figure as in untouched captures",
  fair: "believable",
  poor: "not believable",
  unknown: "…",
};

export const GRADE_NAMES = { good: "green", fair: "amber", poor: "red" } as const;

/** The judge's grade in words: what a viewer would say first, where there is something. */
export function gradeWords(join: { grade: Grade; seen: string }): string {
  return join.seen === "" ? GRADE_WORDS[join.grade] : join.seen;
}

export function joinKey(join: { before: number; after: number }): string {
  return `${join.before}-${join.after}`;
}

/** The letter on a badge; a method chosen by hand shows its first letter, small. */
export function joinLetter(kind: string): string {
  return LETTERS[kind] ?? kind.slice(0, 1);
}

export class JoinElement {
  readonly root: HTMLElement;
  private readonly letter = el("span", { class: "badge-letter" });
  private readonly badge = el("div", { class: "badge", role: "button", tabIndex: 0 }, this.letter);

  constructor(before: number, after: number) {
    this.root = el("div", { class: "join", data: { before: String(before), after: String(after) } }, this.badge);
  }

  show(join: JoinView, names: readonly [string, string], scale: Scale, selected: boolean): void {
    const from = scale.x(join.startS);
    const width = Math.max(scale.x(join.endS - join.startS), 2);
    setStyle(this.root, "transform", `translateX(${from.toFixed(1)}px)`);
    setStyle(this.root, "width", `${width.toFixed(1)}px`);
    this.root.dataset.grade = join.grade;
    this.root.dataset.kind = join.kind;
    this.root.classList.toggle("selected", selected);
    this.badge.setAttribute("aria-pressed", String(selected));
    setText(this.letter, joinLetter(join.kind));
    const label = `Join ${names[0]} to ${names[1]}: ${join.kind}, ${join.grade}`;
    const capital = join.kind.charAt(0).toUpperCase() + join.kind.slice(1);
    const kind = KIND_WORDS[join.kind];
    setLabel(this.badge, label, `${capital}${kind ? ` (${kind})` : ""}\n${join.reason}\n${gradeWords(join)}`);
  }
}
