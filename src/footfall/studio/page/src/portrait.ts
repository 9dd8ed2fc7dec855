// A small picture of a character with its skin, drawn once and kept.

import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const SIZE_PX = 104;
const made = new Map<string, Promise<string | null>>();
let renderer: THREE.WebGLRenderer | null = null;

/** The address of a picture of the GLB; null where it cannot be drawn. */
export function portrait(address: string): Promise<string | null> {
  let wanted = made.get(address);
  if (!wanted) {
    wanted = draw(address).catch(() => null);
    made.set(address, wanted);
  }
  return wanted;
}

async function draw(address: string): Promise<string | null> {
  const { scene } = await new GLTFLoader().loadAsync(address);
  renderer ??= new THREE.WebGLRenderer({ alpha: true, antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(SIZE_PX, SIZE_PX, false);
  const world = new THREE.Scene();
  const key = new THREE.DirectionalLight("#fff4e4", 2.2);
  key.position.set(1, 2, 3);
  world.add(scene, key, new THREE.HemisphereLight("#dfe8f5", "#8a7f70", 1.6));
  world.updateMatrixWorld(true);
  const box = new THREE.Box3().setFromObject(scene, true);
  const middle = box.getCenter(new THREE.Vector3());
  const size = box.getSize(new THREE.Vector3());
  const camera = new THREE.PerspectiveCamera(24, 1, 0.01, 100 * size.length() + 1);
  const far = (0.62 * Math.max(size.y, size.x)) / Math.tan((12 * Math.PI) / 180) + size.z;
  camera.position.set(middle.x + 0.35 * far, middle.y + 0.12 * far, middle.z + 0.94 * far);
  camera.lookAt(middle);
  renderer.render(world, camera);
  return renderer.domElement.toDataURL("image/png");
}
