// Runs in node, in the page's folder: where three.js's AnimationMixer puts nodes of a GLB. ASKED stands above.
import { readFileSync } from "node:fs";
import { AnimationMixer, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

// pictures need a browser and do not move joints
function withoutLooks(file) {
  const length = file.readUInt32LE(12);
  const json = JSON.parse(file.subarray(20, 20 + length).toString("utf8"));
  for (const key of ["images", "textures", "samplers", "materials", "extensionsUsed", "extensionsRequired"]) {
    delete json[key];
  }
  for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  let text = Buffer.from(JSON.stringify(json));
  text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, " ")]);
  const head = Buffer.from(file.subarray(0, 20));
  head.writeUInt32LE(text.length, 12);
  const rest = file.subarray(20 + length);
  head.writeUInt32LE(20 + text.length + rest.length, 8);
  const all = Buffer.concat([head, text, rest]);
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.byteLength);
}

globalThis.self = globalThis;
const gltf = await new GLTFLoader().parseAsync(withoutLooks(readFileSync(ASKED.file)), "");
const byNode = new Map();
for (const [object, found] of gltf.parser.associations) if (object.isObject3D) byNode.set(found.nodes, object);
const mixer = new AnimationMixer(gltf.scene);
const clip = gltf.animations.find((one) => one.name === ASKED.animation);
const action = mixer.clipAction(clip);
action.clampWhenFinished = true;
action.setLoop(2200); // LoopOnce: the end of a loop would be its beginning
action.play();
const out = ASKED.times.map((time) => {
  mixer.setTime(time);
  gltf.scene.updateMatrixWorld(true);
  return ASKED.nodes.map((node) => new Vector3().setFromMatrixPosition(byNode.get(node).matrixWorld).toArray());
});
console.log(JSON.stringify(out));
