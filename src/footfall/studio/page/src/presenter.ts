// What of the store the stage shows: bodies, takes, the pose under the playhead, and what a drag would give.

import { dragDrawn, measured } from "./measure";
import type { PoseFrame } from "./frames";
import type { Stage } from "./stage/stage";
import type { Store } from "./store";

export function present(store: Store, stage: Stage): void {
  let drawnSerial = -1;
  const taken = new Map<number, PoseFrame>();

  const showPreview = (): boolean => {
    const { preview, previewPoses } = store.state;
    if (!preview || previewPoses.size === 0) return false;
    for (const [track, frame] of previewPoses) stage.showPose(track, frame.poses.slice(0, frame.joints * 7));
    return true;
  };
  const showNow = (): void => {
    if (!showPreview()) stage.showTime(store.state.playhead);
  };
  store.watch(["skeletons", "poses"], ({ skeletons, poses }) => {
    stage.setFigures([...skeletons].map(([track, skeleton]) => ({ track, skeleton })));
    for (const [track, frame] of poses) {
      if (taken.get(track) !== frame) stage.setTake(track, frame);
      taken.set(track, frame);
    }
    for (const track of [...taken.keys()]) if (!poses.has(track)) taken.delete(track);
    showNow();
  });
  store.subscribe(["playhead", "previewPoses"], showNow);
  store.subscribe("preview", () => {
    showNow();
    stage.flush();
  });
  store.watch("tab", ({ tab }) => stage.setMode(tab === "live"));
  store.watch("follow", ({ follow }) => stage.setFollow(follow));
  store.watch("show", ({ show }) => stage.setShow(show));
  stage.onDrawn(() => {
    const { preview, poses } = store.state;
    if (preview && preview.serial !== drawnSerial) {
      drawnSerial = preview.serial;
      dragDrawn(preview.serial);
    }
    if (poses.size > 0 && document.body.dataset.ready !== "1") document.body.dataset.ready = "1";
  });
  measured.stage = stage;
}
