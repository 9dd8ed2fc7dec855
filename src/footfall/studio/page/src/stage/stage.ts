// The stage: figures on a floor, drawn only when something changed. Works on a laptop's GPU and in software.

import * as THREE from "three";
import { endOf, poseAt, STRIDE, type PoseFrame } from "../frames";
import { frameDrawn } from "../measure";
import type { GroundView, SkeletonView } from "../messages";
import type { Shows } from "../store";
import { Actor } from "./actor";
import { rolesOf, samplePoses } from "./body";
import { OrbitCamera } from "./camera";
import { CrowdBodies } from "./crowd";
import { Figure } from "./figure";
import { Floor } from "./floor";
import { Footprints, type Under } from "./footprints";
import { GroundMesh } from "./ground";
import { KEY, paintLights } from "./light";
import { LOOKS } from "./look";
import { PlaceMark, targetRing } from "./place_mark";
import { makeRenderer, type Drawing } from "./renderer";
import { FloorPath, LivePrints } from "./path";
import { Trails } from "./trail";

export const LIVE = -1; // track of the steered character
export const AUDITION = -2; // of a library clip that is looked at

const TOUCH_M = 0.28; // from the middle of a body: a hand there touches it
const SIDE_PX = 290; // what the panels cover on the right while a character is steered

export interface FloorPoint {
  readonly x: number;
  readonly y: number; // 0 on the level floor
  readonly z: number;
}

export interface Ghost {
  readonly skeleton: SkeletonView;
  readonly samples: readonly Float32Array[]; // to work its body out of
  readonly pose: Float32Array;
}

export class Stage {
  readonly element: HTMLCanvasElement;
  readonly view = new OrbitCamera();
  readonly place = new PlaceMark(() => this.invalidate());
  readonly crowd = new CrowdBodies(() => this.invalidate());
  readonly drawn = new FloorPath(Infinity); // what somebody draws with the pointer
  private readonly drawing: Drawing;
  private readonly scene = new THREE.Scene();
  private readonly sky = new THREE.HemisphereLight(); // these two are for skinned bodies only
  private readonly key = new THREE.DirectionalLight("#fff4e4");
  private readonly floor: Floor;
  private readonly grounds = { live: new GroundMesh(), arranged: new GroundMesh(), audition: new GroundMesh() };
  private readonly prints = new Footprints();
  private readonly trails = new Trails();
  private readonly been = new FloorPath();
  private readonly stood = new LivePrints();
  private readonly target = targetRing();
  private readonly actors = new Map<number, Actor>();
  private readonly takes = new Map<number, PoseFrame>();
  private ghosts: Figure[] = [];
  private readonly afterDraw: (() => void)[] = [];
  private look = LOOKS.dark;
  private show: Shows = { ghosts: true, footprints: true, trails: false, shadow: true };
  private timeS = 0;
  private scheduled = 0; // number of the animation frame that will draw, 0: none
  private lastMs = 0;
  private framed = false;
  private tall = 0; // metres, of who is arranged
  private live = false;
  private auditioning = false;

  constructor(private readonly host: HTMLElement) {
    this.drawing = makeRenderer();
    this.element = this.drawing.renderer.domElement;
    this.element.setAttribute("aria-label", "Stage");
    host.append(this.element);
    this.floor = new Floor(this.drawing.slow);
    this.key.position.copy(KEY);
    this.scene.add(this.sky, this.key, this.floor.mesh, this.prints.mesh, this.trails.group, this.been.line, this.drawn.line, this.stood.mesh, this.target, this.crowd.group, this.place.group, this.grounds.live.group, this.grounds.arranged.group);
    this.view.attach(this.element, () => this.invalidate());
    this.element.addEventListener("webglcontextrestored", () => this.invalidate());
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.setTheme("dark");
  }

  // --- what is shown -----------------------------------------------------------------------------------------------

  /** The bodies there are; a body that is the same object as before is kept. */
  setFigures(list: readonly { track: number; skeleton: SkeletonView }[]): void {
    const wanted = new Map(list.map((entry) => [entry.track, entry.skeleton]));
    for (const [track, actor] of this.actors) {
      if (track >= 0 && wanted.get(track) !== actor.skeleton) this.drop(track);
    }
    const tall = Math.max(0, ...list.map(({ skeleton }) => skeleton.heightM));
    if (Math.abs(tall - this.tall) > 0.15) this.framed = false; // another body: look at all of it
    this.tall = tall;
    for (const { track, skeleton } of list) if (!this.actors.has(track)) this.add(track, skeleton);
    this.paint();
  }

  /** All poses of a track: its body is worked out of them, its footprints and trails too. */
  setTake(track: number, frame: PoseFrame): void {
    this.takes.set(track, frame);
    const actor = this.actors.get(track);
    if (!actor?.fits(frame.joints)) return;
    this.dress(actor, samplePoses(frame.poses, frame.frames, frame.joints));
    this.prints.setTrack(track, frame, actor.feet, this.under(this.grounds.arranged));
    this.trails.setTrack(track, frame, actor.feet, rolesOf(actor.skeleton));
    this.invalidate();
  }

  showPose(track: number, pose: Float32Array): void {
    const actor = this.actors.get(track);
    if (!actor?.fits(pose.length / STRIDE)) return;
    this.dress(actor, [pose]);
    actor.show(pose);
    this.invalidate();
  }

  /** Every take at a time of the timeline. */
  showTime(timeS: number): void {
    this.timeS = timeS;
    for (const [track, frame] of this.takes) {
      if (frame.frames > 0) this.showPose(track, poseAt(frame, timeS, this.actors.get(track)?.pose ?? undefined));
    }
    this.invalidate();
  }

  /** The one that is steered; null: none any more. */
  setLive(skeleton: SkeletonView | null): void {
    this.drop(LIVE);
    this.been.clear();
    this.stood.clear();
    if (skeleton) this.add(LIVE, skeleton);
    this.setTarget(null);
    this.paint();
    this.framed = false;
  }

  /** A library clip to look at, in place of what is arranged; null: none any more. */
  setAudition(skeleton: SkeletonView | null): void {
    this.drop(AUDITION);
    if (skeleton) this.add(AUDITION, skeleton);
    this.auditioning = skeleton !== null;
    this.framed = false;
    this.paint();
  }

  /** Works the body of the clip that is looked at out of its poses. */
  dressAudition(samples: readonly Float32Array[]): void {
    const actor = this.actors.get(AUDITION);
    if (actor) this.dress(actor, samples);
  }

  /** Whether the steered character is shown, or what is arranged. */
  setMode(live: boolean): void {
    if (live === this.live) return;
    this.live = live;
    this.framed = false;
    this.resize();
    this.showBodies();
    this.invalidate();
  }

  showLive(pose: Float32Array): void {
    this.showPose(LIVE, pose.slice());
    const actor = this.actors.get(LIVE);
    if (!actor?.pose) return;
    const under = this.under(this.grounds.live);
    this.been.add(actor.place.x, actor.place.z, under?.(actor.place.x, actor.place.z, actor.place.y));
    const at = (joint: number): THREE.Vector3 => new THREE.Vector3().fromArray(pose, STRIDE * joint);
    this.stood.add(actor.feet.map(({ ankle, toe }) => ({ ankle: at(ankle), toe: at(toe) })), under && ((foot) => under(foot.x, foot.z, foot.y)));
  }

  /** What the steered character, or who is arranged, walks on; null: the level floor. */
  setGround(of: "live" | "arranged", view: GroundView | null): void {
    if (view === null && !this.grounds[of].isThere) return;
    this.grounds[of].set(view, this.look);
    if (of === "arranged") for (const [track, frame] of [...this.takes]) this.setTake(track, frame);
    this.invalidate();
  }

  /** Whether a ground other than the floor is seen. */
  get onGround(): boolean {
    return this.ground.isThere;
  }

  private get ground(): GroundMesh {
    return this.live ? this.grounds.live : this.auditioning ? this.grounds.audition : this.grounds.arranged;
  }

  private under(ground: GroundMesh): Under | null {
    return ground.isThere ? (x, z, y) => ground.heightAt(x, z, y) ?? 0 : null;
  }

  /** Faint figures, of the clips a join is made of. */
  setGhosts(ghosts: readonly Ghost[]): void {
    if (ghosts.length === 0 && this.ghosts.length === 0) return;
    for (const old of this.ghosts.splice(ghosts.length)) this.discard(old);
    ghosts.forEach((ghost, i) => {
      if (this.ghosts[i]?.skeleton !== ghost.skeleton) {
        if (this.ghosts[i]) this.discard(this.ghosts[i]);
        const figure = new Figure(ghost.skeleton, { ghost: true, coarse: true });
        figure.dress(ghost.samples);
        figure.paint(this.look, i + 1, true);
        this.scene.add(figure.group);
        this.ghosts[i] = figure;
      }
      this.ghosts[i]!.pose(ghost.pose);
    });
    this.invalidate();
  }

  /** A mark on the floor, where the pointer wants the live character to go. */
  setTarget(at: FloorPoint | null): void {
    this.target.visible = at !== null;
    if (at) this.target.position.set(at.x, at.y + 0.006, at.z);
    this.invalidate();
  }

  /** Where on the floor or the ground a point of the window lies; null: in the sky. */
  floorPoint(clientX: number, clientY: number): FloorPoint | null {
    const box = this.element.getBoundingClientRect();
    const at = new THREE.Vector2(
      (2 * (clientX - box.left)) / box.width - 1,
      1 - (2 * (clientY - box.top)) / box.height,
    );
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.view.camera);
    const on = this.ground.hit(ray);
    if (on) return { x: on.x, y: on.y, z: on.z };
    const hit = ray.ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 1, 0), 0), new THREE.Vector3());
    return hit && hit.distanceTo(this.view.camera.position) < 60 ? { x: hit.x, y: 0, z: hit.z } : null;
  }

  /** Whether a point of the window lies on the steered character, or right beside it. */
  touchesLive(clientX: number, clientY: number): boolean {
    const actor = this.actors.get(LIVE);
    if (!actor?.pose) return false;
    const box = this.element.getBoundingClientRect();
    const at = new THREE.Vector2((2 * (clientX - box.left)) / box.width - 1, 1 - (2 * (clientY - box.top)) / box.height);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.view.camera);
    const { x, z } = actor.place;
    const low = this.heightUnder(actor);
    return ray.ray.distanceSqToSegment(new THREE.Vector3(x, low + 0.15, z), new THREE.Vector3(x, low + actor.tallM, z)) < TOUCH_M ** 2;
  }

  setShow(show: Shows): void {
    this.show = show;
    this.invalidate();
  }

  setTheme(theme: "dark" | "light"): void {
    this.look = LOOKS[theme];
    this.sky.color.set(this.look.sky);
    this.sky.groundColor.set(this.look.ground);
    this.sky.intensity = Math.PI * this.look.skyLight;
    this.key.intensity = Math.PI * this.look.keyLight;
    paintLights(this.look);
    this.floor.paint(this.look);
    for (const ground of Object.values(this.grounds)) ground.paint(this.look);
    this.prints.paint(this.look);
    this.trails.paint(this.look);
    this.been.paint(this.look.line);
    this.drawn.paint(this.look.left);
    this.stood.paint(this.look);
    this.paint();
  }

  setFollow(on: boolean): void {
    this.view.following = on;
    this.invalidate();
  }

  resetView(): void {
    this.view.reset();
    this.framed = false;
    this.invalidate();
  }

  /** Called after every picture. */
  onDrawn(fn: () => void): void {
    this.afterDraw.push(fn);
  }

  // --- drawing -----------------------------------------------------------------------------------------------------

  /** Something changed: draw with the next picture of the screen. */
  invalidate(): void {
    this.scheduled ||= requestAnimationFrame((now) => this.draw(now));
  }

  /** Draws what is due at once: for what answers the hand, where waiting for the screen would be felt. */
  flush(): void {
    if (this.scheduled === 0) return;
    cancelAnimationFrame(this.scheduled);
    this.draw(performance.now());
  }

  private draw(nowMs: number): void {
    this.scheduled = 0;
    const dt = Math.min((nowMs - this.lastMs) / 1000, 0.1);
    this.lastMs = nowMs;
    const began = performance.now();
    this.drawing.begin(nowMs, () => this.invalidate());
    this.floor.mesh.visible = !this.onGround;
    this.grounds.live.group.visible = this.live;
    this.grounds.arranged.group.visible = !this.live && !this.auditioning;
    this.view.lowest = this.onGround ? -Infinity : 0.05;
    this.aim();
    const moving = this.view.update(dt);
    const { target, camera } = this.view;
    this.floor.center(target.x, target.z);
    for (const actor of this.visible()) actor.drawShadow(this.drawing.renderer, this.show.shadow, this.heightUnder(actor));
    const arranged = !this.live && !this.auditioning;
    this.prints.mesh.visible = this.show.footprints && arranged;
    this.stood.mesh.visible = this.show.footprints && this.live;
    this.been.line.visible = this.live;
    this.crowd.group.visible = this.live;
    this.trails.group.visible = this.show.trails && arranged;
    this.prints.setTime(this.timeS);
    if (this.trails.group.visible) this.trails.setTime(this.timeS);
    for (const ghost of this.ghosts) ghost.group.visible = this.show.ghosts && arranged;
    this.drawing.renderer.render(this.scene, camera);
    frameDrawn(performance.now() - began);
    for (const fn of this.afterDraw) fn();
    if (moving) this.invalidate();
  }

  /** Where to look: the middle of who is there, at a height that does not bob. */
  private aim(): void {
    const seen = this.visible().filter((actor) => actor.pose);
    if (seen.length === 0) return;
    const box = new THREE.Box2();
    for (const { place } of seen) box.expandByPoint(new THREE.Vector2(place.x, place.z));
    const low = seen.reduce((sum, actor) => sum + this.heightUnder(actor), 0) / seen.length;
    const tall = Math.max(...seen.map((actor) => actor.tallM));
    const middle = box.getCenter(new THREE.Vector2());
    this.view.follow(new THREE.Vector3(middle.x, low + 0.5 * tall, middle.y));
    if (this.framed) return;
    this.framed = true;
    this.view.frame(box.getSize(middle).length() + 1.6, 1.5 * tall, this.view.camera.aspect);
    this.view.cut();
  }

  /** How high what a body stands on is. */
  private heightUnder(actor: Actor): number {
    const { x, y, z } = actor.place;
    return this.ground.heightAt(x, z, y) ?? 0;
  }

  private visible(): Actor[] {
    const seen = (track: number): boolean => (this.live ? track === LIVE : this.auditioning ? track === AUDITION : track >= 0);
    return [...this.actors].filter(([track]) => seen(track)).map(([, actor]) => actor);
  }

  private add(track: number, skeleton: SkeletonView): void {
    const actor = new Actor(skeleton, this.drawing.slow, () => {
      this.framed = false; // a skin may be larger than its bones
      this.invalidate();
    });
    this.actors.set(track, actor);
    this.scene.add(actor.group);
    const frame = this.takes.get(track);
    if (frame) this.setTake(track, frame);
  }

  private dress(actor: Actor, samples: readonly Float32Array[]): void {
    if (actor.figure.dressed) return;
    actor.figure.dress(samples);
    this.paint();
  }

  private drop(track: number): void {
    const actor = this.actors.get(track);
    if (!actor) return;
    this.actors.delete(track);
    this.takes.delete(track);
    this.prints.remove(track);
    this.trails.remove(track);
    this.scene.remove(actor.group);
    actor.dispose();
    this.invalidate();
  }

  private discard(figure: Figure): void {
    this.scene.remove(figure.group);
    figure.dispose();
    this.invalidate();
  }

  private paint(): void {
    const arranged = [...this.actors.keys()].filter((track) => track >= 0).length;
    [...this.actors].forEach(([track, actor], i) => {
      actor.paint(this.look, track < 0 ? 0 : i, arranged > 1 && track >= 0);
    });
    this.ghosts.forEach((ghost, i) => ghost.paint(this.look, i + 1, true));
    this.showBodies();
    this.invalidate();
  }

  private showBodies(): void {
    const seen = new Set(this.visible());
    for (const actor of this.actors.values()) actor.group.visible = seen.has(actor) && actor.figure.dressed;
  }

  private resize(): void {
    const [wide, high] = [Math.max(this.host.clientWidth, 1), Math.max(this.host.clientHeight, 1)];
    this.drawing.setSize(wide, high);
    this.view.camera.aspect = wide / high;
    if (this.live) this.view.camera.setViewOffset(wide, high, Math.min(0.5 * SIDE_PX, 0.2 * wide), 0.08 * high, wide, high); // clear of the panels
    else this.view.camera.clearViewOffset();
    this.view.camera.updateProjectionMatrix();
    this.invalidate();
  }

  /** How many of those that are seen wear a skin. */
  get skins(): number {
    return this.visible().filter((actor) => actor.hasSkin).length;
  }

  /** How many figures are seen. */
  get figures(): number {
    return this.visible().filter((actor) => actor.group.visible).length;
  }

  /** Last second any take has. */
  get endS(): number {
    return Math.max(0, ...[...this.takes.values()].map(endOf));
  }
}
