// A clip in a notebook: figure, floor, play and scrub; everything it needs is inside the page it is put into.

import { el, setLabel, setText, svg } from "./elements";
import { decodeFrame, endOf } from "./frames";
import type { SkeletonView } from "./messages";
import style from "./notebook.css";
import { Stage } from "./stage/stage";

interface Shown {
  readonly name: string;
  readonly theme: "dark" | "light" | "system";
  readonly loop: boolean;
  readonly skeletons: readonly SkeletonView[];
  readonly frames: readonly string[]; // binary frames as base64
}

const PLAY = "M4 2.5v11l9-5.5z";
const PAUSE = "M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z";

function show(host: HTMLElement, shown: Shown): void {
  document.head.append(el("style", { text: style }));
  const view = el("div", { class: "view" });
  const path = svg("path", { d: PAUSE });
  const button = el("button", { type: "button" }, svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, path));
  const slider = el("input", { type: "range", min: "0", step: "0.001", label: "Time" });
  const clock = el("output");
  const name = el("span", { class: "name", text: shown.name, title: shown.name });
  host.append(el("main", {}, view, el("div", { class: "bar" }, button, name, slider, clock)));

  const stage = new Stage(view);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = (): void => {
    const now = shown.theme === "system" ? (dark.matches ? "dark" : "light") : shown.theme;
    document.documentElement.dataset.theme = now;
    stage.setTheme(now);
  };
  theme();
  dark.addEventListener("change", theme);
  stage.setFigures(shown.skeletons.map((skeleton, track) => ({ track, skeleton })));
  let endS = 0;
  shown.frames.forEach((text, track) => {
    const frame = decodeFrame(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
    if (!frame) return;
    stage.setTake(track, frame);
    endS = Math.max(endS, endOf(frame));
  });
  slider.max = String(endS);
  play(stage, endS, button, path, slider, clock);
}

function play(
  stage: Stage, endS: number, button: HTMLButtonElement, path: SVGPathElement, slider: HTMLInputElement,
  clock: HTMLOutputElement,
): void {
  let timeS = 0;
  let lastMs = 0;
  let playing = endS > 0;
  const draw = (): void => {
    stage.showTime(timeS);
    slider.value = String(timeS);
    setText(clock, `${timeS.toFixed(2)} / ${endS.toFixed(2)} s`);
    setLabel(button, playing ? "Pause" : "Play");
    path.setAttribute("d", playing ? PAUSE : PLAY);
  };
  const step = (nowMs: number): void => {
    if (!playing) return;
    timeS = (timeS + Math.min((nowMs - lastMs) / 1000, 0.5)) % Math.max(endS, 1e-6);
    lastMs = nowMs;
    draw();
    requestAnimationFrame(step);
  };
  const start = (): void => {
    lastMs = performance.now();
    requestAnimationFrame(step);
  };
  button.addEventListener("click", () => {
    playing = !playing;
    draw();
    start();
  });
  slider.addEventListener("input", () => {
    timeS = Number(slider.value);
    playing = false;
    draw();
  });
  draw();
  start();
  document.body.dataset.ready = "1";
}

const data = document.getElementById("footfall-clip");
if (data?.textContent) show(document.body, JSON.parse(data.textContent) as Shown);
