// The floor: a grid of metres that fades with distance; plain lines where pictures are made in software.

import * as THREE from "three";
import type { Look } from "./look";

const SIZE_M = 80;
const FADE_FROM_M = 3;
const FADE_TO_M = 15;

export class Floor {
  readonly mesh: THREE.Mesh | THREE.LineSegments;
  private readonly material: THREE.ShaderMaterial;
  private readonly step: number; // moved by whole steps, so that lines stay where they are

  constructor(plain: boolean) {
    this.material = plain ? lineMaterial() : gridMaterial();
    this.step = plain ? 1 : 0;
    const flat = (): THREE.BufferGeometry => new THREE.PlaneGeometry(SIZE_M, SIZE_M).rotateX(-Math.PI / 2);
    this.mesh = plain ? new THREE.LineSegments(metreLines(), this.material) : new THREE.Mesh(flat(), this.material);
    this.mesh.renderOrder = -3;
    this.mesh.frustumCulled = false;
  }

  paint(look: Look): void {
    const { floorColor, lineColor } = this.material.uniforms;
    floorColor!.value.set(look.floor);
    lineColor!.value.set(look.line);
  }

  /** The floor goes on without end: it is drawn around what is looked at. */
  center(x: number, z: number): void {
    const at = (value: number): number => (this.step ? Math.round(value / this.step) * this.step : value);
    this.mesh.position.set(at(x), 0, at(z));
    this.material.uniforms.middle!.value.set(x, z);
  }
}

const SEEN = /* glsl */ `1.0 - smoothstep(${FADE_FROM_M.toFixed(1)}, ${FADE_TO_M.toFixed(1)}, length(vAt - middle))`;

function floorMaterial(fragment: string): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: {
      floorColor: { value: new THREE.Color() }, lineColor: { value: new THREE.Color() },
      middle: { value: new THREE.Vector2() },
    },
    vertexShader: /* glsl */ `
      varying vec2 vAt;
      void main() {
        vAt = (modelMatrix * vec4(position, 1.0)).xz;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 floorColor;
      uniform vec3 lineColor;
      uniform vec2 middle;
      varying vec2 vAt;
      ${fragment}`,
  });
}

/** Floor and lines worked out for every pixel: crisp near by, calm far away. */
function gridMaterial(): THREE.ShaderMaterial {
  return floorMaterial(/* glsl */ `
    float lines(vec2 at, float width) {
      vec2 wide = max(fwidth(at), 1e-5);
      vec2 from = abs(fract(at - 0.5) - 0.5);
      vec2 on = 1.0 - smoothstep(0.5 * width, 0.5 * width + 1.0, from / wide);
      vec2 calm = clamp(0.35 / wide - 0.6, 0.0, 1.0); // lines closer than pixels would flicker
      return max(on.x * calm.x, on.y * calm.y);
    }
    void main() {
      float seen = ${SEEN};
      float fine = 1.0 - smoothstep(1.5, 6.0, length(vAt - middle));
      float line = max(lines(vAt, 1.0) * 0.9, lines(vAt * 4.0, 0.6) * 0.2 * fine);
      gl_FragColor = vec4(mix(floorColor, lineColor, line), seen);
      #include <colorspace_fragment>
    }`);
}

function lineMaterial(): THREE.ShaderMaterial {
  return floorMaterial(/* glsl */ `
    void main() {
      gl_FragColor = vec4(lineColor, ${SEEN});
      #include <colorspace_fragment>
    }`);
}

function metreLines(): THREE.BufferGeometry {
  const places: number[] = [];
  for (let i = -FADE_TO_M; i <= FADE_TO_M; i++) {
    for (let j = -FADE_TO_M; j < FADE_TO_M; j++) places.push(i, 0, j, i, 0, j + 1, j, 0, i, j + 1, 0, i);
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(places), 3));
  return geometry;
}
