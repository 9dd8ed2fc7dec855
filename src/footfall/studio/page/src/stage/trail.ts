// Trails: the way of feet, hands and pelvis a moment before and after the playhead.

import * as THREE from "three";
import type { PoseFrame } from "../frames";
import type { Look } from "./look";

const BEFORE_S = 1.0;
const AFTER_S = 0.5;
const STEPS = 72;

interface Trail {
  readonly frame: PoseFrame;
  readonly joint: number;
  readonly tone: "left" | "right" | "face";
  readonly line: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>;
}

export class Trails {
  readonly group = new THREE.Group();
  private readonly byTrack = new Map<number, Trail[]>();
  private look: Look | null = null;

  setTrack(
    track: number, frame: PoseFrame, feet: readonly { ankle: number; toe: number }[], roles: Map<string, number>,
  ): void {
    this.remove(track);
    const wanted: [number | undefined, Trail["tone"]][] = [
      [feet[0]?.toe, "left"], [feet[1]?.toe, "right"],
      [roles.get("left hand"), "left"], [roles.get("right hand"), "right"], [roles.get("pelvis") ?? 0, "face"],
    ];
    const made = wanted.flatMap(([joint, tone]) => (joint === undefined ? [] : [makeTrail(frame, joint, tone)]));
    this.byTrack.set(track, made);
    this.group.add(...made.map((trail) => trail.line));
    if (this.look) this.paint(this.look);
  }

  remove(track: number): void {
    for (const { line } of this.byTrack.get(track) ?? []) {
      this.group.remove(line);
      line.geometry.dispose();
      line.material.dispose();
    }
    this.byTrack.delete(track);
  }

  paint(look: Look): void {
    this.look = look;
    for (const trail of [...this.byTrack.values()].flat()) trail.line.material.color.set(look[trail.tone]);
  }

  setTime(timeS: number): void {
    for (const { frame, joint, line } of [...this.byTrack.values()].flat()) {
      const places = line.geometry.getAttribute("position") as THREE.BufferAttribute;
      const size = frame.joints * 7;
      for (let i = 0; i < STEPS; i++) {
        const at = timeS - BEFORE_S + ((BEFORE_S + AFTER_S) * i) / (STEPS - 1);
        const f = Math.min(Math.max(Math.round((at - frame.startS) * frame.fps), 0), frame.frames - 1);
        const from = f * size + 7 * joint;
        places.setXYZ(i, frame.poses[from]!, frame.poses[from + 1]!, frame.poses[from + 2]!);
      }
      places.needsUpdate = true;
    }
  }
}

/** A line that is strongest at the playhead and fades out towards both ends. */
function makeTrail(frame: PoseFrame, joint: number, tone: Trail["tone"]): Trail {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * STEPS), 3));
  const colors = new Float32Array(4 * STEPS).fill(1);
  const now = (BEFORE_S / (BEFORE_S + AFTER_S)) * (STEPS - 1);
  for (let i = 0; i < STEPS; i++) {
    colors[4 * i + 3] = i <= now ? i / now : 0.45 * (1 - (i - now) / (STEPS - 1 - now));
  }
  geometry.setAttribute("color", new THREE.BufferAttribute(colors, 4));
  const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
  const line = new THREE.Line(geometry, material);
  line.frustumCulled = false;
  return { frame, joint, tone, line };
}
