// Many bodies at once: every bone of everybody is one instance of one rod, so that hundreds cost one call to draw.

import * as THREE from "three";
import type { SkeletonView } from "../messages";

const SIDES = 6;
const TINTS = ["#c9b8a4", "#a9b6c6", "#b9a9a0", "#a7b5a5", "#c2b3bd", "#b5b09a"].map((tint) => new THREE.Color(tint));
const THINNEST_M = 0.02;
const HEAD = 0.42; // of its height: half width of a head
const UP = new THREE.Vector3(0, 1, 0);

interface Bone {
  readonly joint: number;
  readonly parent: number;
  readonly radius: number; // metres
  readonly beyond: number; // metres of a bone that goes on from its joint, as heads, hands and toes do; 0: it ends there
}

export class CrowdBodies {
  readonly group = new THREE.Group();
  private mesh: THREE.InstancedMesh | null = null;
  private bones: readonly Bone[] = [];
  private count = 0;

  constructor(private readonly changed: () => void) {}

  /** How many are shown. */
  get size(): number {
    return this.mesh ? this.count : 0;
  }

  setSkeleton(skeleton: SkeletonView): void {
    this.clear();
    this.bones = skeleton.parents.flatMap((parent, joint): Bone[] => {
      const role = skeleton.roles[joint] ?? "";
      if (parent < 0 || role.includes("finger")) return [];
      const radius = Math.max(skeleton.radii[joint] ?? 0, THINNEST_M);
      const beyond = Math.hypot(...(skeleton.ends[joint] ?? [0]));
      const end: Bone[] = beyond > 0.01 ? [{ joint, parent, radius: role === "head" ? HEAD * beyond : radius, beyond }] : [];
      return [{ joint, parent, radius, beyond: 0 }, ...end];
    });
  }

  clear(): void {
    if (this.mesh) {
      this.group.remove(this.mesh);
      this.mesh.geometry.dispose();
      (this.mesh.material as THREE.Material).dispose();
      this.mesh.dispose();
    }
    this.mesh = null;
    this.changed();
  }

  /** Places x y z of bodies × joints. */
  show(places: Float32Array, bodies: number, joints: number): void {
    if (!this.mesh || this.count !== bodies) this.make(bodies);
    const { mesh } = this;
    if (!mesh) return;
    const [from, to, along, turn, size, matrix] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3(), new THREE.Matrix4()];
    let n = 0;
    for (let body = 0; body < bodies; body++) {
      for (const { joint, parent, radius, beyond } of this.bones) {
        to.fromArray(places, 3 * (body * joints + joint));
        from.fromArray(places, 3 * (body * joints + parent));
        along.subVectors(to, from);
        let length = along.length();
        if (beyond > 0) {
          from.copy(to);
          along.multiplyScalar(beyond / Math.max(length, 1e-6));
          length = beyond;
        }
        turn.setFromUnitVectors(UP, length > 1e-6 ? along.divideScalar(length) : UP);
        mesh.setMatrixAt(n++, matrix.compose(from, turn, size.set(radius, Math.max(length, 1e-4), radius)));
      }
    }
    mesh.instanceMatrix.needsUpdate = true;
    this.changed();
  }

  private make(bodies: number): void {
    this.clear();
    this.count = bodies;
    if (bodies === 0 || this.bones.length === 0) return;
    const rod = new THREE.CylinderGeometry(0.8, 1, 1, SIDES, 1).translate(0, 0.5, 0);
    const mesh = new THREE.InstancedMesh(rod, new THREE.MeshLambertMaterial(), bodies * this.bones.length);
    mesh.frustumCulled = false;
    for (let body = 0, n = 0; body < bodies; body++) {
      for (let bone = 0; bone < this.bones.length; bone++) mesh.setColorAt(n++, TINTS[body % TINTS.length]!);
    }
    this.mesh = mesh;
    this.group.add(mesh);
  }
}
