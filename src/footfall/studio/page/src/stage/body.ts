// A body as tapered capsules: which joints each goes between, how thick, how wide. Sizes are those of a slim adult.

import type { SkeletonView } from "../messages";
import { STRIDE } from "../frames";
import { at, blend, loft, plus, point, type Body, type Cone, type Level, type Point, type Tone, type Trunk } from "./points";
import { add, cross, dot, length, mul, place, square, sub, turn, unit, UP, type Vec } from "./vec";

const ADULT_M = 1.75;
const SIDES = ["left", "right"] as const;
type Side = (typeof SIDES)[number];

/** The capsules of a skeleton; the sample poses tell which way head, hands and feet point in their joints' frames. */
export function bodyOf(skeleton: SkeletonView, samples: readonly Float32Array[]): Body {
  const builder = new Builder(skeleton, samples);
  return builder.isPerson ? builder.person() : builder.bones();
}

/** Joints by what they carry: "left foot" → index of the ankle. */
export function rolesOf(skeleton: SkeletonView): Map<string, number> {
  const roles = new Map<string, number>();
  skeleton.roles.forEach((role, joint) => {
    if (role && !roles.has(role)) roles.set(role, joint);
  });
  return roles;
}

/** A few poses spread over a take. */
export function samplePoses(poses: Float32Array, frames: number, joints: number, count = 24): Float32Array[] {
  const size = joints * STRIDE;
  const wanted = Math.min(frames, count);
  return Array.from({ length: wanted }, (_, i) => {
    const at = wanted > 1 ? Math.round((i * (frames - 1)) / (wanted - 1)) : 0;
    return poses.subarray(at * size, (at + 1) * size);
  });
}

const ANY: Cone["across"] = { frame: -1, direction: [0.36, 0.48, 0.8] };

class Builder {
  private readonly cones: Cone[] = [];
  private readonly roles: Map<string, number>;
  private readonly scale: number;

  constructor(
    private readonly skeleton: SkeletonView,
    private readonly samples: readonly Float32Array[],
  ) {
    this.roles = rolesOf(skeleton);
    this.scale = (skeleton.heightM > 0.01 ? skeleton.heightM : ADULT_M) / ADULT_M;
  }

  get isPerson(): boolean {
    const parts = ["thigh", "shin", "foot", "upper arm", "forearm", "hand"];
    return this.samples.length > 0 && SIDES.every((side) => parts.every((part) => this.roles.has(`${side} ${part}`)));
  }

  person(): Body {
    const trunk = this.trunk();
    this.head();
    for (const side of SIDES) {
      this.leg(side);
      this.arm(side);
    }
    this.fingers();
    return { cones: this.cones, trunk };
  }

  /** Every bone as thick as the studio says, thinner towards its end. */
  bones(): Body {
    const { parents, radii, ends } = this.skeleton;
    parents.forEach((parent, joint) => {
      const radius = radii[joint] ?? 0.03;
      if (parent >= 0 && radius > 0) this.raw(point(parent), point(joint), radius, 0.8 * radius, this.toneOf(joint));
      const end = ends[joint] as Vec | undefined;
      if (end && length(end) > 1e-4) {
        this.raw(point(joint), point(joint, end), 0.8 * radius, 0.6 * radius, this.toneOf(joint));
      }
    });
    if (this.cones.length === 0) this.raw(point(0), point(0), 0.08, 0.08, "body");
    return { cones: this.cones, trunk: null };
  }

  // --- parts of a person; radii in metres of an adult --------------------------------------------------------------

  /** A loft from the seat to the neck: ellipses whose middle, thickness and width follow smooth curves. */
  private trunk(): Trunk {
    const hips = this.middle("thigh");
    const top = this.middle("upper arm");
    const wide = this.distance(this.joint("left upper arm"), this.joint("right upper arm"));
    const slim = Math.min(Math.max(wide / (0.33 * this.scale), 0.8), 1.06);
    const chest = this.chestJoint();
    const pelvis = this.roles.get("pelvis") ?? this.joint("left thigh");
    const above = { frame: chest, direction: this.inJoint(chest, (pose) => this.leftward(pose, "upper arm")) };
    const below = { frame: pelvis, direction: this.inJoint(pelvis, (pose) => this.leftward(pose, "thigh")) };
    const waist = this.waist(hips, top);
    const level = (middle: Point, radius: number, width: number, turned: number): Level => ({
      at: middle, radius: radius * slim * this.scale, width, turn: turned,
    });
    for (const side of SIDES) {
      const shoulder = point(this.joint(`${side} upper arm`));
      this.add(blend(top, waist, 0.04), blend(top, shoulder, 0.94), 0.06, 0.047, "body");
    }
    const levels = loft([
      level(blend(hips, top, -0.06), 0.085, 1.5, 0),
      level(blend(hips, waist, 0.22), 0.1, 1.6, 0),
      level(waist, 0.088, 1.45, 0.4),
      level(blend(waist, top, 0.4), 0.098, 1.5, 1),
      level(blend(waist, top, 0.72), 0.104, 1.56, 1),
      level(blend(waist, top, 0.94), 0.094, 1.66, 1),
      level(blend(waist, top, 1.08), 0.07, 1.55, 1),
      level(blend(waist, top, 1.18), 0.05, 1.15, 1),
    ], 3);
    return { levels, below, above };
  }

  private head(): void {
    const head = this.roles.get("head");
    if (head === undefined) return;
    const top = this.middle("upper arm");
    const end = this.end(head);
    const crown = end ? unit(end) : this.inJoint(head, (pose) => this.upward(pose));
    const ahead = square(this.inJoint(head, (pose) => this.forward(pose)), crown, [0, 0, 1]);
    const across = { frame: head, direction: cross(crown, ahead) };
    const at = (up: number, on: number, aside = 0): Point =>
      point(head, mul(add(add(mul(crown, up), ahead, on), across.direction, aside), this.scale));
    this.add(blend(top, point(head), 0.1), at(0.02, 0), 0.056, 0.049, "body");
    this.add(at(0.122, -0.006), at(0.056, 0.02), 0.094, 0.066, "body", across, 0.9);
    this.add(at(0.106, 0.053, -0.031), at(0.106, 0.053, 0.031), 0.038, 0.038, "face"); // a visor: where it looks
  }

  private leg(side: Side): void {
    const [hip, knee, ankle] = ["thigh", "shin", "foot"].map((part) => this.joint(`${side} ${part}`)) as Vec;
    this.add(point(hip), point(knee), 0.083, 0.055, side);
    this.add(point(knee), point(ankle), 0.055, 0.036, side);
    const toe = this.roles.get(`${side} toe`);
    const tip = toe === undefined ? this.end(ankle) : this.end(toe);
    const ball = toe !== undefined ? point(toe) : tip ? point(ankle, tip) : null;
    if (ball) this.foot(side, ankle, ball, toe !== undefined && tip ? point(toe, tip) : null);
  }

  /** Heel, arch and toes, on the sole's height when the foot stands. */
  private foot(side: Side, ankle: number, ball: Point, tip: Point | null): void {
    const standing = this.lowest((pose) => at(pose, ball)[1] + place(pose, ankle)[1]);
    const up = this.inJoint(ankle, () => UP, standing);
    const ahead = square(this.inJoint(ankle, (pose) => sub(at(pose, ball), place(pose, ankle))), up, [0, 0, 1]);
    const across = { frame: ankle, direction: cross(up, ahead) };
    const drops = standing.map((pose) => dot(sub(place(pose, ankle), at(pose, ball)), turn(pose, ankle, up)));
    const drop = drops.reduce((sum, d) => sum + d, 0) / Math.max(drops.length, 1);
    const s = this.scale;
    const heel = point(ankle, add(mul(ahead, -0.032 * s), up, -Math.max(drop - 0.006 * s, 0)));
    const tone = `${side} foot` as const;
    this.add(point(ankle), heel, 0.037, 0.033, tone, across, 1.05);
    const instep = point(ankle, add(mul(ahead, 0.02 * s), up, -0.35 * Math.max(drop, 0)));
    this.add(heel, ball, 0.033, 0.031, tone, across, 1.15, 1.42);
    this.add(point(ankle, mul(ahead, 0.006 * s)), ball, 0.036, 0.029, tone, across, 1, 1.35);
    this.add(instep, ball, 0.037, 0.03, tone, across, 1, 1.4);
    this.add(ball, tip ?? plus(ball, ankle, mul(ahead, 0.055 * s)), 0.03, 0.02, tone, across, 1.42, 1.5);
  }

  private arm(side: Side): void {
    const [shoulder, elbow, wrist] = ["upper arm", "forearm", "hand"].map((part) => this.joint(`${side} ${part}`)) as Vec;
    this.add(point(shoulder), point(elbow), 0.053, 0.037, side);
    this.add(point(elbow), point(wrist), 0.037, 0.026, side);
    const along = this.handDirection(wrist, elbow);
    const across = { frame: wrist, direction: this.handWidth(wrist, elbow, shoulder, along) };
    const s = this.scale;
    const palm = point(wrist, mul(along, 0.075 * s));
    this.add(point(wrist), palm, 0.025, 0.02, side, across, 1.1, 1.85);
    if (this.skeleton.roles.includes("finger")) return;
    this.add(palm, point(wrist, mul(along, 0.145 * s)), 0.02, 0.011, side, across, 1.85, 1.7);
    const thumb = add(mul(along, 0.085 * s), across.direction, 0.045 * s);
    this.add(point(wrist, mul(along, 0.03 * s)), point(wrist, thumb), 0.017, 0.011, side);
  }

  private fingers(): void {
    const { parents, roles } = this.skeleton;
    roles.forEach((role, joint) => {
      if (role !== "finger") return;
      const parent = parents[joint]!;
      const tone = this.toneOf(joint);
      if (roles[parent] === "finger") this.add(point(parent), point(joint), 0.0105, 0.009, tone);
      const end = this.end(joint);
      if (end && length(end) < 0.06 * this.scale) this.add(point(joint), point(joint, end), 0.009, 0.0075, tone);
    });
  }

  // --- directions --------------------------------------------------------------------------------------------------

  /** Direction in a joint's frame that stays closest to a world direction over the samples. */
  private inJoint(joint: number, world: (pose: Float32Array) => Vec, samples = this.samples): Vec {
    let sum: Vec = [0, 0, 0];
    for (const pose of samples) sum = add(sum, turn(pose, joint, unit(world(pose)), true));
    return unit(sum);
  }

  private leftward(pose: Float32Array, part: string): Vec {
    return sub(place(pose, this.joint(`left ${part}`)), place(pose, this.joint(`right ${part}`)));
  }

  private upward(pose: Float32Array): Vec {
    return sub(at(pose, this.middle("upper arm")), at(pose, this.middle("thigh")));
  }

  private forward(pose: Float32Array): Vec {
    return cross(add(this.leftward(pose, "thigh"), this.leftward(pose, "upper arm")), this.upward(pose));
  }

  /** Where the fingers lie from the wrist: the hand's end, its children, or straight on from the forearm. */
  private handDirection(wrist: number, elbow: number): Vec {
    const child = this.skeleton.parents.indexOf(wrist);
    const end = this.end(wrist);
    if (end) return unit(end);
    const from = child >= 0 ? wrist : elbow;
    return this.inJoint(wrist, (pose) => sub(place(pose, child >= 0 ? child : wrist), place(pose, from)));
  }

  /** Across the palm: a relaxed hand stands on edge in the plane the elbow bends in, the thumb on the inner side. */
  private handWidth(wrist: number, elbow: number, shoulder: number, along: Vec): Vec {
    let sum: Vec = [0, 0, 0];
    for (const pose of this.samples) {
      const upper = unit(sub(place(pose, elbow), place(pose, shoulder)));
      const fore = unit(sub(place(pose, wrist), place(pose, elbow)));
      sum = add(sum, turn(pose, wrist, sub(fore, mul(upper, dot(upper, fore))), true)); // weighs as the bend does
    }
    const side = length(sum) > 1e-3 ? sum : this.inJoint(wrist, (pose) => this.forward(pose));
    return square(side, along, square([0, 0, 1], along, [1, 0, 0]));
  }

  private lowest(height: (pose: Float32Array) => number): Float32Array[] {
    const sorted = [...this.samples].sort((a, b) => height(a) - height(b));
    return sorted.slice(0, Math.max(1, Math.floor(sorted.length / 4)));
  }

  // --- joints and points -------------------------------------------------------------------------------------------

  private joint(role: string): number {
    return this.roles.get(role) ?? 0;
  }

  private end(joint: number): Vec | null {
    const end = this.skeleton.ends[joint] as Vec | undefined;
    return end && length(end) > 0.005 * this.scale ? end : null;
  }

  private middle(part: string): Point {
    return blend(point(this.joint(`left ${part}`)), point(this.joint(`right ${part}`)), 0.5);
  }

  private chestJoint(): number {
    const spine = this.skeleton.roles.lastIndexOf("spine");
    return spine >= 0 ? spine : (this.roles.get("pelvis") ?? 0);
  }

  /** A spine joint 30 to 60 % of the way up, so that the body bends where the skeleton does. */
  private waist(hips: Point, top: Point): Point {
    const pose = this.samples[0]!;
    const low = at(pose, hips);
    const way = sub(at(pose, top), low);
    const share = (joint: number): number => dot(sub(place(pose, joint), low), way) / Math.max(dot(way, way), 1e-9);
    const spine = this.skeleton.roles.flatMap((role, joint) => (role === "spine" ? [joint] : []));
    const found = spine.filter((j) => share(j) > 0.25 && share(j) < 0.6);
    found.sort((a, b) => Math.abs(share(a) - 0.4) - Math.abs(share(b) - 0.4));
    return found[0] === undefined ? blend(hips, top, 0.4) : point(found[0]);
  }

  private distance(a: number, b: number): number {
    const pose = this.samples[0]!;
    return length(sub(place(pose, a), place(pose, b)));
  }

  private toneOf(joint: number): Tone {
    for (let j = joint; j >= 0; j = this.skeleton.parents[j]!) {
      const side = SIDES.find((name) => this.skeleton.roles[j]?.startsWith(name));
      if (side) return side;
    }
    return "body";
  }

  private add(
    a: Point, b: Point, ra: number, rb: number, tone: Tone, across?: Cone["across"], wa?: number, wb?: number,
  ): void {
    this.raw(a, b, ra * this.scale, rb * this.scale, tone, across, wa, wb);
  }

  private raw(
    a: Point, b: Point, ra: number, rb: number, tone: Tone, across: Cone["across"] = ANY, wa = 1, wb = wa,
  ): void {
    this.cones.push({ a, b, ra, rb, across, wa, wb, tone });
  }
}
