// Seconds to pixels and back, zooming around a point that stays, and where the ruler's marks lie.

import { clamp } from "../elements";

const SMALLEST = 8; // pixels a second
const LARGEST = 800;
const STEPS_S = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300];
const LEAST_LABEL_PX = 64;

export class Scale {
  pxPerS = 90;

  x(timeS: number): number {
    return timeS * this.pxPerS;
  }

  s(x: number): number {
    return x / this.pxPerS;
  }

  zoomTo(pxPerS: number): void {
    this.pxPerS = clamp(pxPerS, SMALLEST, LARGEST);
  }

  /** Seconds between labels. */
  get stepS(): number {
    return STEPS_S.find((step) => this.x(step) >= LEAST_LABEL_PX) ?? 600;
  }
}

/** A label of the ruler. */
export function clock(timeS: number, stepS: number): string {
  const digits = stepS < 0.1 ? 2 : stepS < 1 ? (stepS === 0.25 ? 2 : 1) : 0;
  if (timeS < 60) return `${timeS.toFixed(digits)}s`;
  const minutes = Math.floor(timeS / 60 + 1e-9);
  const rest = (timeS - 60 * minutes).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  return `${minutes}:${rest}`;
}
