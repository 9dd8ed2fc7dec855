// The renderer: as crisp as the screen where there is a GPU, plain where pixels are made in software or come slowly.

import * as THREE from "three";

const SLOW_MS = 30; // pictures that follow each other more slowly than this cost too many pixels
const WINDOW = 40;
const MOVES_MS = 250; // pictures that follow each other sooner show something that moves
const REST_MS = 400; // without a picture: then there is time for one with all pixels

export interface Drawing {
  readonly renderer: THREE.WebGLRenderer;
  readonly slow: boolean;
  setSize(wide: number, high: number): void;
  begin(nowMs: number, again: () => void): void; // a picture is about to be drawn: the resolution follows; `again` asks for one more, once nothing moves
}

export function makeRenderer(): Drawing {
  const slow = isSoftware();
  const renderer = new THREE.WebGLRenderer({ antialias: !slow, alpha: true, powerPreference: "low-power" });
  renderer.setClearColor(0x000000, 0);
  const most = slow ? 1 : Math.min(devicePixelRatio || 1, 2);
  let ratio = most; // of what moves
  let used = most;
  let rest = 0;
  let atRest = false; // the next picture is of what has not moved for a while
  let size: [number, number] = [1, 1];
  const gaps: number[] = [];
  let last = 0;

  const apply = (): void => {
    renderer.setPixelRatio(used);
    renderer.setSize(size[0], size[1], false);
  };
  return {
    renderer,
    slow,
    setSize(wide, high) {
      size = [wide, high];
      apply();
    },
    begin(nowMs, again) {
      const gap = nowMs - last;
      last = nowMs;
      if (gap < MOVES_MS) gaps.push(gap);
      if (gaps.length >= WINDOW) {
        const middle = gaps.sort((a, b) => a - b)[WINDOW / 2]!;
        gaps.length = 0;
        if (middle > SLOW_MS) ratio = Math.min(ratio, ratio > 1 ? 1 : 0.75);
      }
      const wanted = atRest ? most : ratio;
      atRest = false;
      if (wanted !== used) {
        used = wanted;
        apply();
      }
      clearTimeout(rest);
      if (used < most) rest = window.setTimeout(() => {
        atRest = true;
        again();
      }, REST_MS);
    },
  };
}

/** Whether pictures are made by the processor (SwiftShader, llvmpipe, …). */
function isSoftware(): boolean {
  const probe = document.createElement("canvas").getContext("webgl2");
  const info = probe?.getExtension("WEBGL_debug_renderer_info");
  const name = probe && info ? String(probe.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  probe?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}
