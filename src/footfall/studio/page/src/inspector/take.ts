// What the inspector says when nothing is selected: the whole take, its joins by how good they are, the worst of them.

import { el, seconds } from "../elements";
import type { Grade, JoinView, TrackView } from "../messages";
import type { Store } from "../store";
import { GRADE_WORDS, gradeWords, joinLetter } from "../timeline/join";
import type { Actions } from "../timeline/actions";
import { meetingSection } from "./meeting";
import { figure, row, section } from "./parts";

const GRADES: readonly Grade[] = ["good", "fair", "poor", "unknown"];
const RANK: Record<Grade, number> = { poor: 3, fair: 2, good: 1, unknown: 0 };

export function takePanel(store: Store, actions: Actions, tracks: readonly TrackView[], durationS: number): Node[] {
  const joins = tracks.flatMap((track) => track.joins.map((join) => ({ join, track })));
  const clips = tracks.reduce((count, track) => count + track.clips.length, 0);
  const title = el("h2", { text: "Take" });
  if (clips === 0) {
    const text = "Nothing on the timeline yet. Drag a clip from the library, or press D for a demo.";
    return [title, el("p", { class: "muted", text })];
  }
  const facts = section(
    "",
    row("Length", figure(seconds(durationS))),
    row("Characters", figure(String(tracks.length))),
    row("Clips", figure(String(clips))),
    row("Joins", gradeCounts(joins.map(({ join }) => join).filter((join) => join.kind !== "composition"))),
  );
  const worst = [...joins].sort((a, b) => badness(b.join) - badness(a.join));
  const lines = worst.map(({ join, track }) => joinLine(store, join, track));
  const list = joins.length > 0 ? [section("Joins, worst first", ...lines)] : [];
  return [title, facts, ...meetingSection(store, actions), ...list];
}

function badness(join: JoinView): number {
  return RANK[join.grade] * 1000 + Math.max((join.skateRatio ?? 0) / 2, (join.excessMS2 ?? 0) / 120);
}

function gradeCounts(joins: readonly JoinView[]): HTMLElement {
  const chips = GRADES.map((grade) => [grade, joins.filter((join) => join.grade === grade).length] as const)
    .filter(([, count]) => count > 0)
    .map(([grade, count]) => el("span", { class: `chip grade-${grade}`, text: `${count} ${grade}`, title: GRADE_WORDS[grade] }));
  return el("span", { class: "chips" }, ...(chips.length > 0 ? chips : [figure("0")]));
}

function joinLine(store: Store, join: JoinView, track: TrackView): HTMLElement {
  const name = (id: number): string => track.clips.find((clip) => clip.id === id)?.name ?? "?";
  const line = el(
    "button",
    { class: "join-line", type: "button", title: `${join.reason}\n${gradeWords(join)}`, label: `Show the join ${name(join.before)} to ${name(join.after)}` },
    el("span", { class: "mini-badge", data: { grade: join.grade, text: joinLetter(join.kind) } }),
    el("span", { class: "grow", text: `${name(join.before)} to ${name(join.after)}` }),
    el("span", { class: "muted number", data: { text: `${join.startS.toFixed(1)} s` } }),
  );
  line.addEventListener("click", () =>
    store.set({
      selection: new Set(),
      selectedJoin: { before: join.before, after: join.after },
      playhead: (join.startS + join.endS) / 2,
      playing: false,
    }),
  );
  return line;
}
