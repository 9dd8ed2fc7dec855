// Lines on the floor: where the steered character has been, the newest part of it; what somebody draws there.

import * as THREE from "three";
import type { Look } from "./look";

const MOST = 900; // points
const STEP_M = 0.04; // between two of them
const JUMP_M = 1.0; // farther apart it was put somewhere else, and the line begins anew

export class FloorPath {
  readonly line: THREE.Line;
  private readonly places = new Float32Array(3 * MOST);
  private count = 0;

  constructor(private readonly jumpM = JUMP_M) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(this.places, 3));
    this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ transparent: true, opacity: 0.7 }));
    this.line.frustumCulled = false;
    this.clear();
  }

  paint(colour: string): void {
    (this.line.material as THREE.LineBasicMaterial).color.set(colour);
  }

  clear(): void {
    this.count = 0;
    this.line.geometry.setDrawRange(0, 0);
  }

  add(x: number, z: number, y = 0): void {
    const last = 3 * (this.count - 1);
    const far = this.count === 0 ? Infinity : Math.hypot(x - this.places[last]!, z - this.places[last + 2]!);
    if (far < STEP_M) return;
    if (far > this.jumpM && this.count > 0) this.count = 0;
    if (this.count === MOST) {
      this.places.copyWithin(0, 3 * (MOST / 3));
      this.count = (2 * MOST) / 3;
    }
    this.places.set([x, y + 0.006, z], 3 * this.count);
    this.count += 1;
    this.line.geometry.setDrawRange(0, this.count);
    this.line.geometry.getAttribute("position").needsUpdate = true;
  }

  get points(): number {
    return this.count;
  }
}

const PRINTS = 48;
const LOW_M = 0.03; // above the lowest a toe has been
const SLOW_M = 0.006; // between two poses at 60 a second

/** Where the feet of the steered character stood, the newest few. */
export class LivePrints {
  readonly mesh: THREE.InstancedMesh;
  private readonly colours = [new THREE.Color(), new THREE.Color()];
  private readonly feet: { x: number; z: number; lowest: number; down: boolean }[] = [];
  private count = 0; // all that were made

  constructor() {
    const sole = new THREE.CircleGeometry(1, 20).scale(0.045, 0.13, 1).rotateX(-Math.PI / 2);
    const look = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.55, depthWrite: false });
    this.mesh = new THREE.InstancedMesh(sole, look, PRINTS);
    this.mesh.frustumCulled = false;
    this.clear();
  }

  paint(look: Look): void {
    this.colours[0]!.set(look.left);
    this.colours[1]!.set(look.right);
  }

  clear(): void {
    this.count = 0;
    this.mesh.count = 0;
    this.feet.length = 0;
  }

  /** A pose's feet, left then right: places of ankle and toe; under: how high the ground is, where it is not level. */
  add(feet: readonly { ankle: THREE.Vector3; toe: THREE.Vector3 }[], under: ((at: THREE.Vector3) => number) | null = null): void {
    feet.forEach(({ ankle, toe }, i) => {
      const foot = (this.feet[i] ??= { x: toe.x, z: toe.z, lowest: toe.y, down: false });
      const moved = Math.hypot(toe.x - foot.x, toe.z - foot.z);
      foot.lowest = Math.min(foot.lowest, toe.y);
      const down = (under !== null || toe.y < foot.lowest + LOW_M) && moved < SLOW_M;
      if (down && !foot.down) this.print(ankle, toe, this.colours[i % 2]!, under?.(toe) ?? 0);
      if (down || moved > 2 * SLOW_M) foot.down = down;
      [foot.x, foot.z] = [toe.x, toe.z];
    });
  }

  private print(ankle: THREE.Vector3, toe: THREE.Vector3, colour: THREE.Color, y: number): void {
    const at = this.count % PRINTS;
    const turn = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), Math.atan2(toe.x - ankle.x, toe.z - ankle.z));
    const middle = new THREE.Vector3(0.5 * (ankle.x + toe.x), y + 0.004, 0.5 * (ankle.z + toe.z));
    this.mesh.setMatrixAt(at, new THREE.Matrix4().compose(middle, turn, new THREE.Vector3(1, 1, 1)));
    this.mesh.setColorAt(at, colour);
    this.count += 1;
    this.mesh.count = Math.min(this.count, PRINTS);
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  get prints(): number {
    return this.count;
  }
}
