// A skinned body: the mesh of a GLB, its bones put where the take says.

import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import type { SkeletonView } from "../messages";

export class Skin {
  private constructor(
    readonly group: THREE.Group,
    private readonly bones: readonly (readonly [bone: THREE.Object3D, joint: number])[],
  ) {}

  /** null where it cannot be had or its bones are not the skeleton's. */
  static async load(address: string, skeleton: SkeletonView): Promise<Skin | null> {
    try {
      const { scene } = await new GLTFLoader().loadAsync(address);
      const joints = new Map(skeleton.names.map((name, joint) => [name, joint]));
      const bones: [THREE.Object3D, number][] = [];
      let meshes = 0;
      scene.traverse((node) => {
        const joint = joints.get((node.userData.name as string | undefined) ?? node.name);
        if (joint !== undefined) bones.push([node, joint]);
        if (!(node instanceof THREE.SkinnedMesh)) return;
        meshes += 1;
        node.frustumCulled = false;
        node.bindMode = THREE.DetachedBindMode; // poses are of the world, wherever the mesh's node is
        node.bindMatrixInverse.identity();
      });
      if (meshes === 0 || bones.length < skeleton.names.length) return null;
      scene.traverse((node) => (node.matrixWorldAutoUpdate = false));
      return new Skin(scene, bones);
    } catch {
      return null; // the capsules stay
    }
  }

  pose(pose: Float32Array): void {
    const place = new THREE.Vector3();
    const turned = new THREE.Quaternion();
    const one = new THREE.Vector3(1, 1, 1);
    for (const [bone, joint] of this.bones) {
      place.fromArray(pose, 7 * joint);
      turned.fromArray(pose, 7 * joint + 3);
      bone.matrixWorld.compose(place, turned, one);
    }
  }
}
