// What the inspector says of a join: how it was made and why, what was refused, how good it is, and another method.

import { el, seconds } from "../elements";
import { awaitDownload } from "../exports";
import type { JoinView, PlacedClip, TrackView } from "../messages";
import type { Store } from "../store";
import type { Actions } from "../timeline/actions";
import { PHASE_NAMES } from "../timeline/clip";
import { GRADE_WORDS, gradeWords, joinLetter, KIND_WORDS } from "../timeline/join";
import { button, figure, gauge, row, section } from "./parts";

// what 95 % of untouched captures stay under, and what is believed (footfall.quality.judge)
const SKATE = [1.47, 3.5] as const; // times the sources' own
const JUMP = [24, 120] as const; // m/s²
const LEAD_S = 0.8; // played before and after a join

export function joinPanel(store: Store, actions: Actions, join: JoinView, track: TrackView, after: PlacedClip | null): Node[] {
  const name = (id: number): string => track.clips.find((clip) => clip.id === id)?.name ?? "?";
  const title = `${name(join.before)} → ${name(join.after)}`;
  const composed = join.kind === "composition";
  const head = el(
    "div",
    { class: "join-head", data: { grade: join.grade } },
    el("span", { class: "mini-badge large", text: joinLetter(join.kind), data: { grade: join.grade } }),
    el("div", {},
      el("strong", { text: join.kind, title: KIND_WORDS[join.kind] ?? "" }),
      el("div", { class: `grade-${join.grade}`, text: gradeWords(join), title: GRADE_WORDS[join.grade] })),
  );
  const measured = composed
    ? []
    : [section("How good", 
      gauge("Foot skate", "How much the feet slide around the join", join.skateRatio, SKATE, "×"),
      gauge("Jump", "Acceleration of a joint beyond what the clips do at that moment", join.excessMS2, JUMP, "m/s²"))];
  return [
    el("h2", { text: title }),
    head,
    ...cures(actions, join),
    section("Why", el("p", { class: "selectable", text: join.reason })),
    section("", ...facts(join), playButton(store, join)),
    ...measured,
    ...refusals(join),
    ...(composed || !after ? [] : [methods(store, actions, join, after, title), comparing(store), reporting(actions, join)]),
  ];
}

/** The same two clips in the Joins tab. */
function comparing(store: Store): HTMLElement {
  return section("", button("Compare in Joins", "These two clips joined by every method, side by side", () => store.set({ tab: "joins" })));
}

/** What can be done about it, a click each. */
function cures(actions: Actions, join: JoinView): Node[] {
  if (join.cures.length === 0) return [];
  const lines = join.cures.map((cure) =>
    el("div", { class: "cure" },
      button(cure.label, `${cure.label}: ${cure.why}; it can be undone`, () => actions.edit(cure.change, cure.label.toLowerCase())),
      el("span", { class: "muted", text: cure.why })),
  );
  return [section("Cures", ...lines)];
}

function facts(join: JoinView): Node[] {
  const span = `${join.startS.toFixed(2)}–${seconds(join.endS)}`;
  const found = [row("Takes", figure(seconds(join.endS - join.startS)), el("span", { class: "muted number", text: span }))];
  if (join.phases) {
    const [from, to] = join.phases;
    found.push(row("Feet", el("span", { class: "chips" }, phaseChip(from), "→", phaseChip(to))));
  }
  return found;
}

function phaseChip(phase: string): HTMLElement {
  const known = phase in PHASE_NAMES ? (phase as keyof typeof PHASE_NAMES) : null;
  const swatch = el("i", { class: `swatch phase-${phase}` });
  return el("span", { class: "chip", title: known ? PHASE_NAMES[known] : phase }, swatch, phase);
}

function playButton(store: Store, join: JoinView): HTMLElement {
  return button("Play this join", "From a little before to see it", () => {
    store.set({ playhead: Math.max(0, join.startS - LEAD_S), playing: true });
  });
}

/** One file with both clips, the times, what was said and a short film. */
function reporting(actions: Actions, join: JoinView): HTMLElement {
  const tip = "Saves both clips, when and how they are joined, the grades and a short film in one file: to send, or to try again by “footfall join --from FILE”";
  return section("", button("Report this join", tip, () => {
    awaitDownload();
    actions.connection.send({ type: "report_join", before: join.before, after: join.after });
  }));
}

function refusals(join: JoinView): Node[] {
  if (join.refused.length === 0) return [];
  const lines = join.refused.map((one) =>
    el("li", {}, el("strong", { text: one.method }), " ", el("span", { class: "muted", text: one.reason })),
  );
  return [section("Not possible here", el("ul", { class: "refused selectable" }, ...lines))];
}

function methods(store: Store, actions: Actions, join: JoinView, after: PlacedClip, title: string): HTMLElement {
  const list = el("select", { class: "field wide", label: "Method of this join" });
  const offered = store.state.welcome?.methods ?? [];
  list.append(el("option", { value: "", text: "The planner's choice" }));
  for (const method of offered) {
    list.append(el("option", { value: method.name, text: method.name, title: method.description }));
  }
  list.value = after.method ?? "";
  const said = el("p", { class: "muted", text: described(offered, list.value) });
  list.addEventListener("change", () => {
    said.textContent = described(offered, list.value);
    const label = list.value ? `join ${title} by ${list.value}` : `join ${title} as the planner likes`;
    actions.change({ id: join.after, method: list.value }, label);
  });
  return section("Method", list, said);
}

function described(methods: readonly { name: string; description: string }[], name: string): string {
  if (name === "") return "The best way that fits the feet on both sides.";
  return methods.find((method) => method.name === name)?.description ?? "Taken where its conditions hold.";
}
