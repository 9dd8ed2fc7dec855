// A small picture of a clip, drawn with plain 2D lines; it moves while the pointer is on it.

import { decodeFrame, poseAt, endOf, type PoseFrame } from "./frames";
import type { SkeletonView } from "./messages";

const VIEW_RAD = 0.9; // looked at from ahead and a little from the left
const TILT = 0.16;
const SIZE_PX = 52;

export interface ClipPoses {
  readonly skeleton: SkeletonView;
  readonly frame: PoseFrame;
}

const loaded = new Map<string, Promise<ClipPoses | null>>();

/** Poses and body of a library clip, fetched once; null where there are none. */
export function clipPoses(key: string): Promise<ClipPoses | null> {
  let wanted = loaded.get(key);
  if (!wanted) {
    wanted = fetchPoses(key).catch(() => null);
    loaded.set(key, wanted);
    void wanted.then((got) => {
      if (!got) loaded.delete(key); // it may be there the next time
    });
  }
  return wanted;
}

async function fetchPoses(key: string): Promise<ClipPoses | null> {
  const at = `/clips/${encodeURIComponent(key)}`;
  const [poses, body] = await Promise.all([fetch(`${at}/poses?fps=15`), fetch(`${at}/skeleton`)]);
  if (!poses.ok || !body.ok) return null;
  const frame = decodeFrame(await poses.arrayBuffer());
  return frame && frame.frames > 0 ? { skeleton: (await body.json()) as SkeletonView, frame } : null;
}

export class Thumbnail {
  readonly canvas = document.createElement("canvas");
  private poses: ClipPoses | null = null;
  private moving = 0;
  private startMs = 0;

  constructor(private readonly key: string) {
    this.canvas.className = "thumb";
    this.canvas.setAttribute("aria-hidden", "true");
    const dense = Math.min(devicePixelRatio || 1, 2);
    this.canvas.width = this.canvas.height = SIZE_PX * dense;
    seen.observe(this.canvas);
    byCanvas.set(this.canvas, this);
  }

  /** Called when it comes into sight, and again when colours change. */
  async show(): Promise<void> {
    this.poses ??= await clipPoses(this.key);
    this.still();
  }

  play(): void {
    if (this.moving || !this.poses) return;
    this.startMs = performance.now();
    const step = (now: number): void => {
      const length = Math.max(endOf(this.poses!.frame), 0.1);
      this.draw(((now - this.startMs) / 1000) % length);
      this.moving = requestAnimationFrame(step);
    };
    this.moving = requestAnimationFrame(step);
  }

  stop(): void {
    cancelAnimationFrame(this.moving);
    this.moving = 0;
    this.still();
  }

  private still(): void {
    if (this.poses) this.draw(0.45 * endOf(this.poses.frame));
  }

  private draw(timeS: number): void {
    const context = this.canvas.getContext("2d");
    if (!context || !this.poses) return;
    const { skeleton, frame } = this.poses;
    drawFigure(context, this.canvas.width, skeleton, poseAt(frame, timeS), getComputedStyle(this.canvas));
  }
}

const byCanvas = new WeakMap<Element, Thumbnail>();
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    void byCanvas.get(entry.target)?.show();
  }
}, { rootMargin: "200px" });

function drawFigure(
  context: CanvasRenderingContext2D, size: number, skeleton: SkeletonView, pose: Float32Array, style: CSSStyleDeclaration,
): void {
  const known = skeleton.roles.some((role) => role !== "");
  const isBody = (j: number): boolean => !known || (skeleton.roles[j] !== "" && skeleton.roles[j] !== "finger"); // not what an animator pulls at
  const middle = Math.max(skeleton.roles.indexOf("pelvis"), 0);
  const lowest = Math.min(...skeleton.parents.map((_, j) => (isBody(j) ? pose[7 * j + 1]! : Infinity)));
  const floor = Math.min(lowest, 0);
  const joint = (j: number): [number, number, number] => {
    const [x, y, z] = [pose[7 * j]! - pose[7 * middle]!, pose[7 * j + 1]! - floor, pose[7 * j + 2]! - pose[7 * middle + 2]!];
    const [across, toward] = [x * Math.cos(VIEW_RAD) - z * Math.sin(VIEW_RAD), x * Math.sin(VIEW_RAD) + z * Math.cos(VIEW_RAD)];
    return [across, y - TILT * toward, toward];
  };
  const tall = skeleton.heightM || 1.75;
  const scale = (0.8 * size) / tall;
  const bones = skeleton.parents
    .map((parent, j) => ({ parent, j, depth: parent < 0 ? 0 : joint(j)[2] + joint(parent)[2] }))
    .filter(({ parent, j }) => parent >= 0 && isBody(j) && (isBody(parent) || skeleton.roles[parent] !== ""))
    .sort((a, b) => a.depth - b.depth);
  context.clearRect(0, 0, size, size);
  context.lineCap = "round";
  const line = (a: readonly number[], b: readonly number[], radius: number, color: string): void => {
    context.strokeStyle = color;
    context.lineWidth = Math.max(2 * radius * scale, 1.2);
    context.beginPath();
    context.moveTo(0.5 * size + a[0]! * scale, 0.94 * size - a[1]! * scale);
    context.lineTo(0.5 * size + b[0]! * scale, 0.94 * size - b[1]! * scale + 0.01);
    context.stroke();
  };
  for (const { parent, j } of bones) {
    line(joint(parent), joint(j), (skeleton.radii[j] ?? 0.03) * 1.05, style.getPropertyValue(tone(skeleton, j)));
  }
  const head = skeleton.roles.indexOf("head");
  if (head >= 0) {
    const [x, y, depth] = joint(head);
    line([x, y + 0.05 * tall, depth], [x, y + 0.07 * tall, depth], 0.05 * tall, style.getPropertyValue("--thumb-body"));
  }
}

function tone(skeleton: SkeletonView, joint: number): string {
  const role = skeleton.roles[joint] ?? "";
  if (!/foot|toe|shin|thigh|arm|hand/.test(role)) return "--thumb-body";
  return role.startsWith("left") ? "--thumb-left" : role.startsWith("right") ? "--thumb-right" : "--thumb-body";
}
