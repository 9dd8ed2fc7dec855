// Colours of maps: from dark to bright as a figure grows, and weights blue where they add, orange where they take away.

export type MapKind = "error" | "smoothness" | "weight";

type Colour = readonly [number, number, number];

// dark violet, blue, green, yellow: brightness grows all the way, so it is read without colour too
const RAMP: readonly Colour[] = [[38, 32, 74], [47, 82, 138], [36, 137, 141], [79, 193, 107], [244, 228, 80]];
const MORE: Colour = [91, 157, 255];
const LESS: Colour = [240, 140, 60];
const NONE: Colour = [34, 39, 47];
const OUTSIDE = 0.4; // how much is left of the colour outside the examples
// What is fully bright: shares of the range, and curvature over a map of 24 by 24. By eye.
const FULL: Record<"error" | "smoothness", number> = { error: 0.15, smoothness: 0.3 };

export interface Shown {
  readonly values: readonly number[]; // rows from low to high
  readonly inside: readonly boolean[];
  readonly rows: number;
  readonly columns: number;
}

export function rampColour(kind: MapKind, value: number): Colour {
  if (kind === "weight") return value >= 0 ? mixed(NONE, MORE, Math.min(value / 100, 1)) : mixed(NONE, LESS, Math.min(-value / 60, 1));
  const at = Math.min(Math.sqrt(Math.max(value, 0) / FULL[kind]), 1) * (RAMP.length - 1);
  const low = Math.min(Math.floor(at), RAMP.length - 2);
  return mixed(RAMP[low]!, RAMP[low + 1]!, at - low);
}

/** The legend's ends, in words. */
export function rampWords(kind: MapKind): readonly [string, string] {
  if (kind === "weight") return ["−60 %", "100 %"];
  return kind === "error" ? ["0", `≥ ${100 * FULL.error} % of the range`] : ["even", `bent: κ ≥ ${FULL.smoothness}`];
}

/** A map as a picture of as many points; `flip`: its first column is on the right. */
export function paintMap(canvas: HTMLCanvasElement, kind: MapKind, { values, inside, rows, columns }: Shown, flip: boolean): void {
  canvas.width = columns;
  canvas.height = rows;
  const context = canvas.getContext("2d");
  if (!context) return;
  const picture = context.createImageData(columns, rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const from = row * columns + column;
      const colour = mixed(NONE, rampColour(kind, values[from] ?? 0), inside[from] ? 1 : OUTSIDE);
      const to = 4 * ((rows - 1 - row) * columns + (flip ? columns - 1 - column : column));
      picture.data.set([...colour, 255], to);
    }
  }
  context.putImageData(picture, 0, 0);
}

const PAD = 3; // px around a flow

/** Paths of joints; a line is orange and thick where a step is longer than it should be (from 1 on). */
export function paintFlow(canvas: HTMLCanvasElement, lines: readonly (readonly number[])[]): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  const [wide, high] = [canvas.width, canvas.height];
  context.clearRect(0, 0, wide, high);
  let [left, right, low, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const line of lines) {
    for (let i = 0; i < line.length; i += 3) {
      [left, right] = [Math.min(left, line[i]!), Math.max(right, line[i]!)];
      [low, top] = [Math.min(low, line[i + 1]!), Math.max(top, line[i + 1]!)];
    }
  }
  const scale = (value: number, from: number, to: number, size: number): number => PAD + ((value - from) / (to - from || 1)) * (size - 2 * PAD);
  for (const line of lines) {
    for (let i = 3; i < line.length; i += 3) {
      const sudden = Math.min(Math.max(line[i + 2]! - 1, 0), 1);
      context.strokeStyle = sudden > 0 ? `rgb(${mixed(MORE, LESS, sudden).join()})` : "rgb(91 157 255 / 75%)";
      context.lineWidth = 1 + 2.5 * sudden;
      context.beginPath();
      context.moveTo(scale(line[i - 3]!, left, right, wide), high - scale(line[i - 2]!, low, top, high));
      context.lineTo(scale(line[i]!, left, right, wide), high - scale(line[i + 1]!, low, top, high));
      context.stroke();
    }
  }
}

function mixed(a: Colour, b: Colour, share: number): Colour {
  return [0, 1, 2].map((i) => Math.round(a[i]! + share * (b[i]! - a[i]!))) as unknown as Colour;
}
