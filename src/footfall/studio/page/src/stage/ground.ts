// What is walked on where that is not the level floor: stairs, a slope, a file's mesh, with its edges drawn.

import * as THREE from "three";
import type { GroundView } from "../messages";
import { KEY } from "./light";
import type { Look } from "./look";

const EDGE_DEG = 20; // faces that meet at more than this have an edge between them
const FROM_M = 0.6; // over a body: a ray from there down meets what it stands on, not a roof

export class GroundMesh {
  readonly group = new THREE.Group();
  private mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial> | null = null;
  private lines: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> | null = null;

  /** null: there is the level floor. */
  set(view: GroundView | null, look: Look): void {
    for (const part of [this.mesh, this.lines]) {
      part?.removeFromParent();
      part?.geometry.dispose();
      part?.material.dispose();
    }
    this.mesh = this.lines = null;
    if (!view) return;
    const indexed = new THREE.BufferGeometry();
    indexed.setAttribute("position", new THREE.BufferAttribute(new Float32Array(numbers(view.vertices)), 3));
    indexed.setIndex(new THREE.BufferAttribute(new Uint32Array(numbers(view.triangles)), 1));
    const lines = new Float32Array(numbers(view.lines));
    const edges = lines.length > 0 ? new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(lines, 3)) : new THREE.EdgesGeometry(indexed, EDGE_DEG);
    const faces = indexed.toNonIndexed();
    indexed.dispose();
    faces.computeVertexNormals();
    faces.computeBoundingSphere();
    const paint = new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
    this.mesh = new THREE.Mesh(faces, paint);
    this.mesh.renderOrder = -3;
    this.lines = new THREE.LineSegments(edges, new THREE.LineBasicMaterial());
    this.lines.renderOrder = -2;
    this.group.add(this.mesh, this.lines);
    this.paint(look);
  }

  get isThere(): boolean {
    return this.mesh !== null;
  }

  /** Faces that look away from the light are darker. */
  paint(look: Look): void {
    if (!this.mesh) return;
    this.lines?.material.color.set(look.line);
    const normals = this.mesh.geometry.getAttribute("normal");
    const colours = new Float32Array(normals.count * 3);
    const [base, made, up, light] = [new THREE.Color(look.floor), new THREE.Color(), new THREE.Vector3(), KEY.clone().normalize()];
    for (let i = 0; i < normals.count; i++) {
      up.fromBufferAttribute(normals, i);
      if (up.y < 0) up.negate();
      made.copy(base).multiplyScalar(0.55 + 0.6 * Math.max(up.dot(light), 0));
      made.toArray(colours, 3 * i);
    }
    this.mesh.geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  }

  /** How high it is under a point that a body of this height stands at; null where there is none. */
  heightAt(x: number, z: number, nearY: number): number | null {
    if (!this.mesh) return null;
    const ray = new THREE.Raycaster(new THREE.Vector3(x, nearY + FROM_M, z), new THREE.Vector3(0, -1, 0));
    return ray.intersectObject(this.mesh, false)[0]?.point.y ?? null;
  }

  /** Where a ray of the camera meets it. */
  hit(ray: THREE.Raycaster): THREE.Vector3 | null {
    return this.mesh ? (ray.intersectObject(this.mesh, false)[0]?.point ?? null) : null;
  }
}

function numbers(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
}
