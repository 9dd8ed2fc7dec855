// One body on the stage: its figure or skin, its shadow, and the pose it is in.

import * as THREE from "three";
import type { SkeletonView } from "../messages";
import { rolesOf } from "./body";
import { Figure } from "./figure";
import type { Look } from "./look";
import { SoftShadow } from "./shadow";
import { Skin } from "./skin";

export class Actor {
  readonly group = new THREE.Group();
  readonly figure: Figure;
  readonly feet: readonly { ankle: number; toe: number }[];
  pose: Float32Array | null = null;
  private readonly shadow: SoftShadow;
  private readonly pelvis: number;
  private skin: Skin | null = null;
  private gone = false;

  constructor(readonly skeleton: SkeletonView, coarse: boolean, changed: () => void) {
    const roles = rolesOf(skeleton);
    this.feet = ["left", "right"].flatMap((side) => {
      const ankle = roles.get(`${side} foot`);
      return ankle === undefined ? [] : [{ ankle, toe: roles.get(`${side} toe`) ?? ankle }];
    });
    this.pelvis = roles.get("pelvis") ?? 0;
    this.figure = new Figure(skeleton, { coarse });
    this.shadow = new SoftShadow(coarse);
    this.group.add(this.figure.group, this.shadow.mesh);
    this.group.visible = false;
    if (skeleton.skin) void this.wear(skeleton.skin, changed);
  }

  /** Whether a pose fits its joints; a stale one of another body does not. */
  fits(joints: number): boolean {
    return joints === this.skeleton.names.length;
  }

  show(pose: Float32Array): void {
    this.pose = pose;
    this.figure.pose(pose);
    this.skin?.pose(pose);
  }

  paint(look: Look, index: number, crowd: boolean): void {
    this.figure.paint(look, index, crowd);
    this.shadow.paint(look);
  }

  /** Its own shadow is a picture of its own, so that one far away does not make the others coarse. */
  drawShadow(renderer: THREE.WebGLRenderer, on: boolean, floorY = 0): void {
    this.shadow.mesh.visible = on && this.pose !== null;
    if (on && this.pose) this.shadow.draw(renderer, this.figure.group, this.pose, floorY);
  }

  get hasSkin(): boolean {
    return this.skin !== null;
  }

  /** Metres, with what it wears. */
  get tallM(): number {
    return Math.max(this.skeleton.heightM || 1.75, this.skin?.tallM ?? 0);
  }

  /** Where it is on the floor, and how high its pelvis. */
  get place(): { x: number; y: number; z: number } {
    const at = 7 * this.pelvis;
    return this.pose ? { x: this.pose[at]!, y: this.pose[at + 1]!, z: this.pose[at + 2]! } : { x: 0, y: 1, z: 0 };
  }

  dispose(): void {
    this.gone = true;
    this.skin?.dispose();
    this.figure.dispose();
    this.shadow.dispose();
  }

  /** A skinned body in place of the capsules, once it is here; if it does not come, the capsules stay. */
  private async wear(address: string, changed: () => void): Promise<void> {
    const skin = await Skin.load(address, this.skeleton);
    if (!skin || this.gone) return;
    this.skin = skin;
    this.figure.lit = false;
    this.group.add(skin.group);
    if (this.pose) skin.pose(this.pose);
    changed();
  }
}
