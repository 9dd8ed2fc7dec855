// What a body is made of: points that mix joints, capsules between them, and the trunk's cross-sections.

import { add, place, turn, type Vec } from "./vec";

export type Tone = "body" | "left" | "right" | "left foot" | "right foot" | "face";

/** A point of the body: a mix of joints, moved by an offset in one joint's frame. */
export interface Point {
  readonly mix: readonly (readonly [joint: number, share: number])[];
  readonly frame: number;
  readonly offset: Vec;
}

/** A capsule from a to b; `across` (in a joint's frame) is the direction its ends are wa and wb times as thick in. */
export interface Cone {
  readonly a: Point;
  readonly b: Point;
  readonly ra: number;
  readonly rb: number;
  readonly across: { readonly frame: number; readonly direction: Vec };
  readonly wa: number;
  readonly wb: number;
  readonly tone: Tone;
}

/** A cross-section of the trunk: an ellipse; `turn` goes from 0 (as the pelvis lies) to 1 (as the chest does). */
export interface Level {
  readonly at: Point;
  readonly radius: number;
  readonly width: number;
  readonly turn: number;
}

export interface Trunk {
  readonly levels: readonly Level[];
  readonly below: Cone["across"];
  readonly above: Cone["across"];
}

export interface Body {
  readonly cones: readonly Cone[];
  readonly trunk: Trunk | null;
}

/** Levels with `steps` to each gap, on the smooth curve through them (Catmull and Rom). */
export function loft(levels: readonly Level[], steps: number): Level[] {
  const pick = (i: number): Level => levels[Math.min(Math.max(i, 0), levels.length - 1)]!;
  const made: Level[] = [levels[0]!];
  for (let gap = 0; gap + 1 < levels.length; gap++) {
    for (let step = 1; step <= steps; step++) {
      const t = step / steps;
      const shares = [
        0.5 * t * (t * (2 - t) - 1), 0.5 * (t * t * (3 * t - 5) + 2), 0.5 * t * (t * (4 - 3 * t) + 1), 0.5 * t * t * (t - 1),
      ];
      const around = shares.map((share, k) => [pick(gap - 1 + k), share] as const);
      const mean = (of: "radius" | "width" | "turn"): number =>
        around.reduce((sum, [level, share]) => sum + share * level[of], 0);
      const middle = mixed(around.map(([level, share]) => [level.at, share]));
      made.push({ at: middle, radius: mean("radius"), width: mean("width"), turn: mean("turn") });
    }
  }
  return made;
}

export function point(joint: number, offset: Vec = [0, 0, 0]): Point {
  return { mix: [[joint, 1]], frame: joint, offset };
}

export function plus(a: Point, frame: number, offset: Vec): Point {
  return { mix: a.mix, frame, offset };
}

/** The point a share of the way from a to b; of points without offsets. */
export function blend(a: Point, b: Point, share: number): Point {
  return mixed([[a, 1 - share], [b, share]]);
}

function mixed(parts: readonly (readonly [point: Point, share: number])[]): Point {
  const shares = new Map<number, number>();
  for (const [{ mix }, share] of parts) {
    for (const [joint, part] of mix) shares.set(joint, (shares.get(joint) ?? 0) + share * part);
  }
  return { mix: [...shares], frame: parts[0]![0].frame, offset: [0, 0, 0] };
}

/** Where a point is in a pose. */
export function at(pose: Float32Array, point: Point): Vec {
  let sum = turn(pose, point.frame, point.offset);
  for (const [joint, share] of point.mix) sum = add(sum, place(pose, joint), share);
  return sum;
}
