// What the studio says, put into the store.

import type { Connection } from "./connection";
import type { PoseFrame } from "./frames";
import type { SkeletonView, Take } from "./messages";
import type { Store } from "./store";
import { named } from "./timeline/layout";

export function wire(store: Store, connection: Connection): void {
  let early: PoseFrame[] = []; // poses that came before their take
  let fresh = true; // a studio that began anew counts its revisions anew

  connection.onOnline((online) => store.set({ online }));
  connection.on("welcome", (welcome) => {
    early = [];
    fresh = true;
    store.set({ welcome, library: welcome.library, jobs: new Map(), preview: null, previewPoses: new Map() });
  });
  connection.on("added", ({ item }) => {
    const others = store.state.library.filter((one) => one.key !== item.key);
    store.set({ library: [...others, item] });
  });
  connection.on("removed", ({ keys }) => {
    store.set({ library: store.state.library.filter((item) => !keys.includes(item.key)) });
  });
  connection.on("grounds", ({ items }) => store.set({ grounds: items }));
  connection.on("projects", ({ files }) => store.set({ projects: files }));
  connection.on("project", (project) => store.set({ project }));
  store.subscribe("library", ({ take, project, library }) => {
    if (take) store.set({ take: named(take, project?.document ?? null, library) });
  });
  connection.on("take", (take) => {
    fresh = false;
    const known = new Set(take.tracks.filter((track) => track.clips.length > 0).map((track) => track.id));
    const poses = new Map([...store.state.poses].filter(([track]) => known.has(track)));
    for (const frame of early) if (frame.serial === take.revision && known.has(frame.track)) poses.set(frame.track, frame);
    early = early.filter((frame) => frame.serial > take.revision);
    const { project, library } = store.state;
    store.set({ take: named(take, project?.document ?? null, library), skeletons: bodies(store.state.skeletons, take), poses });
    store.closeProblems("timeline");
    const end = take.durationS;
    if (store.state.playhead > end) store.set({ playhead: end });
    if (end <= 0) store.set({ playing: false });
  });
  connection.on("job", (job) => store.set({ jobs: new Map(store.state.jobs).set(job.id, job) }));
  connection.on("problem", ({ where, text, serial }) => {
    if (serial === null) store.problem(where, text); // what a drag cannot do is said by the timeline
  });
  connection.onFrame((frame) => {
    const { take, poses, previewPoses } = store.state;
    if (frame.kind === "preview") {
      store.set({ previewPoses: new Map(previewPoses).set(frame.track, frame) });
    } else if (frame.kind === "take") {
      if (fresh || !take || frame.serial > take.revision) early.push(frame);
      else if (frame.serial === take.revision) store.set({ poses: new Map(poses).set(frame.track, frame) });
    }
  });
}

/** Bodies by track: a take sends only those that are new. */
function bodies(before: ReadonlyMap<number, SkeletonView>, take: Take): Map<number, SkeletonView> {
  const now = new Map<number, SkeletonView>();
  take.tracks.forEach((track, i) => {
    const sent = take.skeletons[i];
    const old = before.get(track.id);
    const body = sent && !(old && JSON.stringify(old) === JSON.stringify(sent)) ? sent : old; // the same body is kept, with its skin
    if (body && track.clips.length > 0) now.set(track.id, body);
  });
  return now;
}
