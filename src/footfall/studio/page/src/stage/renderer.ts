// The renderer: as crisp as the screen where there is a GPU, plain where pixels are made in software or come slowly.

import * as THREE from "three";

const SLOW_MS = 30; // pictures that follow each other more slowly than this cost too many pixels
const WINDOW = 40;

export interface Drawing {
  readonly renderer: THREE.WebGLRenderer;
  readonly slow: boolean;
  setSize(wide: number, high: number): void;
  paced(nowMs: number): void; // tells when a picture was drawn: the resolution follows
}

export function makeRenderer(): Drawing {
  const slow = isSoftware();
  const renderer = new THREE.WebGLRenderer({ antialias: !slow, alpha: true, powerPreference: "low-power" });
  renderer.setClearColor(0x000000, 0);
  let ratio = slow ? 1 : Math.min(devicePixelRatio || 1, 2);
  let size: [number, number] = [1, 1];
  const gaps: number[] = [];
  let last = 0;

  const apply = (): void => {
    renderer.setPixelRatio(ratio);
    renderer.setSize(size[0], size[1], false);
  };
  return {
    renderer,
    slow,
    setSize(wide, high) {
      size = [wide, high];
      apply();
    },
    paced(nowMs) {
      const gap = nowMs - last;
      last = nowMs;
      if (gap > 250) return; // it rested
      gaps.push(gap);
      if (gaps.length < WINDOW) return;
      const middle = gaps.sort((a, b) => a - b)[WINDOW / 2]!;
      gaps.length = 0;
      const lower = ratio > 1 ? 1 : 0.75;
      if (middle > SLOW_MS && lower < ratio) {
        ratio = lower;
        apply();
      }
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
