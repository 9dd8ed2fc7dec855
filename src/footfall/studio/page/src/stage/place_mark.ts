// Marks on the floor: where a character begins, a ring with an arrow that says where it faces; where one shall go.

import * as THREE from "three";

export const TIP_M = 0.85; // from the middle of the ring to the tip of its arrow

export interface FloorPlace {
  readonly x: number;
  readonly z: number;
  readonly headingDeg: number; // to the left of +Z
}

export class PlaceMark {
  readonly group = new THREE.Group();
  shown: FloorPlace | null = null;

  constructor(private readonly changed: () => void) {
    const paint = new THREE.MeshBasicMaterial({ color: "#5b9dff", transparent: true, opacity: 0.85, side: THREE.DoubleSide });
    const ring = new THREE.RingGeometry(0.3, 0.36, 48).rotateX(-Math.PI / 2);
    const shaft = new THREE.PlaneGeometry(0.05, TIP_M - 0.52).rotateX(-Math.PI / 2).translate(0, 0, 0.36 + (TIP_M - 0.52) / 2);
    const head = new THREE.CircleGeometry(0.11, 3, Math.PI / 2).rotateX(Math.PI / 2).translate(0, 0, TIP_M - 0.11);
    this.group.add(new THREE.Mesh(ring, paint), new THREE.Mesh(shaft, paint), new THREE.Mesh(head, paint));
    this.group.visible = false;
  }

  set(place: FloorPlace | null): void {
    if (place === null && this.shown === null) return;
    this.shown = place;
    this.group.visible = place !== null;
    if (place) {
      this.group.position.set(place.x, 0.006, place.z);
      this.group.rotation.y = (place.headingDeg * Math.PI) / 180;
    }
    this.changed();
  }
}

/** Where the pointer wants the steered character to go. */
export function targetRing(): THREE.Mesh {
  const geometry = new THREE.RingGeometry(0.13, 0.16, 48).rotateX(-Math.PI / 2);
  const ring = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ color: "#5b9dff", transparent: true, opacity: 0.9 }));
  ring.visible = false;
  return ring;
}
