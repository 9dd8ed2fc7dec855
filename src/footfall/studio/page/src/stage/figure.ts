// A figure: every capsule of a body in one draw, shaped and placed in the vertex shader out of a small table.

import * as THREE from "three";
import type { SkeletonView } from "../messages";
import { bodyOf } from "./body";
import { litMaterial } from "./light";
import { gridFaces, Loft } from "./loft";
import type { Look } from "./look";
import { at, type Cone, type Tone } from "./points";
import { casterMaterial, castOnly } from "./shadow";
import { turn } from "./vec";

const FINE = { rings: 7, segments: 20 };
const COARSE = { rings: 5, segments: 14 }; // for pictures made in software

// A table of one row for each capsule says how it lies: a texture, since many short instanced draws are slow in software.
const CONE = /* glsl */ `
attribute float row;
uniform highp sampler2D cones;
`;
const PLACE_CONE = /* glsl */ `
  vec4 coneA = texelFetch(cones, ivec2(0, int(row)), 0); // centre and radius of the lower end
  vec4 coneB = texelFetch(cones, ivec2(1, int(row)), 0);
  vec4 coneAcross = texelFetch(cones, ivec2(2, int(row)), 0); // direction it is wider in, and how many times at a
  vec4 coneColor = texelFetch(cones, ivec2(3, int(row)), 0); // and how many times wider at b
  vec3 way = coneB.xyz - coneA.xyz;
  float far = max(length(way), 1e-5);
  way /= far;
  vec3 across = coneAcross.xyz - way * dot(coneAcross.xyz, way);
  across = length(across) > 1e-4 ? normalize(across) : normalize(cross(way, vec3(0.31, 0.2, 0.93)));
  vec3 third = cross(way, across);
  float slope = clamp((coneA.w - coneB.w) / far, -0.95, 0.95);
  vec2 seam = vec2(slope, sqrt(1.0 - slope * slope)); // where the ball turns into the side: along, outward
  bool low = position.x < 0.5;
  vec2 tilt = normalize(mix(low ? vec2(-1.0, 0.0) : seam, low ? seam : vec2(1.0, 0.0), position.y));
  float wide = low ? coneAcross.w : coneColor.w;
  vec2 round_ = tilt.y * normal.xy;
  spot = (low ? coneA.xyz : coneB.xyz) + (low ? coneA.w : coneB.w) * (way * tilt.x + across * round_.x * wide + third * round_.y);
  outward = normalize(way * tilt.x + across * round_.x / wide + third * round_.y);
  tint = coneColor.rgb;
`;
const PLACE_LOFT = "spot = position; outward = normal; tint = color;";

/** One draw of all capsules and one of the trunk; a pose is set by filling the table. */
export class Figure {
  readonly group = new THREE.Group();
  private cones: readonly Cone[] = [];
  private trunk: Loft | null = null;
  private table = makeTable(0);
  private geometry: THREE.BufferGeometry | null = null;
  private readonly materials: THREE.ShaderMaterial[];
  private readonly seen: THREE.Mesh[] = [];

  constructor(readonly skeleton: SkeletonView, private readonly kind: { ghost?: boolean; coarse?: boolean } = {}) {
    const opacity = kind.ghost ? 0.16 : 1;
    this.materials = [litMaterial(CONE, PLACE_CONE, opacity), litMaterial("", PLACE_LOFT, opacity)];
    if (!kind.ghost) this.materials.push(casterMaterial(CONE, PLACE_CONE), casterMaterial("", PLACE_LOFT));
  }

  /** Works the body out of sample poses; before this nothing is drawn. */
  dress(samples: readonly Float32Array[]): void {
    const body = bodyOf(this.skeleton, samples);
    const detail = this.kind.coarse ? COARSE : FINE;
    this.cones = body.cones;
    this.table = makeTable(this.cones.length);
    this.geometry = capsules(this.cones.length, detail);
    for (const material of this.materials) material.uniforms.cones = { value: this.table.texture };
    this.addMeshes(this.geometry, 0);
    this.cones.forEach((cone, i) => {
      this.table.values[16 * i + 3] = cone.ra;
      this.table.values[16 * i + 7] = cone.rb;
      this.table.values[16 * i + 11] = cone.wa;
      this.table.values[16 * i + 15] = cone.wb;
    });
    if (!body.trunk) return;
    this.trunk = new Loft(body.trunk, detail.segments + 4);
    this.addMeshes(this.trunk.geometry, 1);
  }

  get dressed(): boolean {
    return this.cones.length > 0;
  }

  paint(look: Look, index: number, crowd: boolean): void {
    const body = new THREE.Color(look.figures[index % look.figures.length]);
    const toward = (hex: string, share: number): THREE.Color => body.clone().lerp(new THREE.Color(hex), share);
    const limb = crowd ? 0.1 : 0.2;
    const tones: Record<Tone, THREE.Color> = {
      body,
      left: toward(look.left, limb),
      right: toward(look.right, limb),
      "left foot": toward(look.left, 0.85),
      "right foot": toward(look.right, 0.85),
      face: toward(look.face, 0.8),
    };
    this.cones.forEach((cone, i) => tones[cone.tone].toArray(this.table.values, 16 * i + 12));
    this.table.texture.needsUpdate = true;
    this.materials[1]!.uniforms.color!.value.copy(body);
  }

  pose(pose: Float32Array): void {
    this.trunk?.pose(pose);
    const { values, texture } = this.table;
    this.cones.forEach((cone, i) => {
      values.set(at(pose, cone.a), 16 * i);
      values.set(at(pose, cone.b), 16 * i + 4);
      const { frame, direction } = cone.across;
      values.set(frame < 0 ? direction : turn(pose, frame, direction), 16 * i + 8);
    });
    texture.needsUpdate = true;
  }

  dispose(): void {
    this.geometry?.dispose();
    this.table.texture.dispose();
    this.trunk?.geometry.dispose();
    for (const material of this.materials) material.dispose();
  }

  /** Without light it only casts its shadow: a skinned body is seen in its place. */
  set lit(on: boolean) {
    for (const mesh of this.seen) mesh.visible = on;
  }

  /** What is seen, and what casts the shadow. */
  private addMeshes(geometry: THREE.BufferGeometry, material: 0 | 1): void {
    const seen = new THREE.Mesh(geometry, this.materials[material]);
    seen.frustumCulled = false;
    this.seen.push(seen);
    this.group.add(seen);
    if (this.kind.ghost) return;
    const caster = new THREE.Mesh(geometry, this.materials[2 + material]);
    caster.frustumCulled = false;
    castOnly(caster);
    this.group.add(caster);
  }
}

interface Table {
  readonly values: Float32Array; // 4 × 4 a capsule
  readonly texture: THREE.DataTexture;
}

function makeTable(count: number): Table {
  const values = new Float32Array(16 * Math.max(count, 1));
  const texture = new THREE.DataTexture(values, 4, Math.max(count, 1), THREE.RGBAFormat, THREE.FloatType);
  return { values, texture };
}

/** Rings of both ends of each capsule: x which end, y how far along its half; the direction around as the normal. */
function capsules(count: number, { rings, segments }: { rings: number; segments: number }): THREE.BufferGeometry {
  const places: number[] = [];
  const around: number[] = [];
  const row: number[] = [];
  const index: number[] = [];
  const faces = gridFaces(2 * rings, segments);
  for (let cone = 0; cone < count; cone++) {
    index.push(...faces.map((vertex) => vertex + row.length));
    for (let ring = 0; ring < 2 * rings; ring++) {
      for (let s = 0; s <= segments; s++) {
        const angle = (2 * Math.PI * s) / segments;
        places.push(ring < rings ? 0 : 1, (ring % rings) / (rings - 1), 0);
        around.push(Math.cos(angle), Math.sin(angle), 0);
        row.push(cone);
      }
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(around, 3));
  geometry.setAttribute("row", new THREE.Float32BufferAttribute(row, 1));
  geometry.setIndex(index);
  return geometry;
}
