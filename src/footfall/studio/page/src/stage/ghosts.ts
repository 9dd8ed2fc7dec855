// Ghosts: at a join, the two clips it is made of go on by themselves, faintly, each laid onto the take where it leaves it.

import { poseAt, STRIDE, type PoseFrame } from "../frames";
import type { JoinView, PlacedClip, TrackView } from "../messages";
import type { Store } from "../store";
import { clipPoses, type ClipPoses } from "../thumbnail";
import { samplePoses } from "./body";
import type { Ghost, Stage } from "./stage";

const AROUND_S = 0.25; // shown this long before and after a join

interface Source {
  readonly poses: ClipPoses;
  readonly samples: readonly Float32Array[];
}

/** Keeps the stage's ghosts in step with the playhead. */
export function showGhosts(store: Store, stage: Stage): void {
  const sources = new Map<string, Source | null>();
  const source = (key: string): Source | null => {
    const known = sources.get(key);
    if (known !== undefined) return known;
    sources.set(key, null);
    void clipPoses(key).then((poses) => {
      if (!poses) return;
      const { frame } = poses;
      sources.set(key, { poses, samples: samplePoses(frame.poses, frame.frames, frame.joints) });
      draw();
    });
    return null;
  };
  const draw = (): void => {
    const { show, preview, take, project, poses, playhead, tab } = store.state;
    const ghosts: Ghost[] = [];
    if (show.ghosts && !preview && take && project && tab === "arrange") {
      for (const track of take.tracks) {
        const placed = project.document.tracks.find((one) => one.id === track.id)?.clips ?? [];
        const frame = poses.get(track.id);
        const join = track.joins.find((one) => isNear(one, playhead));
        if (frame && join) ghosts.push(...ghostsAt(join, track, placed, frame, playhead, source));
      }
    }
    stage.setGhosts(ghosts);
  };
  store.subscribe(["playhead", "take", "preview", "poses", "show", "tab"], draw);
}

function isNear(join: JoinView, timeS: number): boolean {
  return join.kind !== "composition" && timeS > join.startS - AROUND_S && timeS < join.endS + AROUND_S;
}

function ghostsAt(
  join: JoinView, track: TrackView, placed: readonly PlacedClip[], frame: PoseFrame, timeS: number,
  source: (key: string) => Source | null,
): Ghost[] {
  const ends = [[join.before, join.startS], [join.after, join.endS]] as const;
  return ends.flatMap(([id, anchorS]) => {
    const clip = placed.find((one) => one.id === id);
    const view = track.clips.find((one) => one.id === id);
    if (!clip || !view || clip.mirror) return []; // what is mirrored would need its body mirrored too
    const from = source(clip.clip);
    if (!from) return [];
    const length = Math.max(from.poses.frame.frames - 1, 1) / from.poses.frame.fps;
    const inClip = (time: number): number => (clip.trimS?.[0] ?? 0) + (time - view.startS) * clip.speed;
    const [anchor, now] = [inClip(anchorS), inClip(timeS)];
    if (now < -AROUND_S || anchor > length + 1e-3 || now > length + AROUND_S) return []; // of a repeat: not one piece
    const pose = laidOnto(poseAt(from.poses.frame, now), poseAt(from.poses.frame, anchor), poseAt(frame, anchorS));
    return [{ skeleton: from.poses.skeleton, samples: from.samples, pose }];
  });
}

/** A pose moved and turned on the floor as the anchor is laid onto the take. */
function laidOnto(pose: Float32Array, anchor: Float32Array, onto: Float32Array): Float32Array {
  const angle = heading(onto) - heading(anchor);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [half, w] = [Math.sin(angle / 2), Math.cos(angle / 2)];
  const out = new Float32Array(pose.length);
  for (let i = 0; i < pose.length; i += STRIDE) {
    const [x, z] = [pose[i]! - anchor[0]!, pose[i + 2]! - anchor[2]!];
    out[i] = onto[0]! + cos * x + sin * z;
    out[i + 1] = pose[i + 1]!;
    out[i + 2] = onto[2]! - sin * x + cos * z;
    const [qx, qy, qz, qw] = [pose[i + 3]!, pose[i + 4]!, pose[i + 5]!, pose[i + 6]!];
    out[i + 3] = w * qx + half * qz;
    out[i + 4] = w * qy + half * qw;
    out[i + 5] = w * qz - half * qx;
    out[i + 6] = w * qw - half * qy;
  }
  return out;
}

/** Which way the root is turned on the floor: the twist of its rotation about the vertical. */
function heading(pose: Float32Array): number {
  return 2 * Math.atan2(pose[4]!, pose[6]!);
}
