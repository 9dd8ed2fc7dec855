// A soft shadow on the floor: the figure seen from the light, as a small picture, blurred more the higher what casts it.

import * as THREE from "three";
import { KEY } from "./light";
import type { Look } from "./look";

const LAYER = 1; // what casts shadows
const MARGIN_M = 0.22; // around the joints: their flesh, and the blur
const SLANT = { x: KEY.x / KEY.y, z: KEY.z / KEY.y }; // how far a shadow falls for each metre of height

export class SoftShadow {
  readonly mesh: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly target: THREE.WebGLRenderTarget;
  private readonly light = new THREE.Camera();

  constructor(coarse: boolean) {
    const size = coarse ? 128 : 256;
    this.target = new THREE.WebGLRenderTarget(size, size, {
      format: THREE.RGFormat, type: THREE.UnsignedByteType, depthBuffer: false,
      generateMipmaps: true, minFilter: THREE.LinearMipmapLinearFilter,
    });
    this.light.layers.set(LAYER);
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2), floorMaterial(this.target.texture, size));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -1;
  }

  paint(look: Look): void {
    this.mesh.material.uniforms.color!.value.set(look.shadow);
    this.mesh.material.uniforms.shade!.value = look.shade;
  }

  /** Draws what casts, laid flat onto the floor along the light, into a picture just large enough for this pose. */
  draw(renderer: THREE.WebGLRenderer, casters: THREE.Object3D, pose: Float32Array, floorY: number): void {
    let [x0, x1, z0, z1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < pose.length; i += 7) {
      const x = pose[i]! - SLANT.x * (pose[i + 1]! - floorY);
      const z = pose[i + 2]! - SLANT.z * (pose[i + 1]! - floorY);
      [x0, x1, z0, z1] = [Math.min(x0, x), Math.max(x1, x), Math.min(z0, z), Math.max(z1, z)];
    }
    const size = Math.max(x1 - x0, z1 - z0) + 2 * MARGIN_M;
    const [x, z] = [0.5 * (x0 + x1), 0.5 * (z0 + z1)];
    this.mesh.position.set(x, floorY + 0.004, z);
    this.mesh.scale.set(size, 1, size);
    const k = 2 / size;
    this.light.projectionMatrix.set(
      k, -k * SLANT.x, 0, -k * (x - SLANT.x * floorY),
      0, k * SLANT.z, -k, k * (z - SLANT.z * floorY),
      0, -0.1, 0, 0.1 * floorY,
      0, 0, 0, 1,
    );
    renderer.setRenderTarget(this.target);
    renderer.clear();
    renderer.render(casters, this.light);
    renderer.setRenderTarget(null);
  }

  dispose(): void {
    this.target.dispose();
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
  }
}

/** The same shape as a figure's, for the light only: red where something is, green how high it is (of 2 m). */
export function casterMaterial(declare: string, place: string): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    side: THREE.DoubleSide, // the laying flat may mirror it
    depthTest: false,
    uniforms: { color: { value: new THREE.Color() } },
    vertexShader: /* glsl */ `
      uniform vec3 color;
      varying float vHigh;
      ${declare}
      void main() {
        vec3 spot; vec3 outward; vec3 tint;
        ${place}
        vHigh = 0.5 * spot.y;
        gl_Position = projectionMatrix * viewMatrix * vec4(spot, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      varying float vHigh;
      void main() { gl_FragColor = vec4(1.0, vHigh, 0.0, 1.0); }`,
  });
}

/** Makes a mesh one that only the light sees. */
export function castOnly(mesh: THREE.Mesh): void {
  mesh.layers.set(LAYER);
}

function floorMaterial(mask: THREE.Texture, size: number): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    uniforms: { mask: { value: mask }, color: { value: new THREE.Color() }, shade: { value: 0.5 } },
    vertexShader: /* glsl */ `
      varying vec2 vMask;
      void main() {
        vMask = uv;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform sampler2D mask;
      uniform vec3 color;
      uniform float shade;
      varying vec2 vMask;
      const float finest = ${Math.log2(size / 64).toFixed(1)}; // level at which the picture is 64 wide
      void main() {
        vec2 around = textureLod(mask, vMask, finest + 2.0).rg;
        if (around.r < 0.004) discard;
        float high = clamp(around.g / around.r, 0.0, 1.0);
        float blur = finest + mix(-1.0, 2.2, smoothstep(0.02, 0.8, high));
        float apart = 0.75 * exp2(blur) / ${size.toFixed(1)};
        float dark = 0.24 * textureLod(mask, vMask, blur).r;
        for (int i = 0; i < 4; i++) {
          float turn = 0.6 + 1.5707963 * float(i);
          dark += 0.19 * textureLod(mask, vMask + apart * vec2(cos(turn), sin(turn)), blur).r;
        }
        vec2 inside = smoothstep(0.0, 0.06, vMask) * smoothstep(0.0, 0.06, 1.0 - vMask);
        float seen = inside.x * inside.y * mix(1.0, 0.5, high);
        gl_FragColor = vec4(color, shade * smoothstep(0.0, 1.0, dark) * seen);
        #include <colorspace_fragment>
      }`,
  });
}
