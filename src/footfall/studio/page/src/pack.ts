// The page of a pack: one character, its blend spaces steered by keys. Everything is in the page: FOOTFALL_PACK.
import {
  AmbientLight, AnimationAction, AnimationMixer, Color, DataTexture, DirectionalLight, Fog, Group, Mesh,
  MeshBasicMaterial, Object3D, PerspectiveCamera, PlaneGeometry, Quaternion, RepeatWrapping, Scene, SRGBColorSpace,
  Vector3, WebGLRenderer,
} from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { spread } from "./pack/spread";

interface Entry {
  animation: string; duration_s: number; velocity_mps: [number, number]; turn_degps: number; sync_s: number[];
}
interface PackNode {
  node: string; loop: boolean; parameters: string[]; points: { animation: string; position: number[] }[];
}
interface PackData {
  character: {
    unit_m: number; world_from_file: [number, number, number, number]; height_m: number;
    feet: Record<string, Record<string, number>>;
  };
  animations: Entry[];
  nodes: PackNode[];
}
interface Playing { entry: Entry; action: AnimationAction; keys: number[] }

const FADE_S = 0.3; // from one node to another; by eye
const EASE_S = 0.25; // in which parameters come most of the way to what is asked; by eye

class Player {
  readonly mover = new Group();
  asked: Record<string, number> = {};
  now: Record<string, number> = {};
  private readonly mixer: AnimationMixer;
  private readonly spaces = new Map<string, { node: PackNode; playing: Playing[]; weights: (p: number[]) => number[] }>();
  private readonly shares = new Map<string, number>();
  private readonly feet: [string, Object3D][] = [];
  private phase = 0;
  private heading = 0;
  node: string;

  constructor(data: PackData, gltf: { scene: Group; animations: any[]; parser: any }) {
    const [w, x, y, z] = data.character.world_from_file;
    gltf.scene.scale.multiplyScalar(data.character.unit_m);
    gltf.scene.quaternion.premultiply(new Quaternion(x, y, z, w));
    gltf.scene.traverse((one) => (one.frustumCulled = false));
    this.mover.add(gltf.scene);
    this.mixer = new AnimationMixer(gltf.scene);
    const entries = new Map(data.animations.map((entry) => [entry.animation, entry]));
    for (const node of data.nodes.filter((one) => one.loop)) {
      const playing = node.points.map(({ animation }) => {
        const entry = entries.get(animation)!;
        const action = this.mixer.clipAction(gltf.animations.find((clip: any) => clip.name === animation));
        action.setEffectiveWeight(0).play();
        action.timeScale = 0;
        return { entry, action, keys: entry.sync_s.length > 1 ? entry.sync_s : [0, entry.duration_s] };
      });
      this.spaces.set(node.node, { node, playing, weights: spread(node.points.map((point) => point.position)) });
      this.shares.set(node.node, 0);
    }
    const byNode = new Map<number, Object3D>();
    for (const [object, found] of gltf.parser.associations) if (object.isObject3D) byNode.set(found.nodes, object);
    for (const [side, parts] of Object.entries(data.character.feet)) {
      for (const [part, node] of Object.entries(parts)) this.feet.push([`${side} ${part}`, byNode.get(node)!]);
    }
    this.node = [...this.spaces.keys()][0] ?? "";
    this.shares.set(this.node, 1);
    for (const { node } of this.spaces.values()) {
      node.parameters.forEach((name, i) => {
        const all = node.points.map((point) => point.position[i]!);
        this.asked[name] ??= name === "turn" || name === "side" ? 0 : all.reduce((a, b) => a + b, 0) / all.length;
      });
    }
    this.now = { ...this.asked };
  }

  get nodes(): string[] {
    return [...this.spaces.keys()];
  }

  range(name: string): [number, number] {
    const { node } = this.spaces.get(this.node)!;
    const all = node.points.map((point) => point.position[node.parameters.indexOf(name)]!);
    return [Math.min(...all), Math.max(...all)];
  }

  step(dt: number): void {
    const ease = 1 - Math.exp(-dt / EASE_S);
    for (const [name, goal] of Object.entries(this.asked)) this.now[name] = this.now[name]! + ease * (goal - this.now[name]!);
    let total = 0;
    for (const [name, share] of this.shares) {
      const next = Math.max(0, Math.min(1, share + (name === this.node ? dt : -dt) / FADE_S));
      this.shares.set(name, next);
      total += next;
    }
    const parts: [Playing, number][] = [];
    for (const [name, { node, playing, weights }] of this.spaces) {
      const found = weights(node.parameters.map((parameter) => this.now[parameter]!));
      playing.forEach((one, i) => parts.push([one, (found[i]! * this.shares.get(name)!) / total]));
    }
    this.advance(parts, dt);
  }

  // All play the same events at the same time: each at the pace that its own stretch between two events asks for.
  private advance(parts: [Playing, number][], dt: number): void {
    const used = parts.filter(([, weight]) => weight > 1e-4);
    const stretches = Math.max(...used.map(([one]) => one.keys.length - 1));
    for (let left = dt; left > 1e-9; ) {
      const stretch = Math.min(Math.floor(this.phase), stretches - 1);
      const lengths = used.map(([one]) => length(one, stretch, stretches));
      const seconds = used.reduce((sum, [, weight], i) => sum + weight * lengths[i]!, 0);
      const taken = Math.min(left, (stretch + 1 - this.phase) * seconds);
      this.phase += taken / seconds;
      const rate = (pick: (entry: Entry) => number) =>
        used.reduce((sum, [one, weight], i) => sum + (weight * pick(one.entry) * lengths[i]!) / seconds, 0);
      this.move(rate((e) => e.velocity_mps[0]), rate((e) => e.velocity_mps[1]), rate((e) => e.turn_degps), taken);
      if (this.phase >= stretches - 1e-9) this.phase = 0;
      left -= Math.max(taken, 1e-6);
    }
    const stretch = Math.min(Math.floor(this.phase), stretches - 1);
    for (const [one, weight] of parts) {
      const before = start(one, stretch, stretches);
      one.action.time = before + (this.phase - stretch) * length(one, stretch, stretches);
      one.action.setEffectiveWeight(weight);
    }
    this.mixer.update(0);
    this.mover.updateMatrixWorld(true);
  }

  private move(left: number, ahead: number, turn: number, dt: number): void {
    const by = (turn * Math.PI * dt) / 180;
    const way = this.heading + by / 2;
    this.mover.position.x += (ahead * Math.sin(way) + left * Math.cos(way)) * dt;
    this.mover.position.z += (ahead * Math.cos(way) - left * Math.sin(way)) * dt;
    this.heading += by;
    this.mover.rotation.y = this.heading;
  }

  places(): Record<string, number[]> {
    return Object.fromEntries(
      this.feet.map(([name, object]) => [name, new Vector3().setFromMatrixPosition(object.matrixWorld).toArray()]),
    );
  }
}

// a motion without steps has one stretch, which is shared out among those of the others
function start(one: Playing, stretch: number, stretches: number): number {
  const own = one.keys.length - 1;
  return own === stretches ? one.keys[stretch]! : (one.keys[own]! * stretch) / stretches;
}

function length(one: Playing, stretch: number, stretches: number): number {
  return start(one, stretch + 1, stretches) - start(one, stretch, stretches);
}

// tiles of a metre, so that travel can be seen
function tiles(): Mesh {
  const shades = new Uint8Array([0xe4, 0xda, 0xda, 0xe4].flatMap((shade) => [shade, shade + 2, shade + 6, 255]));
  const texture = new DataTexture(shades, 2, 2);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.repeat.set(100, 100);
  texture.colorSpace = SRGBColorSpace;
  texture.needsUpdate = true;
  const floor = new Mesh(new PlaneGeometry(200, 200), new MeshBasicMaterial({ map: texture }));
  floor.rotation.x = -Math.PI / 2;
  return floor;
}

async function main(): Promise<void> {
  const { data, glb } = (window as any).FOOTFALL_PACK as { data: PackData; glb: string };
  const bytes = Uint8Array.from(atob(glb), (letter) => letter.charCodeAt(0));
  const gltf = await new GLTFLoader().parseAsync(bytes.buffer, "");
  const player = new Player(data, gltf as any);
  const scene = new Scene();
  scene.background = new Color(0xeef0f3);
  scene.fog = new Fog(0xeef0f3, 10, 60);
  const sun = new DirectionalLight(0xffffff, 2.2);
  sun.position.set(2, 5, 3);
  const floor = tiles();
  scene.add(new AmbientLight(0xffffff, 1.4), sun, floor, player.mover);
  const camera = new PerspectiveCamera(40, 1, 0.05, 200);
  const renderer = new WebGLRenderer({ antialias: true });
  document.body.append(renderer.domElement);
  const told = document.getElementById("told")!;
  const keys = new Set<string>();
  addEventListener("keydown", (event) => {
    keys.add(event.key);
    const chosen = player.nodes[Number(event.key) - 1];
    if (chosen) player.node = chosen;
    if (event.key.startsWith("Arrow")) event.preventDefault();
  });
  addEventListener("keyup", (event) => keys.delete(event.key));
  const steer = (dt: number) => {
    const change = (name: string, more: string, less: string, back: boolean) => {
      if (!(name in player.asked)) return;
      const [low, high] = player.range(name);
      const wish = (keys.has(more) ? 1 : 0) - (keys.has(less) ? 1 : 0);
      if (back) player.asked[name] = wish > 0 ? high : wish < 0 ? low : 0;
      else player.asked[name] = Math.max(low, Math.min(high, player.asked[name]! + (wish * dt * (high - low)) / 2));
    };
    change("speed", "ArrowUp", "ArrowDown", false);
    change("turn", "ArrowLeft", "ArrowRight", true);
  };
  const draw = () => {
    const [width, height] = [innerWidth, innerHeight];
    renderer.setSize(width, height);
    camera.aspect = width / height;
    camera.updateProjectionMatrix();
    const size = data.character.height_m;
    camera.position.set(player.mover.position.x + 2.0 * size, 1.2 * size, player.mover.position.z + 3.0 * size);
    camera.lookAt(player.mover.position.x, 0.6 * size, player.mover.position.z);
    renderer.render(scene, camera);
    const values = Object.entries(player.now).map(([name, value]) => `${name} ${value.toFixed(2)}`);
    told.textContent = `${player.nodes.map((name, i) => `${i + 1} ${name}`).join("  ")}   ·   ${values.join("  ")}`;
  };
  let running = true;
  let last = performance.now();
  const frame = (now: number) => {
    const dt = Math.min((now - last) / 1000, 0.1);
    last = now;
    if (running) {
      steer(dt);
      player.step(dt);
      draw();
    }
    requestAnimationFrame(frame);
  };
  (window as any).footfall = {
    player,
    draw,
    stop: () => (running = false),
    ask: (wishes: Record<string, number>) => Object.assign(player.asked, wishes),
  };
  requestAnimationFrame(frame);
}

void main();
