// A smooth hull through cross-sections: the trunk. Small enough to be worked out anew for every pose.

import * as THREE from "three";
import { at, type Trunk } from "./points";
import { add, cross, mul, square, sub, turn, unit, type Vec } from "./vec";

const CAP = 3; // rings that close each end

export class Loft {
  readonly geometry = new THREE.BufferGeometry();
  private readonly rows: number;
  private readonly places: THREE.BufferAttribute;
  private readonly normals: THREE.BufferAttribute;

  constructor(private readonly trunk: Trunk, private readonly segments: number) {
    this.rows = trunk.levels.length + 2 * CAP;
    const count = this.rows * (segments + 1);
    this.places = new THREE.BufferAttribute(new Float32Array(3 * count), 3).setUsage(THREE.DynamicDrawUsage);
    this.normals = new THREE.BufferAttribute(new Float32Array(3 * count), 3).setUsage(THREE.DynamicDrawUsage);
    this.geometry.setAttribute("position", this.places);
    this.geometry.setAttribute("normal", this.normals);
    this.geometry.setIndex(gridFaces(this.rows, segments));
  }

  pose(pose: Float32Array): void {
    const { levels, below, above } = this.trunk;
    const middles = levels.map((level) => at(pose, level.at));
    const low = turn(pose, below.frame, below.direction);
    const high = turn(pose, above.frame, above.direction);
    levels.forEach((level, i) => {
      const way = unit(sub(middles[Math.min(i + 1, levels.length - 1)]!, middles[Math.max(i - 1, 0)]!));
      const across = square(add(mul(low, 1 - level.turn), high, level.turn), way, [1, 0, 0]);
      const row = CAP + i;
      this.ring(row, middles[i]!, way, across, level.radius, level.width);
      const end = i === 0 ? -1 : i === levels.length - 1 ? 1 : 0;
      for (let k = 1; end !== 0 && k <= CAP; k++) {
        const tilt = (0.5 * Math.PI * k) / CAP;
        const middle = add(middles[i]!, way, end * level.radius * Math.sin(tilt));
        this.ring(row + end * k, middle, way, across, level.radius * Math.max(Math.cos(tilt), 1e-3), level.width);
      }
    });
    this.shade();
    this.places.needsUpdate = this.normals.needsUpdate = true;
  }

  private ring(row: number, middle: Vec, way: Vec, across: Vec, radius: number, width: number): void {
    const third = cross(way, across);
    for (let s = 0; s <= this.segments; s++) {
      const angle = (2 * Math.PI * s) / this.segments;
      const [c, d] = [radius * width * Math.cos(angle), radius * Math.sin(angle)];
      const place = add(add(middle, across, c), third, d);
      this.places.setXYZ(row * (this.segments + 1) + s, ...place);
    }
  }

  /** Normals from the neighbours along and around. */
  private shade(): void {
    const { segments } = this;
    const wide = segments + 1;
    const point = (row: number, s: number): Vec => {
      const i = 3 * (row * wide + s);
      return this.places.array.slice(i, i + 3) as unknown as Vec;
    };
    for (let row = 0; row < this.rows; row++) {
      const [up, down] = [Math.min(row + 1, this.rows - 1), Math.max(row - 1, 0)];
      for (let s = 0; s <= segments; s++) {
        const around = sub(point(row, (s + 1) % segments), point(row, (s + segments - 1) % segments));
        const along = sub(point(up, s), point(down, s));
        this.normals.setXYZ(row * wide + s, ...unit(cross(around, along)));
      }
    }
  }
}

/** Two triangles for every cell of a grid of rows, closed around. */
export function gridFaces(rows: number, segments: number): number[] {
  const index: number[] = [];
  const wide = segments + 1;
  for (let row = 0; row + 1 < rows; row++) {
    for (let s = 0; s < segments; s++) {
      const i = row * wide + s;
      index.push(i, i + 1, i + wide, i + 1, i + wide + 1, i + wide);
    }
  }
  return index;
}
