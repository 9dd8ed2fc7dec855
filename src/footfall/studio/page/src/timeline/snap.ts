// Snapping: the nearest of the times that are worth stopping at, within a few pixels.

export const RADIUS_PX = 9;

export interface SnapPoint {
  readonly timeS: number;
  readonly why: "join" | "edge" | "playhead" | "start";
}

export interface Snapped {
  readonly startS: number;
  readonly at: SnapPoint | null; // the line that is shown
}

const WORTH = { join: 1.6, edge: 1, playhead: 1, start: 1 } as const; // better joins pull from farther away

/** Moves a start so that it, or the end of the clip, lies on the nearest point; join points hold for starts only. */
export function snapStart(startS: number, lengthS: number, points: readonly SnapPoint[], radiusS: number): Snapped {
  let best: Snapped = { startS, at: null };
  let least = 1;
  for (const point of points) {
    const ways = point.why === "join" ? [point.timeS] : [point.timeS, point.timeS - lengthS];
    for (const way of ways) {
      const far = Math.abs(way - startS) / (radiusS * WORTH[point.why]);
      if (far < least && way >= 0) {
        least = far;
        best = { startS: way, at: point };
      }
    }
  }
  return best;
}

/** Moves an edge onto the nearest point. */
export function snapEdge(timeS: number, points: readonly SnapPoint[], radiusS: number): Snapped {
  return snapStart(timeS, 0, points, radiusS);
}

/** The nearest whole frame. */
export function toFrame(timeS: number, fps = 60): number {
  return Math.round(timeS * fps) / fps;
}
