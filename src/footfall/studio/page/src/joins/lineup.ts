// The line-up: one figure a card, all in step, drawn by one renderer into the cards' own places on one canvas.

import * as THREE from "three";
import { poseAt, type PoseFrame } from "../frames";
import { frameDrawn } from "../measure";
import type { SkeletonView } from "../messages";
import { Actor } from "../stage/actor";
import { rolesOf, samplePoses } from "../stage/body";
import { OrbitCamera } from "../stage/camera";
import { Figure } from "../stage/figure";
import { Floor } from "../stage/floor";
import { Footprints } from "../stage/footprints";
import { paintLights } from "../stage/light";
import { LOOKS } from "../stage/look";
import { makeRenderer, type Drawing } from "../stage/renderer";
import { Trails } from "../stage/trail";

const VIEW_M = 2.1; // about what a card shows, in height

interface Seat {
  readonly place: HTMLElement; // where it is drawn
  readonly actor: Actor;
  readonly prints: Footprints;
  readonly trails: Trails;
  readonly frame: PoseFrame;
  readonly joinS: number; // second of the frame's time that is 0 here
}

export class Lineup {
  readonly canvas: HTMLCanvasElement;
  ghosts = true;
  private readonly drawing: Drawing;
  private readonly scene = new THREE.Scene();
  private readonly floor: Floor;
  private readonly view = new OrbitCamera();
  private readonly seats = new Map<number, Seat>();
  private ghost: Figure | null = null;
  private look = LOOKS.dark;
  private timeS = 0; // after the first clip is left
  private scheduled = 0;

  constructor(private readonly host: HTMLElement) {
    this.drawing = makeRenderer();
    this.canvas = this.drawing.renderer.domElement;
    this.canvas.className = "lineup";
    this.canvas.setAttribute("aria-hidden", "true"); // the cards say what is seen
    host.prepend(this.canvas);
    this.floor = new Floor(this.drawing.slow);
    this.scene.add(this.floor.mesh);
    this.drawing.renderer.setScissorTest(true);
    this.drawing.renderer.autoClear = false;
    this.view.frame(VIEW_M, VIEW_M, 1);
    this.view.attach(host, () => this.invalidate());
    new ResizeObserver(() => this.invalidate()).observe(host);
    host.addEventListener("scroll", () => this.invalidate(), { passive: true });
  }

  paint(theme: "dark" | "light"): void {
    this.look = LOOKS[theme];
    paintLights(this.look);
    this.floor.paint(this.look);
    for (const seat of this.seats.values()) this.dressed(seat);
    this.ghost?.paint(this.look, 1, true);
    this.invalidate();
  }

  /** A join to be seen in a card, in place of the one before. */
  set(number: number, place: HTMLElement, skeleton: SkeletonView, frame: PoseFrame, joinS: number): void {
    this.remove(number);
    const actor = new Actor({ ...skeleton, skin: null }, this.drawing.slow, () => this.invalidate());
    if (!actor.fits(frame.joints) || frame.frames === 0) return actor.dispose();
    const samples = samplePoses(frame.poses, frame.frames, frame.joints);
    actor.figure.dress(samples);
    const seat: Seat = { place, actor, prints: new Footprints(), trails: new Trails(), frame, joinS };
    seat.prints.setTrack(number, frame, actor.feet);
    seat.trails.setTrack(number, frame, actor.feet, new Map([["pelvis", rolesOf(skeleton).get("pelvis") ?? 0]]));
    this.scene.add(actor.group, seat.prints.mesh, seat.trails.group);
    this.seats.set(number, seat);
    if (number === 0) this.setGhost(skeleton, samples);
    this.dressed(seat);
    this.invalidate();
  }

  remove(number: number): void {
    const seat = this.seats.get(number);
    if (!seat) return;
    this.scene.remove(seat.actor.group, seat.prints.mesh, seat.trails.group);
    seat.trails.remove(number);
    seat.prints.dispose();
    seat.actor.dispose();
    this.seats.delete(number);
    this.invalidate();
  }

  clear(): void {
    for (const number of [...this.seats.keys()]) this.remove(number);
  }

  /** All of them at a time after the first clip is left. */
  showTime(timeS: number): void {
    this.timeS = timeS;
    this.invalidate();
  }

  invalidate(): void {
    this.scheduled ||= requestAnimationFrame(() => this.draw());
  }

  /** How many figures are seen, for the browser tests. */
  get figures(): number {
    return this.seats.size;
  }

  private setGhost(skeleton: SkeletonView, samples: readonly Float32Array[]): void {
    if (this.ghost) {
      this.scene.remove(this.ghost.group);
      this.ghost.dispose();
    }
    this.ghost = new Figure(skeleton, { ghost: true, coarse: true });
    this.ghost.dress(samples);
    this.ghost.paint(this.look, 1, true);
    this.scene.add(this.ghost.group);
  }

  private dressed(seat: Seat): void {
    seat.actor.paint(this.look, 0, false);
    seat.prints.paint(this.look);
    seat.trails.paint(this.look);
  }

  private draw(): void {
    this.scheduled = 0;
    const box = this.host.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) return; // another tab is shown
    const began = performance.now();
    const { renderer } = this.drawing;
    this.drawing.setSize(Math.round(box.width), Math.round(box.height));
    renderer.setScissor(0, 0, box.width, box.height);
    renderer.clear();
    const first = this.seats.get(0);
    const model = first && poseAt(first.frame, first.joinS + this.timeS);
    if (model) this.ghost?.pose(model);
    for (const [number, seat] of this.seats) this.drawSeat(seat, box, this.ghosts && number > 0 && model !== undefined);
    frameDrawn(performance.now() - began);
  }

  private drawSeat(seat: Seat, box: DOMRect, ghost: boolean): void {
    const at = seat.place.getBoundingClientRect();
    if (at.width < 2 || at.bottom < box.top || at.top > box.bottom) return;
    const { renderer } = this.drawing;
    const timeS = seat.joinS + this.timeS;
    seat.actor.show(poseAt(seat.frame, timeS, seat.actor.pose ?? undefined));
    seat.actor.group.visible = true;
    seat.actor.drawShadow(renderer, true);
    for (const other of this.seats.values()) {
      const mine = other === seat;
      other.actor.group.visible = other.prints.mesh.visible = other.trails.group.visible = mine;
    }
    if (this.ghost) this.ghost.group.visible = ghost;
    seat.prints.setTime(timeS);
    seat.trails.setTime(timeS);
    const { x, z } = seat.actor.place;
    this.view.follow(new THREE.Vector3(x, 0.5 * seat.actor.tallM, z));
    this.view.cut();
    this.view.update(0);
    this.floor.center(x, z);
    this.view.camera.aspect = at.width / at.height;
    this.view.camera.updateProjectionMatrix();
    const [left, bottom] = [at.left - box.left, box.bottom - at.bottom];
    renderer.setViewport(left, bottom, at.width, at.height);
    renderer.setScissor(left, bottom, at.width, at.height);
    renderer.render(this.scene, this.view.camera);
  }
}
