// A skinned body: the mesh of a GLB with its textures, its bones put where the take says.

import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import type { SkeletonView } from "../messages";

interface Bone {
  readonly node: THREE.Object3D;
  readonly joint: number;
  readonly fit: THREE.Matrix4; // from the file's bone to footfall's joint, at rest
}

export class Skin {
  private constructor(
    readonly group: THREE.Group,
    readonly tallM: number, // of the mesh, at rest
    private readonly bones: readonly Bone[],
    private readonly carried: readonly THREE.Object3D[], // nodes that hang on bones, parents first
  ) {}

  /** null where it cannot be had or its bones are not the skeleton's. */
  static async load(address: string, skeleton: SkeletonView): Promise<Skin | null> {
    try {
      const { scene } = await new GLTFLoader().loadAsync(address);
      return Skin.of(scene, skeleton);
    } catch {
      return null; // the capsules stay
    }
  }

  private static of(scene: THREE.Group, skeleton: SkeletonView): Skin | null {
    const joints = new Map(skeleton.names.map((name, joint) => [name, joint]));
    const found = new Map<THREE.Object3D, Bone>();
    scene.updateMatrixWorld(true);
    const meshes: THREE.SkinnedMesh[] = [];
    const box = new THREE.Box3();
    scene.traverse((node) => {
      if (node instanceof THREE.SkinnedMesh) meshes.push(node);
    });
    for (const mesh of meshes) {
      mesh.frustumCulled = false;
      mesh.bindMode = THREE.DetachedBindMode; // poses are of the world, wherever the mesh's node is
      mesh.bindMatrixInverse.identity();
      const bind = mesh.skeleton.boneInverses.map((inverse) => inverse.clone().invert());
      const map = worldFromBind(mesh.skeleton.bones.map((bone) => jointOf(bone, joints)), bind, skeleton);
      if (!map) return null;
      mesh.geometry.computeBoundingBox();
      if (mesh.geometry.boundingBox) box.union(mesh.geometry.boundingBox.clone().applyMatrix4(map));
      mesh.skeleton.bones.forEach((node, i) => {
        const joint = jointOf(node, joints);
        if (joint === undefined || found.has(node)) return;
        const fit = restOf(skeleton, joint).invert().multiply(map).multiply(bind[i]!);
        found.set(node, { node, joint, fit });
      });
    }
    if (meshes.length === 0 || found.size < 0.5 * skeleton.names.length) return null;
    const carried: THREE.Object3D[] = [];
    scene.traverse((node) => {
      node.matrixWorldAutoUpdate = false;
      if (node instanceof THREE.SkinnedMesh) node.matrixWorld.identity();
      else if (!found.has(node) && node.parent && hangs(node, found)) carried.push(node);
    });
    return new Skin(scene, box.isEmpty() ? 0 : box.max.y - Math.min(box.min.y, 0), [...found.values()], carried);
  }

  pose(pose: Float32Array): void {
    const place = new THREE.Vector3();
    const turned = new THREE.Quaternion();
    const one = new THREE.Vector3(1, 1, 1);
    for (const { node, joint, fit } of this.bones) {
      place.fromArray(pose, 7 * joint);
      turned.fromArray(pose, 7 * joint + 3);
      node.matrixWorld.compose(place, turned, one).multiply(fit);
    }
    for (const node of this.carried) node.matrixWorld.multiplyMatrices(node.parent!.matrixWorld, node.matrix);
  }

  dispose(): void {
    this.group.traverse((node) => {
      if (!(node instanceof THREE.Mesh)) return;
      node.geometry.dispose();
      for (const material of [node.material].flat() as THREE.MeshStandardMaterial[]) {
        material.map?.dispose();
        material.dispose();
      }
    });
  }
}

function jointOf(node: THREE.Object3D, joints: ReadonlyMap<string, number>): number | undefined {
  return joints.get((node.userData.name as string | undefined) ?? node.name);
}

function hangs(node: THREE.Object3D, bones: ReadonlyMap<THREE.Object3D, Bone>): boolean {
  for (let at = node.parent; at; at = at.parent) if (bones.has(at)) return true;
  return false;
}

function restOf(skeleton: SkeletonView, joint: number): THREE.Matrix4 {
  const row = skeleton.rest[joint];
  if (!row) return new THREE.Matrix4();
  return new THREE.Matrix4().compose(new THREE.Vector3().fromArray(row), new THREE.Quaternion().fromArray(row, 3), new THREE.Vector3(1, 1, 1));
}

/** The turn, scale and shift from where the file binds its mesh to the world of poses: metres, upright. */
function worldFromBind(joints: readonly (number | undefined)[], bind: readonly THREE.Matrix4[], skeleton: SkeletonView): THREE.Matrix4 | null {
  if (skeleton.rest.length === 0) return new THREE.Matrix4(); // of our own writing: it is the same
  const known = joints.flatMap((joint, i) => (joint === undefined ? [] : [{ joint, matrix: bind[i]! }]));
  if (known.length < 2) return null;
  const at = known.map(({ matrix }) => new THREE.Vector3().setFromMatrixPosition(matrix));
  const rest = known.map(({ joint }) => new THREE.Vector3().fromArray(skeleton.rest[joint]!));
  const middle = (points: readonly THREE.Vector3[]): THREE.Vector3 => points.reduce((sum, p) => sum.add(p), new THREE.Vector3()).divideScalar(points.length);
  const [from, to] = [middle(at), middle(rest)];
  const size = (points: readonly THREE.Vector3[], around: THREE.Vector3): number => Math.sqrt(points.reduce((sum, p) => sum + p.distanceToSquared(around), 0));
  const scale = size(rest, to) / Math.max(size(at, from), 1e-9);
  const [place, turned, sized] = [new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3()];
  known[0]!.matrix.decompose(place, turned, sized);
  const turn = new THREE.Quaternion().fromArray(skeleton.rest[known[0]!.joint]!, 3).multiply(turned.invert());
  const shift = to.clone().sub(from.clone().multiplyScalar(scale).applyQuaternion(turn));
  return new THREE.Matrix4().compose(shift, turn, new THREE.Vector3(scale, scale, scale));
}
