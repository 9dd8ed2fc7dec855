// One round of a blend, played by the page: canonical time goes on at the blend's own pace, and its carrier over the floor.

import { poseAt, STRIDE, type PoseFrame } from "../frames";

const REST_S = 0.6; // that an action waits at its end before it begins again

interface Floor {
  readonly x: number;
  readonly z: number;
  readonly turn: number; // radians, to the left
}

const START: Floor = { x: 0, z: 0, turn: 0 };

/** Poses at even canonical times as seen from the carrier, which is the last of the joints. */
export class Round {
  constructor(private readonly frame: PoseFrame, private readonly keyTimesS: readonly number[]) {}

  get joints(): number {
    return this.frame.joints - 1;
  }

  get seconds(): number {
    return this.keyTimesS[this.keyTimesS.length - 1] ?? 1;
  }

  /** (joints + 1) × 7 at a canonical time. */
  at(t: number): Float32Array {
    return poseAt(this.frame, (t * (this.frame.frames - 1)) / this.frame.fps);
  }

  /** Seconds from the beginning to a canonical time. */
  secondsAt(t: number): number {
    const [k, share] = this.part(t);
    return this.keyTimesS[k]! + share * (this.keyTimesS[k + 1]! - this.keyTimesS[k]!);
  }

  /** Canonical time a second, at a canonical time. */
  rate(t: number): number {
    const [k] = this.part(t);
    return 1 / Math.max((this.keyTimesS[k + 1]! - this.keyTimesS[k]!) * (this.keyTimesS.length - 1), 1e-3);
  }

  carrier(t: number): Floor {
    const row = this.at(t).subarray(STRIDE * this.joints);
    return { x: row[0]!, z: row[2]!, turn: 2 * Math.atan2(row[4]!, row[6]!) };
  }

  private part(t: number): [number, number] {
    const count = this.keyTimesS.length - 1;
    const k = Math.min(Math.floor(t * count), count - 1);
    return [k, t * count - k];
  }
}

/** Where the figure is: a moment of the round and a place on the floor; both stay when the round becomes another. */
export class Walker {
  t = 0;
  private place = START;
  private restS = 0;

  constructor(private readonly loops: boolean) {}

  advance(round: Round, dtS: number): void {
    let t = this.t;
    for (let left = dtS; left > 1e-6; ) {
      const step = Math.min(left, 1 / 120);
      t += step * round.rate(Math.min(t, 0.9999));
      left -= step;
    }
    if (t < 1) return this.travel(round, this.t, t);
    if (this.loops) {
      this.travel(round, this.t, 1);
      this.t = 0;
      return this.travel(round, 0, t - Math.floor(t));
    }
    this.travel(round, this.t, 1);
    this.restS += dtS;
    if (this.restS > REST_S) this.to(0);
  }

  /** To a moment, where the round began. */
  to(t: number, round?: Round): void {
    this.restS = 0;
    this.t = this.loops ? this.t : 0;
    if (!this.loops) this.place = START;
    if (round) this.travel(round, this.t, t);
    this.t = t;
  }

  /** The pose in the world. */
  pose(round: Round): Float32Array {
    const pose = round.at(Math.min(this.t, 1)).slice(0, STRIDE * round.joints);
    const { x, z, turn } = this.place;
    const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
    const [half, w] = [Math.sin(turn / 2), Math.cos(turn / 2)];
    for (let i = 0; i < pose.length; i += STRIDE) {
      const [px, pz] = [pose[i]!, pose[i + 2]!];
      pose[i] = x + px * cos + pz * sin;
      pose[i + 2] = z - px * sin + pz * cos;
      const [qx, qy, qz, qw] = [pose[i + 3]!, pose[i + 4]!, pose[i + 5]!, pose[i + 6]!];
      pose[i + 3] = w * qx + half * qz;
      pose[i + 4] = w * qy + half * qw;
      pose[i + 5] = w * qz - half * qx;
      pose[i + 6] = w * qw - half * qy;
    }
    return pose;
  }

  private travel(round: Round, from: number, to: number): void {
    const [a, b] = [round.carrier(from), round.carrier(Math.min(to, 1))];
    const turned = this.place.turn - a.turn;
    const [dx, dz] = [b.x - a.x, b.z - a.z];
    this.place = {
      x: this.place.x + dx * Math.cos(turned) + dz * Math.sin(turned),
      z: this.place.z - dx * Math.sin(turned) + dz * Math.cos(turned),
      turn: this.place.turn + b.turn - a.turn,
    };
    this.t = Math.min(to, 1);
  }
}
