// Footprints: where each foot stood in a take, as soles on the floor that fade away from the playhead.

import * as THREE from "three";
import type { PoseFrame } from "../frames";
import type { Look } from "./look";

const STILL_M_S = 0.22; // a foot slower than this stands
const LOW_M = 0.035; // above the lowest it gets
const SHORTEST_S = 0.09;
const MOST = 2048;

interface Print {
  readonly x: number;
  readonly y: number; // of what it stood on
  readonly z: number;
  readonly heading: number;
  readonly length: number;
  readonly side: number; // 0 left, 1 right
  readonly startS: number;
  readonly endS: number;
}

export type Under = (x: number, z: number, nearY: number) => number;

export class Footprints {
  readonly mesh: THREE.InstancedMesh;
  private readonly material: THREE.ShaderMaterial;
  private readonly times = new THREE.InstancedBufferAttribute(new Float32Array(3 * MOST), 3); // start, end, side
  private readonly byTrack = new Map<number, Print[]>();

  constructor() {
    const geometry = new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2);
    geometry.setAttribute("stood", this.times);
    this.material = printMaterial();
    this.mesh = new THREE.InstancedMesh(geometry, this.material, MOST);
    this.mesh.count = 0;
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1;
  }

  /** under: how high the ground is, where it is not level. */
  setTrack(track: number, frame: PoseFrame, feet: readonly { ankle: number; toe: number }[], under: Under | null = null): void {
    this.byTrack.set(track, feet.flatMap((foot, side) => findPrints(frame, foot, side, under)));
    this.fill();
  }

  remove(track: number): void {
    this.byTrack.delete(track);
    this.fill();
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.material.dispose();
    this.mesh.dispose();
  }

  setTime(timeS: number): void {
    this.material.uniforms.now!.value = timeS;
  }

  paint(look: Look): void {
    this.material.uniforms.left!.value.set(look.left);
    this.material.uniforms.right!.value.set(look.right);
  }

  private fill(): void {
    const prints = [...this.byTrack.values()].flat().slice(0, MOST);
    const matrix = new THREE.Matrix4();
    prints.forEach((print, i) => {
      const turned = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), print.heading);
      const scale = new THREE.Vector3(0.4 * print.length, 1, print.length);
      this.mesh.setMatrixAt(i, matrix.compose(new THREE.Vector3(print.x, print.y + 0.003, print.z), turned, scale));
      this.times.setXYZ(i, print.startS, print.endS, print.side);
    });
    this.mesh.count = prints.length;
    this.mesh.instanceMatrix.needsUpdate = this.times.needsUpdate = true;
  }
}

/** Spans in which the toe joint is low and still, each as one print at its mean place. */
export function findPrints(frame: PoseFrame, foot: { ankle: number; toe: number }, side: number, under: Under | null = null): Print[] {
  const { frames, joints, fps, poses, startS } = frame;
  const at = (i: number, joint: number, c: number): number => poses[(i * joints + joint) * 7 + c]!;
  let lowest = Infinity;
  for (let i = 0; i < frames; i++) lowest = Math.min(lowest, at(i, foot.toe, 1));
  const stands = (i: number): boolean => {
    const [a, b] = [Math.max(i - 1, 0), Math.min(i + 1, frames - 1)];
    const moved = Math.hypot(...[0, 1, 2].map((c) => at(b, foot.toe, c) - at(a, foot.toe, c)));
    return b > a && (under !== null || at(i, foot.toe, 1) < lowest + LOW_M) && (moved * fps) / (b - a) < STILL_M_S;
  };
  const prints: Print[] = [];
  for (let first = 0; first < frames; first++) {
    if (!stands(first)) continue;
    let last = first;
    while (last + 1 < frames && stands(last + 1)) last++;
    const middle = (first + last) >> 1;
    if ((last - first) / fps >= SHORTEST_S) prints.push(printAt(middle, first, last));
    first = last;
  }
  return prints;

  function printAt(i: number, first: number, last: number): Print {
    const [ax, az] = [at(i, foot.ankle, 0), at(i, foot.ankle, 2)];
    const [tx, tz] = [at(i, foot.toe, 0), at(i, foot.toe, 2)];
    const [x, z] = [ax + 0.62 * (tx - ax), az + 0.62 * (tz - az)];
    return {
      x, y: under?.(x, z, at(i, foot.toe, 1)) ?? 0, z, heading: Math.atan2(tx - ax, tz - az),
      length: Math.hypot(tx - ax, tz - az) + 0.13, side, startS: startS + first / fps, endS: startS + last / fps,
    };
  }
}

function printMaterial(): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { now: { value: 0 }, left: { value: new THREE.Color() }, right: { value: new THREE.Color() } },
    vertexShader: /* glsl */ `
      attribute vec3 stood;
      uniform float now;
      varying vec2 vAt;
      varying float vSeen;
      varying float vSide;
      void main() {
        vAt = 2.0 * position.xz;
        vSide = stood.z;
        float ago = max(now - stood.y, 0.0);
        float ahead = max(stood.x - now, 0.0);
        vSeen = ahead > 0.0 ? 0.10 * exp(-0.5 * ahead) : 0.55 * exp(-0.22 * ago);
        gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 left;
      uniform vec3 right;
      varying vec2 vAt;
      varying float vSeen;
      varying float vSide;
      float oval(vec2 at, vec2 half_) { return length(at / half_) - 1.0; }
      void main() {
        vec2 at = vec2(vSide < 0.5 ? vAt.x : -vAt.x, vAt.y);
        float ball = oval(at - vec2(-0.02 - 0.1 * at.y, 0.38), vec2(0.72, 0.56));
        float heel = oval(at - vec2(0.0, -0.66), vec2(0.52, 0.3));
        float arch = oval(at - vec2(0.12, -0.25), vec2(0.34, 0.6));
        float sole = min(ball, min(heel, arch));
        float inside = 1.0 - smoothstep(-0.06, 0.02, sole);
        gl_FragColor = vec4(vSide < 0.5 ? left : right, inside * vSeen);
        #include <colorspace_fragment>
      }`,
  });
}
