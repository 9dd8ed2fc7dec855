// The camera: orbits by mouse and touch, zooms, pans, and follows what moves.

import * as THREE from "three";

const FIELD_DEG = 32;
const HOME = { azimuth: 0.85, elevation: 0.2, distance: 5.2 };
const LAG_S = 0.35; // how far behind it follows
const JUMP_M = 2.5; // what moves further than this at once was scrubbed to: the camera cuts

export class OrbitCamera {
  readonly camera = new THREE.PerspectiveCamera(FIELD_DEG, 1, 0.05, 200);
  readonly target = new THREE.Vector3(0, 0.95, 0);
  following = true;
  lowest = 0.05; // metres: it stays over the floor
  private azimuth = HOME.azimuth;
  private elevation = HOME.elevation;
  private distance = HOME.distance;
  private readonly wanted = this.target.clone(); // where what moves is
  private readonly offset = new THREE.Vector3(); // panned away from it by hand
  private readonly pointers = new Map<number, PointerEvent>();

  /** Listens on an element; `changed` is called when the view was changed by hand. */
  attach(element: HTMLElement, changed: () => void): void {
    element.style.touchAction = "none";
    element.addEventListener("pointerdown", (event) => {
      if (event.defaultPrevented) return;
      this.pointers.set(event.pointerId, event);
      element.setPointerCapture(event.pointerId);
    });
    element.addEventListener("pointermove", (event) => {
      const before = this.pointers.get(event.pointerId);
      if (!before) return;
      this.moved(before, event, element.clientHeight);
      this.pointers.set(event.pointerId, event);
      changed();
    });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      element.addEventListener(kind, (event) => this.pointers.delete(event.pointerId));
    }
    element.addEventListener("wheel", (event) => {
      event.preventDefault();
      const pixels = event.deltaMode === 0 ? event.deltaY : 30 * event.deltaY;
      this.zoom(Math.exp(Math.min(Math.max(pixels, -120), 120) * (event.ctrlKey ? 0.01 : 0.0016)));
      changed();
    }, { passive: false });
    element.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  reset(): void {
    Object.assign(this, HOME);
    this.offset.set(0, 0, 0);
    this.target.copy(this.wanted);
  }

  /** Far enough for something this wide and high, once: the user's own zoom is kept afterwards. */
  frame(wide: number, high: number, aspect: number): void {
    const tan = Math.tan((0.5 * FIELD_DEG * Math.PI) / 180);
    this.distance = Math.min(Math.max((0.62 * high) / tan, (0.62 * wide) / (tan * aspect), 3.2), 40);
  }

  follow(point: THREE.Vector3): void {
    this.wanted.copy(point);
  }

  cut(): void {
    if (this.following) this.target.addVectors(this.wanted, this.offset);
  }

  /** Moves on by dt; true while it is still on its way. */
  update(dt: number): boolean {
    let moving = false;
    if (this.following) {
      const goal = this.wanted.clone().add(this.offset);
      const away = this.target.distanceTo(goal);
      moving = away > 1e-3 && away <= JUMP_M;
      if (moving) this.target.lerp(goal, 1 - Math.exp(-dt / LAG_S));
      else this.target.copy(goal);
    }
    const flat = Math.cos(this.elevation) * this.distance;
    this.camera.position.set(
      this.target.x + Math.sin(this.azimuth) * flat,
      Math.max(this.target.y + Math.sin(this.elevation) * this.distance, this.lowest),
      this.target.z + Math.cos(this.azimuth) * flat,
    );
    this.camera.lookAt(this.target);
    return moving;
  }

  private moved(before: PointerEvent, now: PointerEvent, high: number): void {
    const [dx, dy] = [now.clientX - before.clientX, now.clientY - before.clientY];
    const other = [...this.pointers.entries()].find(([id]) => id !== now.pointerId)?.[1];
    if (other) {
      const apart = (p: PointerEvent): number => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
      this.zoom(apart(before) / Math.max(apart(now), 1));
      this.pan(0.5 * dx, 0.5 * dy, high);
    } else if (now.buttons & 6 || now.shiftKey) {
      this.pan(dx, dy, high);
    } else {
      this.azimuth -= 0.008 * dx;
      this.elevation = Math.min(Math.max(this.elevation + 0.006 * dy, -0.15), 1.5);
    }
  }

  private zoom(factor: number): void {
    this.distance = Math.min(Math.max(this.distance * factor, 0.6), 60);
  }

  private pan(dx: number, dy: number, high: number): void {
    const perPixel = (2 * this.distance * Math.tan((0.5 * FIELD_DEG * Math.PI) / 180)) / high;
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    const by = right.multiplyScalar(-dx * perPixel).addScaledVector(up, dy * perPixel);
    this.target.add(by);
    this.offset.add(by);
  }
}
