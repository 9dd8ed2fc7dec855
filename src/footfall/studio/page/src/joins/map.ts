// The map of moments: leaving times to the right, entry times upwards, bright where the clips are alike; click to go there.

import { clamp, el, seconds, setText } from "../elements";
import type { JoinMap, JoinSpot } from "../messages";
import { GRADE_WORDS } from "../timeline/join";

// from alike to unlike: light to dark in one hue family, so that it reads without colours too
const TONES: readonly (readonly [number, number, number])[] = [
  [253, 231, 150], [150, 205, 120], [62, 150, 140], [58, 92, 140], [52, 44, 92], [30, 26, 48],
];

export interface Spot {
  readonly leaveS: number;
  readonly enterS: number;
}

export class MapView {
  readonly root = el("div", { class: "join-map", role: "group", label: "Map of moments" });
  private readonly canvas = el("canvas", { width: 1, height: 1 });
  private readonly field = el("div", { class: "map-field" });
  private readonly spots = el("div", { class: "map-spots" });
  private readonly cross = el("i", { class: "map-cross", hidden: true });
  private readonly words = el("p", { class: "muted map-words", role: "status" });
  private readonly leaves = el("span");
  private readonly enters = el("span");
  private map: JoinMap | null = null;

  constructor(private readonly go: (spot: Spot, released: boolean) => void) {
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "How alike the clips are: leaving times to the right, entry times upwards");
    this.field.append(this.canvas, this.cross, this.spots);
    this.root.append(
      el("h3", {}, el("span", { text: "Moments" }), el("span", { class: "map-key" }, "alike", el("i"), "unlike")),
      el("div", { class: "map-frame" }, el("div", { class: "map-y muted" }, this.enters), this.field, el("div", { class: "map-x muted" }, this.leaves)),
      this.words,
    );
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.follow(event, false);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (this.canvas.hasPointerCapture(event.pointerId)) this.follow(event, false);
    });
    this.canvas.addEventListener("pointerup", (event) => this.follow(event, true));
    this.say("Comparing every moment of both clips…");
  }

  say(text: string): void {
    setText(this.words, text);
  }

  setNames(first: string, second: string): void {
    setText(this.leaves, `leaves ${first} →`);
    setText(this.enters, `enters ${second} →`);
  }

  clear(): void {
    this.map = null;
    this.spots.replaceChildren();
    this.canvas.width = this.canvas.height = 1;
    this.root.dataset.fine = "0";
    this.say("Comparing every moment of both clips…");
  }

  set(map: JoinMap): void {
    this.map = map;
    this.paint(map);
    this.setSpots(map.spots);
    this.root.dataset.fine = map.isFine ? "1" : "0";
  }

  /** The moments that are more alike than those around them, with what the judge says of a join there. */
  setSpots(spots: readonly JoinSpot[]): void {
    const made = spots.map((spot, i) => {
      const verdict = spot.grade === "unknown" ? "not judged yet" : spot.seen || GRADE_WORDS[spot.grade];
      const label = `Moment ${i + 1}: leave at ${seconds(spot.leaveS)}, enter at ${seconds(spot.enterS)}: ${verdict}`;
      const dot = el("button", { class: "map-spot", type: "button", label, title: `${label}; ${spot.unlikeCm.toFixed(1)} cm apart`, data: { grade: spot.grade } });
      this.put(dot, spot);
      dot.addEventListener("click", () => this.go(spot, true));
      return dot;
    });
    this.spots.replaceChildren(...made);
    const judged = spots.filter((spot) => spot.grade !== "unknown");
    const good = judged.filter((spot) => spot.grade !== "poor").length;
    this.say(judged.length < spots.length
      ? `${spots.length} moments stand out; judged: ${judged.length}`
      : `${spots.length} moments stand out; ${good} of them are believable`);
  }

  setChosen(spot: Spot | null): void {
    this.cross.hidden = spot === null || this.map === null;
    if (spot) this.put(this.cross, spot);
  }

  private put(element: HTMLElement, { leaveS, enterS }: Spot): void {
    if (!this.map) return;
    const share = (value: number, [from, to]: readonly [number, number]): number => clamp((value - from) / Math.max(to - from, 1e-6), 0, 1);
    element.style.left = `${(100 * share(leaveS, this.map.leaveS)).toFixed(2)}%`;
    element.style.bottom = `${(100 * share(enterS, this.map.enterS)).toFixed(2)}%`;
  }

  private follow(event: PointerEvent, released: boolean): void {
    const { map } = this;
    if (!map) return;
    const box = this.canvas.getBoundingClientRect();
    const at = (share: number, [from, to]: readonly [number, number]): number => from + clamp(share, 0, 1) * (to - from);
    this.go({
      leaveS: at((event.clientX - box.left) / box.width, map.leaveS),
      enterS: at((box.bottom - event.clientY) / box.height, map.enterS),
    }, released);
  }

  /** One pixel a cell: the browser enlarges it. Rows of the map are leaving times, columns of the picture too. */
  private paint({ rows, columns, cells }: JoinMap): void {
    const bytes = Uint8Array.from(atob(cells), (letter) => letter.charCodeAt(0));
    this.canvas.width = rows;
    this.canvas.height = columns;
    const pen = this.canvas.getContext("2d");
    if (!pen || bytes.length !== rows * columns) return;
    const picture = pen.createImageData(rows, columns);
    for (let leave = 0; leave < rows; leave++) {
      for (let enter = 0; enter < columns; enter++) {
        picture.data.set(tone(bytes[leave * columns + enter]!), 4 * ((columns - 1 - enter) * rows + leave));
      }
    }
    pen.putImageData(picture, 0, 0);
  }
}

function tone(value: number): readonly [number, number, number, number] {
  const at = (value / 255) * (TONES.length - 1);
  const [a, b] = [TONES[Math.floor(at)]!, TONES[Math.min(Math.floor(at) + 1, TONES.length - 1)]!];
  const mix = (i: 0 | 1 | 2): number => Math.round(a[i] + (at % 1) * (b[i] - a[i]));
  return [mix(0), mix(1), mix(2), 255];
}
