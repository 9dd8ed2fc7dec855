// The joins tab: two clips joined by every method side by side, at a moment that is clicked or dragged on a map.

import "./joins.css";
import type { Connection } from "../connection";
import { el, icon, seconds, setLabel, setText } from "../elements";
import { endOf, type PoseFrame } from "../frames";
import { measured } from "../measure";
import type { JoinMade, JoinMap, JoinedPair } from "../messages";
import { mountProblems } from "../problems";
import type { Store } from "../store";
import type { Actions } from "../timeline/actions";
import { Card } from "./card";
import { Chooser } from "./chooser";
import { CompatibilityView } from "./compatibility";
import { CurvesView } from "./curves";
import { Lineup } from "./lineup";
import { MapView, type Spot } from "./map";
import { StepClock } from "./steps";

const BEFORE_S = 1.0; // played before the first clip is left
const AFTER_S = 1.6; // and after the second has taken over
const USUAL_S = 0.4; // that a transition takes
const ASK_MS = 80; // between two questions while something is dragged
const FRAME_S = 1 / 30;

type View = "pair" | "library";
const VIEWS: readonly (readonly [View, string, string])[] = [
  ["pair", "Two clips", "Two clips joined by every method"],
  ["library", "Library", "Which clips of the library blend with each other"],
];

export class Joins {
  private readonly cardsHost = el("div", { class: "cards" });
  private readonly lineupHost = el("div", { class: "cards-host" }, this.cardsHost);
  private readonly chooser: Chooser;
  private readonly map = new MapView((spot, released) => this.goTo(spot, released));
  private readonly curves = new CurvesView((timeS) => this.seek(timeS));
  private readonly clock = new StepClock((timeS, playing) => this.showTime(timeS, playing));
  private readonly play = el("button", { class: "btn quiet icon-only", type: "button" });
  private readonly scrub = el("input", { type: "range", step: "0.01", label: "Seconds after the first clip is left" });
  private readonly clockText = el("span", { class: "clock" });
  private readonly length = slider("Length of the transition", 0.1, 1.5, 0.05);
  private readonly leave = slider("Leave the first clip at", 0, 1, 0.01);
  private readonly enter = slider("Enter the second clip at", 0, 1, 0.01);
  private readonly own = el("button", { class: "btn", type: "button", text: "Let each choose", title: "Every method finds its own best moment; this takes some seconds" });
  private readonly state = el("span", { class: "muted", role: "status" });
  private readonly library: CompatibilityView;
  private readonly views = new Map<View, HTMLButtonElement>();
  private lineup: Lineup | null = null;
  private cards: Card[] = [];
  private pair: JoinedPair | null = null;
  private moment: Spot | null = null; // null: every method its own
  private free = false;
  private serial = 0; // of the newest comparison
  private mapSerial = 0;
  private fresh = true; // the moment is chosen by the map when it comes
  private chosen = 0;
  private active = false;
  private asking = 0;
  private readonly frames = new Map<number, PoseFrame>();
  private readonly waiting = new Map<number, JoinMade>(); // whose poses have not come yet
  private madeCount = 0;

  constructor(private readonly host: HTMLElement, private readonly store: Store, private readonly connection: Connection, private readonly actions: Actions) {
    this.chooser = new Chooser(store, () => this.begin());
    this.play.addEventListener("click", () => this.clock.toggle());
    this.scrub.addEventListener("input", () => this.seek(Number(this.scrub.value)));
    for (const one of [this.leave, this.enter]) one.input.addEventListener("input", () => this.slid());
    this.length.input.value = String(USUAL_S);
    this.length.input.addEventListener("input", () => this.lengthen());
    this.own.addEventListener("click", () => this.letChoose());
    this.library = new CompatibilityView(store, connection, (first, second) => {
      this.setView("pair");
      this.compare(first, second);
    });
    host.append(this.head(), this.lineupHost, this.side(), this.transport(), this.library.root);
    connection.on("joined_pair", (pair) => this.paired(pair));
    connection.on("join_made", (made) => this.made(made));
    connection.on("join_map", (map) => this.mapped(map));
    connection.on("join_spots", ({ serial, spots }) => serial === this.mapSerial && this.map.setSpots(spots));
    connection.onFrame((frame) => this.frame(frame));
    connection.onOnline((online) => online && this.active && this.begin());
    store.watch("tab", ({ tab }) => this.setActive(tab === "joins"));
    store.subscribe("theme", () => this.paint());
    this.showTime(0, false);
  }

  /** Compares two clips of the library. */
  compare(first: string, second: string): void {
    this.chooser.set(first, second);
  }

  /** Keys while the tab is shown: Space plays, arrows step. True: nobody else gets it. */
  key(event: KeyboardEvent): boolean {
    const way = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (event.code === "Space") this.clock.toggle();
    else if (way !== 0 && !(event.target as HTMLElement).matches("input")) this.seek(this.clock.timeS + way * FRAME_S);
    else return !/^[1-4?]$/.test(event.key) && !(event.ctrlKey && /^[szy]$/i.test(event.key)); // nothing is edited unseen
    event.preventDefault();
    return true;
  }

  // --- its parts ---------------------------------------------------------------------------------------------------

  private head(): HTMLElement {
    const problems = el("div", { class: "joins-problems" });
    mountProblems(problems, this.store, ["joins"]);
    const views = el("div", { class: "segments", role: "group", label: "Compare" });
    for (const [view, text, title] of VIEWS) {
      const button = el("button", { type: "button", text, title, on: { click: () => this.setView(view) } });
      this.views.set(view, button);
      views.append(button);
    }
    return el("div", { class: "joins-head" }, views,
      el("div", { class: "pair-only" }, this.chooser.root, this.length.root, this.leave.root, this.enter.root, this.own, this.state), problems);
  }

  private side(): HTMLElement {
    return el("div", { class: "joins-side" }, this.map.root, this.curves.root);
  }

  private transport(): HTMLElement {
    const ghosts = el("input", { type: "checkbox", checked: true });
    ghosts.addEventListener("change", () => {
      if (!this.lineup) return;
      this.lineup.ghosts = ghosts.checked;
      this.lineup.invalidate();
    });
    const rate = el("select", { class: "field rate", label: "Speed of the joins", title: "Speed" },
      ...["0.25", "0.5", "1"].map((value) => el("option", { value, text: `${value}×` })));
    rate.value = "1";
    rate.addEventListener("change", () => (this.clock.rate = Number(rate.value)));
    return el("div", { class: "joins-transport", role: "toolbar", label: "In step" }, this.play, this.scrub, this.clockText, rate,
      el("label", { class: "check", title: "The first method's figure, faintly, in the other cards" }, ghosts, "Ghost of the first"));
  }

  private setView(view: View): void {
    this.host.dataset.view = view;
    for (const [one, button] of this.views) button.setAttribute("aria-pressed", String(one === view));
    if (view === "library") {
      this.clock.hold();
      this.library.show();
    } else this.library.hide();
  }

  private setActive(active: boolean): void {
    if (active === this.active) return;
    this.active = active;
    if (!active) {
      this.library.hide();
      return this.clock.hold();
    }
    this.setView("pair");
    this.lineup ??= this.makeLineup();
    this.paint();
    this.chooseFromTimeline();
  }

  private makeLineup(): Lineup {
    const made = new Lineup(this.lineupHost);
    measured.lineup = made;
    return made;
  }

  private paint(): void {
    this.lineup?.paint(document.documentElement.dataset.theme === "light" ? "light" : "dark");
  }

  /** The join that is selected on the timeline, or the first one there; what was compared before stays otherwise. */
  private chooseFromTimeline(): void {
    const { project, selectedJoin } = this.store.state;
    const tracks = project?.document.tracks ?? [];
    const clips = tracks.flatMap((track) => track.clips);
    const find = (id: number): string | undefined => clips.find((clip) => clip.id === id)?.clip;
    const [first, second] = selectedJoin ? [find(selectedJoin.before), find(selectedJoin.after)] : [undefined, undefined];
    if (first && second) return this.compare(first, second);
    if (this.pair) return this.begin();
    const row = tracks.find((track) => track.clips.length > 1)?.clips;
    if (row) this.compare(row[0]!.clip, row[1]!.clip);
    else this.compare("walk", "kick");
  }

  // --- asking --------------------------------------------------------------------------------------------------------

  /** Another pair: its map first, then joins at the moment where it is best. */
  private begin(): void {
    if (!this.active || !this.chooser.first || !this.chooser.second) return;
    this.fresh = true;
    this.free = false;
    this.moment = null;
    this.map.clear();
    this.map.setNames(this.chooser.nameOf(this.chooser.first), this.chooser.nameOf(this.chooser.second));
    this.map.setChosen(null);
    this.lineup?.clear();
    this.curves.clear();
    this.cards = [];
    this.cardsHost.replaceChildren(el("p", { class: "muted joins-wait", text: "Comparing the clips…" }));
    this.store.closeProblems("joins");
    this.askMap();
  }

  private askMap(): void {
    this.connection.send({ type: "map_joins", first: this.chooser.first, second: this.chooser.second, serial: ++this.mapSerial, lengthS: this.lengthS });
  }

  /** Asks soon; while something is dragged, not more often than can be answered. */
  private ask(): void {
    this.asking ||= window.setTimeout(() => {
      this.asking = 0;
      this.askNow();
    }, ASK_MS);
  }

  private askNow(): void {
    this.serial += 1;
    this.madeCount = 0;
    this.waiting.clear();
    for (const card of this.cards) card.wait();
    const at = this.free ? null : this.moment;
    this.connection.send({
      type: "compare_joins", first: this.chooser.first, second: this.chooser.second, serial: this.serial,
      leaveS: at?.leaveS ?? null, enterS: at?.enterS ?? null, lengthS: this.free ? null : this.lengthS,
    });
    setText(this.state, this.free ? "every method looks for its best moment…" : "making the joins…");
  }

  private get lengthS(): number {
    return Number(this.length.input.value);
  }

  private goTo(spot: Spot, now: boolean): void {
    this.free = false;
    this.moment = spot;
    this.showMoment();
    if (now) this.askNow();
    else this.ask();
  }

  private slid(): void {
    this.goTo({ leaveS: Number(this.leave.input.value), enterS: Number(this.enter.input.value) }, false);
  }

  private lengthen(): void {
    this.showMoment();
    this.askMap();
    this.ask();
  }

  private letChoose(): void {
    this.free = true;
    this.map.setChosen(null);
    this.askNow();
  }

  // --- answers -------------------------------------------------------------------------------------------------------

  private mapped(map: JoinMap): void {
    if (map.serial !== this.mapSerial) return;
    this.map.set(map);
    for (const [one, range] of [[this.leave, map.leaveS], [this.enter, map.enterS]] as const) {
      one.input.min = String(range[0]);
      one.input.max = String(range[1]);
    }
    if (this.fresh && map.isFine) {
      this.fresh = false;
      this.moment = map.spots[0] ?? null;
      this.askNow();
    }
    this.showMoment();
  }

  private paired(pair: JoinedPair): void {
    if (pair.serial !== this.serial) return;
    const same = this.cards.length === pair.methods.length && this.cards.every((card, i) => card.method.name === pair.methods[i]!.name);
    this.pair = same && JSON.stringify(this.pair?.skeleton) === JSON.stringify(pair.skeleton) ? { ...pair, skeleton: this.pair!.skeleton } : pair;
    if (same) return;
    this.cards = pair.methods.map((method, i) => new Card(i, method, () => this.choose(i), () => this.use(i)));
    this.cardsHost.replaceChildren(...this.cards.map((card) => card.root));
    this.choose(Math.min(this.chosen, this.cards.length - 1));
  }

  private frame(frame: PoseFrame): void {
    if (frame.kind !== "join") return;
    this.frames.set(frame.track, frame);
    const waiting = this.waiting.get(frame.track);
    if (waiting) this.seat(waiting);
  }

  private made(made: JoinMade): void {
    const card = this.cards[made.number];
    if (made.serial !== this.serial || !card) return;
    card.show(made);
    this.curves.set(made.number, made.curves);
    if (made.problem) this.lineup?.remove(made.number);
    else this.seat(made);
    this.madeCount += 1;
    if (this.madeCount === this.cards.length) setText(this.state, "");
    if (made.number === 0 && !made.problem) this.setRange(made);
  }

  private seat(made: JoinMade): void {
    const frame = this.frames.get(made.number);
    const card = this.cards[made.number];
    if (!frame || frame.serial !== made.serial || !card || !this.pair || !this.lineup) {
      this.waiting.set(made.number, made);
      return;
    }
    this.waiting.delete(made.number);
    this.lineup.set(made.number, card.view, this.pair.skeleton, frame, made.joinS);
    this.lineup.showTime(this.clock.timeS);
  }

  private setRange(made: JoinMade): void {
    const lasts = made.endS - made.joinS;
    const frame = this.frames.get(made.number);
    const after = frame && frame.serial === made.serial ? endOf(frame) - made.joinS : Infinity; // a clip may end before
    const range = [-Math.min(BEFORE_S, made.joinS), Math.min(lasts + AFTER_S, after)] as const;
    this.clock.rangeS = range;
    this.scrub.min = String(range[0]);
    this.scrub.max = String(range[1]);
    this.curves.setRange(range, lasts);
    if (!this.clock.playing && this.clock.timeS === 0) this.clock.play();
    else this.seek(this.clock.timeS);
  }

  private choose(number: number): void {
    this.chosen = number;
    this.cards.forEach((card, i) => card.choose(i === number));
    this.curves.choose(number);
  }

  /** The join becomes a clip of the library at the end of the selected clip's track, or of the first. */
  private use(number: number): void {
    const card = this.cards[number];
    const { project, selection } = this.store.state;
    const tracks = project?.document.tracks ?? [];
    const track = tracks.find((one) => one.clips.some((clip) => selection.has(clip.id))) ?? tracks[0];
    if (!card) return;
    const at = this.free ? null : this.moment;
    this.actions.expectNew();
    this.connection.send({
      type: "use_join", first: this.chooser.first, second: this.chooser.second, method: card.method.name,
      leaveS: at?.leaveS ?? null, enterS: at?.enterS ?? null, lengthS: this.free ? null : this.lengthS, track: track?.id ?? null,
    });
    this.store.set({ tab: "arrange" });
  }

  // --- showing -------------------------------------------------------------------------------------------------------

  private seek(timeS: number): void {
    this.clock.seek(timeS);
  }

  private showMoment(): void {
    this.length.show(this.lengthS);
    this.map.setChosen(this.free ? null : this.moment);
    if (!this.moment) return;
    this.leave.show(this.moment.leaveS);
    this.enter.show(this.moment.enterS);
  }

  private showTime(timeS: number, playing: boolean): void {
    this.lineup?.showTime(timeS);
    this.curves.showTime(timeS);
    this.scrub.value = String(timeS);
    setText(this.clockText, `${timeS < 0 ? "−" : "+"}${seconds(Math.abs(timeS))}`);
    const name = playing ? "Pause the joins" : "Play the joins in step";
    if (this.play.getAttribute("aria-label") === name) return;
    setLabel(this.play, name, `${name} (Space)`);
    const drawn = icon(playing ? "M4 3h3v10H4zM9.5 3h3v10h-3z" : "M4.5 3v10l8.5-5z");
    drawn.classList.add("solid");
    this.play.replaceChildren(drawn);
  }
}

interface Slider {
  readonly root: HTMLElement;
  readonly input: HTMLInputElement;
  show(value: number): void;
}

function slider(label: string, min: number, max: number, step: number): Slider {
  const input = el("input", { type: "range", min: String(min), max: String(max), step: String(step), label, title: label });
  const value = el("span", { class: "number slider-value" });
  return {
    root: el("label", { class: "slider" }, el("span", { class: "muted", text: label.split(" ")[0]! }), input, value),
    input,
    show(now) {
      if (document.activeElement !== input || Math.abs(Number(input.value) - now) > step) input.value = String(now);
      setText(value, seconds(now));
    },
  };
}

export function mountJoins(host: HTMLElement, store: Store, connection: Connection, actions: Actions): Joins {
  return new Joins(host, store, connection, actions);
}
