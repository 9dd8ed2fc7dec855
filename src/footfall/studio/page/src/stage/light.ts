// Light on figures: a sky, a warm key from the front left, a cool one from behind and a rim; one small shader for all.

import * as THREE from "three";
import type { Look } from "./look";

export const KEY = new THREE.Vector3(2.2, 6, 2.8).normalize(); // towards the key light
const BACK = new THREE.Vector3(-3, 2.2, -4).normalize();

/** Shared by every figure: set once, seen by all. */
const lights = {
  sky: { value: new THREE.Color() },
  ground: { value: new THREE.Color() },
  key: { value: new THREE.Color() },
  back: { value: new THREE.Color() },
  rim: { value: new THREE.Color() },
  toKey: { value: KEY },
  toBack: { value: BACK },
};

export function paintLights(look: Look): void {
  lights.sky.value.set(look.sky).multiplyScalar(look.skyLight);
  lights.ground.value.set(look.ground).multiplyScalar(look.skyLight);
  lights.key.value.set("#fff1dd").multiplyScalar(look.keyLight);
  lights.back.value.set("#c9dcff").multiplyScalar(look.backLight);
  lights.rim.value.set(look.rim);
}

/** `place` is GLSL that sets `vec3 spot`, `vec3 outward` and `vec3 tint` from attributes it declares in `declare`. */
export function litMaterial(declare: string, place: string, opacity: number): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    transparent: opacity < 1,
    depthWrite: opacity === 1,
    uniforms: { ...lights, opacity: { value: opacity }, color: { value: new THREE.Color() } },
    vertexShader: /* glsl */ `
      uniform vec3 color;
      varying vec3 vTint;
      varying vec3 vNormal;
      varying vec3 vToEye;
      ${declare}
      void main() {
        vec3 spot; vec3 outward; vec3 tint;
        ${place}
        vTint = tint;
        vNormal = outward;
        vToEye = cameraPosition - spot;
        gl_Position = projectionMatrix * viewMatrix * vec4(spot, 1.0);
      }`,
    fragmentShader: /* glsl */ `
      uniform vec3 sky, ground, key, back, rim, toKey, toBack;
      uniform float opacity;
      varying vec3 vTint;
      varying vec3 vNormal;
      varying vec3 vToEye;
      void main() {
        vec3 n = normalize(vNormal);
        vec3 eye = normalize(vToEye);
        float facing = max(dot(n, toKey) * 0.85 + 0.15, 0.0);
        vec3 light = mix(ground, sky, 0.5 + 0.5 * n.y) + key * facing + back * max(dot(n, toBack), 0.0);
        float gloss = pow(max(dot(n, normalize(toKey + eye)), 0.0), 28.0);
        float edge = pow(1.0 - max(dot(n, eye), 0.0), 3.0);
        vec3 shown = vTint * light + 0.05 * gloss * key + rim * edge;
        gl_FragColor = vec4(shown, opacity);
        #include <tonemapping_fragment>
        #include <colorspace_fragment>
      }`,
  });
}
