// What the inspector says of a clip: when it plays, how, and how it can be changed.

import { el, seconds } from "../elements";
import type { ClipView, LibraryItem, PlacedClip } from "../messages";
import type { Store } from "../store";
import type { Actions } from "../timeline/actions";
import { placeSection } from "./place";
import { button, figure, numberField, row, section, toggle } from "./parts";

const SHORTEST_S = 0.1;

export function clipPanel(store: Store, actions: Actions, clip: PlacedClip, view: ClipView | null): Node[] {
  const item = store.state.library.find((one) => one.key === clip.clip);
  const name = view?.name ?? item?.name ?? clip.clip;
  const about = [item?.kind, item && item.speedMS > 0.05 ? `${item.speedMS.toFixed(1)} m/s` : "", item?.isLoop ? "loop" : ""];
  return [
    el("h2", { text: name }),
    el("p", { class: "muted sub", text: about.filter(Boolean).join(" · ") }),
    item?.problem ? el("p", { class: "problem", text: item.problem }) : el("span", { hidden: true }),
    item?.onTheSpot ? el("p", { class: "muted sub", text: "Recorded on the spot: here it is given root motion, as its feet go. Export has “in place”." }) : el("span", { hidden: true }),
    section("When", ...when(actions, clip, view, name)),
    section("How", ...how(actions, clip, item, name)),
    section("Part used", ...trim(actions, clip, view, name)),
    placeSection(store, actions, clip.id),
    section("", replacing(store, actions, clip, name), doing(actions)),
  ];
}

/** Several clips at once. */
export function clipsPanel(actions: Actions, count: number): Node[] {
  return [el("h2", { text: `${count} clips` }), section("", doing(actions))];
}

function when(actions: Actions, clip: PlacedClip, view: ClipView | null, name: string): Node[] {
  const asap = clip.startS === null;
  const start = view?.startS ?? clip.startS ?? 0;
  return [
    toggle("As soon as possible", asap, (on) => {
      if (on) actions.asSoonAsPossible(clip.id);
      else actions.edit({ do: "move_clip", id: clip.id, startS: start }, `hold ${name} at ${seconds(start)}`);
    }, "Where it follows the clip before best; off: at the second given"),
    row("Starts", numberField({
      label: "Start in seconds", value: start, min: 0, max: 3600, step: 0.05, unit: "s", disabled: asap,
      title: asap ? "As soon as possible is on; turn it off to give a second" : "Second at which it starts",
      change: (startS) => actions.edit({ do: "move_clip", id: clip.id, startS }, `move ${name} to ${seconds(startS)}`),
    })),
    row("Lasts", figure(view ? seconds(view.endS - view.startS) : "–")),
  ];
}

function how(actions: Actions, clip: PlacedClip, item: LibraryItem | undefined, name: string): Node[] {
  const speed = numberField({
    label: "Speed", value: clip.speed, min: 0.1, max: 10, step: 0.05, unit: "×",
    change: (value) => actions.change({ id: clip.id, speed: value }, `play ${name} at ${+value.toFixed(2)}×`),
  });
  const mirror = toggle("Mirror left and right", clip.mirror, (on) =>
    actions.change({ id: clip.id, mirror: on }, `${on ? "mirror" : "unmirror"} ${name}`));
  const rounds = numberField({
    label: "Repeat", value: clip.repeat, min: 1, max: 1000, step: 1, unit: "rounds", disabled: !item?.isLoop && clip.repeat === 1,
    title: item?.isLoop ? "Rounds of the loop" : "Only a loop can be repeated",
    change: (value) => actions.change({ id: clip.id, repeat: Math.round(value) }, `play ${name} ${Math.round(value)} times`),
  });
  return [row("Speed", speed), row("Repeat", rounds), mirror];
}

/** Seconds of the recording; the timeline's own are these over the speed. */
function trim(actions: Actions, clip: PlacedClip, view: ClipView | null, name: string): Node[] {
  const whole = (view?.sourceS ?? 0) * clip.speed;
  if (!view || whole <= 0) return [el("p", { class: "muted", text: "Known when the take is made." })];
  const [from, to] = clip.trimS ?? [0, whole];
  const send = (trimS: readonly [number, number] | null, label: string): void =>
    actions.edit({ do: "trim_clip", id: clip.id, trimS }, label);
  const least = SHORTEST_S * clip.speed;
  return [
    row("From", numberField({
      label: "Trim from", value: from, min: 0, max: to - least, step: 0.05, unit: "s",
      change: (value) => send([value, to], `trim the beginning of ${name}`),
    })),
    row("To", numberField({
      label: "Trim to", value: Math.min(to, whole), min: from + least, max: whole, step: 0.05, unit: "s",
      change: (value) => send([from, value], `trim the end of ${name}`),
    })),
    row("Of", figure(seconds(whole)), clip.trimS
      ? button("Use all", "Take the trimming back", () => send(null, `use all of ${name}`), "btn quiet")
      : el("span")),
  ];
}

function replacing(store: Store, actions: Actions, clip: PlacedClip, name: string): HTMLElement {
  const list = el("select", { class: "field", label: "Replace by", title: "Another clip in its place" });
  const groups = new Map<string, LibraryItem[]>();
  for (const item of store.state.library) {
    if (item.problem) continue;
    groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  }
  for (const [group, items] of groups) {
    const made = el("optgroup", {}, ...items.map((item) => el("option", { value: item.key, text: item.name })));
    made.label = group;
    list.append(made);
  }
  list.value = clip.clip;
  list.addEventListener("change", () => {
    const chosen = list.selectedOptions[0]?.textContent ?? "";
    actions.change({ id: clip.id, clip: list.value }, `replace ${name} by ${chosen}`);
  });
  return row("Replace", list);
}

function doing(actions: Actions): HTMLElement {
  return el(
    "div",
    { class: "buttons" },
    button("Duplicate", "The same again, after it (Ctrl+D)", () => actions.duplicateSelected()),
    button("Delete", "Take it off the timeline (Del)", () => actions.removeSelected(), "btn danger"),
  );
}
