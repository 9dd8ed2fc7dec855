// Binary frames of poses: a header of eight 4-byte words, then joints × 7 floats a frame (position, quaternion xyzw).

export const MAGIC = 0x46464631;
export const STRIDE = 7; // floats a joint
const HEADER_BYTES = 32;
const KINDS = ["take", "preview", "live", "join", "blend", "crowd"] as const;

export type FrameKind = (typeof KINDS)[number];

export interface PoseFrame {
  readonly kind: FrameKind;
  readonly serial: number; // revision of a take, serial of a drag, number of a live frame
  readonly track: number;
  readonly frames: number;
  readonly joints: number;
  readonly fps: number;
  readonly startS: number; // where it begins on the timeline; of a live frame its time
  readonly poses: Float32Array; // frames × joints × 7, in the world; of a crowd bodies × joints × 3
  readonly live: LiveTail | null;
}

export interface LiveTail {
  readonly echoMs: number; // LiveSteer.sentMs of the newest steer this frame knows of
  readonly slideCmS: number;
  readonly depthMm: number;
}

/** Decodes one message; null if it is not a frame or is cut short. */
export function decodeFrame(data: ArrayBuffer): PoseFrame | null {
  if (data.byteLength < HEADER_BYTES) return null;
  const view = new DataView(data);
  const kind = KINDS[view.getUint32(4, true) - 1];
  if (view.getUint32(0, true) !== MAGIC || kind === undefined) return null;
  const frames = view.getUint32(16, true);
  const joints = view.getUint32(20, true);
  const floats = frames * joints * (kind === "crowd" ? 3 : STRIDE);
  const end = HEADER_BYTES + 4 * floats;
  if (data.byteLength < end + (kind === "live" ? 16 : 0)) return null;
  return {
    kind,
    serial: view.getUint32(8, true),
    track: view.getUint32(12, true),
    frames,
    joints,
    fps: view.getFloat32(24, true),
    startS: view.getFloat32(28, true),
    poses: new Float32Array(data, HEADER_BYTES, floats),
    live:
      kind === "live"
        ? {
            echoMs: view.getFloat64(end, true),
            slideCmS: view.getFloat32(end + 8, true),
            depthMm: view.getFloat32(end + 12, true),
          }
        : null,
  };
}

/** Second at which the last frame lies. */
export function endOf(frame: PoseFrame): number {
  return frame.startS + Math.max(frame.frames - 1, 0) / frame.fps;
}

/** The pose (joints × 7) at a time on the timeline, between frames and held at both ends. */
export function poseAt(frame: PoseFrame, timeS: number, out?: Float32Array): Float32Array {
  const size = frame.joints * STRIDE;
  const pose = out && out.length === size ? out : new Float32Array(size);
  if (frame.frames === 0) return pose;
  const at = Math.min(Math.max((timeS - frame.startS) * frame.fps, 0), frame.frames - 1);
  const first = Math.min(Math.floor(at), Math.max(frame.frames - 2, 0));
  const share = at - first;
  const a = first * size;
  if (share < 1e-4 || frame.frames === 1) {
    pose.set(frame.poses.subarray(a, a + size));
    return pose;
  }
  mix(frame.poses, a, a + size, share, pose);
  return pose;
}

/** Positions straight, rotations by the normalised sum on the shorter way: frames are close together. */
function mix(poses: Float32Array, a: number, b: number, share: number, out: Float32Array): void {
  for (let i = 0; i < out.length; i += STRIDE) {
    for (let c = 0; c < 3; c++) {
      const from = poses[a + i + c]!;
      out[i + c] = from + share * (poses[b + i + c]! - from);
    }
    let dot = 0;
    for (let c = 3; c < STRIDE; c++) dot += poses[a + i + c]! * poses[b + i + c]!;
    const toward = dot < 0 ? -share : share;
    let norm = 0;
    for (let c = 3; c < STRIDE; c++) {
      const value = (1 - share) * poses[a + i + c]! + toward * poses[b + i + c]!;
      out[i + c] = value;
      norm += value * value;
    }
    const scale = 1 / Math.sqrt(norm || 1);
    for (let c = 3; c < STRIDE; c++) out[i + c]! *= scale;
  }
}
