// Vectors as plain triples, for the little geometry that is done before the GPU takes over.

export type Vec = [number, number, number];

export const UP: Vec = [0, 1, 0];

export const add = (a: Vec, b: Vec, scale = 1): Vec => [a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2]];
export const sub = (a: Vec, b: Vec): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const mul = (a: Vec, scale: number): Vec => [a[0] * scale, a[1] * scale, a[2] * scale];
export const dot = (a: Vec, b: Vec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec, b: Vec): Vec => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const length = (a: Vec): number => Math.hypot(a[0], a[1], a[2]);

/** Of length 1; the fallback where there is no direction. */
export function unit(a: Vec, fallback: Vec = UP): Vec {
  const size = length(a);
  return size > 1e-6 ? mul(a, 1 / size) : fallback;
}

/** The part of a that is square to a unit direction, of length 1. */
export const square = (a: Vec, direction: Vec, fallback?: Vec): Vec =>
  unit(add(a, direction, -dot(a, direction)), fallback);

/** Position of a joint in a pose of joints × 7 floats. */
export const place = (pose: Float32Array, joint: number): Vec => [
  pose[7 * joint]!,
  pose[7 * joint + 1]!,
  pose[7 * joint + 2]!,
];

/** A vector of a joint's frame in the world, or with `back` the other way. */
export function turn(pose: Float32Array, joint: number, v: Vec, back = false): Vec {
  const i = 7 * joint + 3;
  const sign = back ? -1 : 1;
  const q: Vec = [sign * pose[i]!, sign * pose[i + 1]!, sign * pose[i + 2]!];
  const t = mul(cross(q, v), 2);
  return add(add(v, t, pose[i + 3]!), cross(q, t));
}
