// The transport: play, scrub, step, J K L, speed, loop and follow.

import { clamp, el, icon, setLabel, setText } from "./elements";
import { act, bind, tip, type Action } from "./keys";
import { toggleAudition } from "./audition";
import type { Store } from "./store";

const RATES = [0.25, 0.5, 1, 2] as const;
const FASTEST = 8;
const FRAME_S = 1 / 30;
const LONGEST_STEP_S = 0.5; // a page that slept goes on where it was

const PLAY = "M4.5 3v10l8.5-5z";
const PAUSE = "M4 3h3v10H4zM9.5 3h3v10h-3z";

/** Seconds of the take, or of what is dragged. */
export function durationOf(store: Store): number {
  return store.state.take?.durationS ?? 0;
}

/** Minutes, seconds and hundredths, as transports show them. */
export function clockText(seconds: number): string {
  const hundredths = Math.round(Math.max(seconds, 0) * 100);
  const pad = (n: number): string => String(n).padStart(2, "0");
  return `${pad(Math.floor(hundredths / 6000))}:${pad(Math.floor(hundredths / 100) % 60)}.${pad(hundredths % 100)}`;
}

/** Moves the playhead while playing. */
export function runClock(store: Store): void {
  let lastMs = 0;
  let running = false;
  const step = (nowMs: number): void => {
    const { playing, rate, loop, playhead, range } = store.state;
    running = playing;
    if (!playing) return;
    const end = durationOf(store);
    let now = playhead + rate * Math.min((nowMs - lastMs) / 1000, LONGEST_STEP_S);
    lastMs = nowMs;
    requestAnimationFrame(step);
    if (end <= 0) return;
    const [from, to] = range ? [Math.min(range[0], end), Math.min(range[1], end)] : [0, end];
    if (loop) now = to > from ? from + ((((now - from) % (to - from)) + (to - from)) % (to - from)) : from;
    const over = !loop && (now >= end || now <= 0) && (rate > 0 ? now >= end : now <= 0);
    store.set({ playhead: clamp(now, 0, end), ...(over ? { playing: false } : {}) });
  };
  store.subscribe("playing", ({ playing }) => {
    if (!playing || running) return;
    running = true;
    lastMs = performance.now();
    requestAnimationFrame(step);
  });
}

export function mountPlayer(host: HTMLElement, store: Store): void {
  bindKeys(store);
  const playPath = icon(PLAY);
  playPath.classList.add("solid");
  const play = button("play", playPath);
  const clock = el("span", { class: "clock" });
  const whole = el("span", { class: "clock muted" });
  const rate = el("select", { class: "field rate", label: "Speed", title: "Speed" });
  for (const value of RATES) rate.append(el("option", { value: String(value), text: `${value}×` }));
  rate.addEventListener("change", () => store.set({ rate: Number(rate.value) }));
  const loop = button("loop", icon("M12.5 6.5A5 5 0 0 0 3.6 6M3.5 9.5a5 5 0 0 0 8.9.5", "M12.8 3.4v3.1H9.7M3.2 12.6V9.5h3.1"), "Loop");
  const follow = button("follow", icon("M2 5h8v6H2z", "M10 7.5l4-2v5l-4-2"), "Follow");
  const prints = button("footprints", icon("M5 2.5c1.6 0 2 2 1.8 4S5.8 9 5 9s-1.6-.6-1.8-2.5S3.4 2.5 5 2.5zM4 10.5h2v1.5a1 1 0 0 1-2 0z", "M11 4.5c1.6 0 2 2 1.8 4S11.8 11 11 11s-1.6-.6-1.8-2.5S9.4 4.5 11 4.5zM10 12.5h2v1a1 1 0 0 1-2 0z"), "Footprints");
  const trails = button("trails", icon("M2 12c3 0 3-8 6-8s3 8 6 8"), "Trails");
  const ghosts = button("ghosts", icon("M3.5 13.5V7a4.5 4.5 0 0 1 9 0v6.5l-2.2-1.6L8 13.5l-2.3-1.6z"), "Ghosts");
  const group = (...parts: HTMLElement[]): HTMLElement => el("div", { class: "transport-group" }, ...parts);
  host.append(
    group(
      button("toStart", solid("M3 3h2v10H3zM13 3v10L6 8z")),
      button("stepBack", solid("M10 3v10L3.5 8zM11.5 3H13v10h-1.5z")),
      play,
      button("stepOn", solid("M6 3v10l6.5-5zM3 3h1.5v10H3z")),
      button("toEnd", solid("M11 3h2v10h-2zM3 3v10l7-5z")),
    ),
    group(clock, el("span", { class: "muted", text: "/" }), whole),
    group(rate, loop, follow),
    group(prints, trails, ghosts),
  );
  store.watch(["playhead", "take"], ({ playhead }) => {
    setText(clock, clockText(playhead));
    setText(whole, clockText(durationOf(store)));
  });
  store.watch("playing", ({ playing }) => {
    setLabel(play, playing ? "Pause" : "Play", tip("play", playing ? "Pause" : "Play"));
    playPath.querySelector("path")?.setAttribute("d", playing ? PAUSE : PLAY);
  });
  store.watch("rate", (state) => showRate(rate, state.rate));
  store.watch(["loop", "follow", "show"], (state) => {
    press(loop, state.loop);
    press(follow, state.follow);
    press(prints, state.show.footprints);
    press(trails, state.show.trails);
    press(ghosts, state.show.ghosts);
  });
}

function bindKeys(store: Store): void {
  const seek = (timeS: number): void => {
    store.set({ playing: false, playhead: clamp(timeS, 0, durationOf(store)) });
  };
  const frame = (by: number): void => seek((Math.round(store.state.playhead / FRAME_S) + by) * FRAME_S);
  const shuttle = (way: 1 | -1): void => {
    const { playing, rate } = store.state;
    const faster = playing && Math.sign(rate) === way;
    store.set({ playing: true, rate: faster ? way * Math.min(2 * Math.abs(rate), FASTEST) : way });
  };
  bind("play", () => {
    if (store.state.audition !== null) return toggleAudition();
    const { playing, playhead, rate, loop } = store.state;
    const end = durationOf(store);
    const again = !playing && !loop && playhead >= end - 1e-3;
    store.set({ playing: !playing, rate: rate < 0 ? 1 : rate, ...(again ? { playhead: 0 } : {}) });
  });
  bind("stepBack", () => frame(-1));
  bind("stepOn", () => frame(1));
  bind("secondBack", () => seek(store.state.playhead - 1));
  bind("secondOn", () => seek(store.state.playhead + 1));
  bind("toStart", () => store.set({ playhead: 0 }));
  bind("toEnd", () => seek(durationOf(store)));
  const setRange = (from: number, to: number): void => {
    if (to - from > FRAME_S) store.set({ range: [from, to], loop: true });
  };
  bind("rangeIn", () => {
    const { playhead, range } = store.state;
    setRange(playhead, range && range[1] > playhead ? range[1] : durationOf(store));
  });
  bind("rangeOut", () => {
    const { playhead, range } = store.state;
    setRange(range && range[0] < playhead ? range[0] : 0, playhead);
  });
  bind("rangeOff", () => store.set({ range: null }));
  bind("reverse", () => shuttle(-1));
  bind("forward", () => shuttle(1));
  bind("stop", () => store.set({ playing: false, rate: 1 }));
  bind("loop", () => store.set({ loop: !store.state.loop }));
  bind("follow", () => store.set({ follow: !store.state.follow }));
  for (const part of ["footprints", "trails", "ghosts"] as const) {
    bind(part, () => store.set({ show: { ...store.state.show, [part]: !store.state.show[part] } }));
  }
}

/** A speed that is not in the list (J and L make them) gets an entry of its own. */
function showRate(rate: HTMLSelectElement, value: number): void {
  rate.querySelector("option[data-odd]")?.remove();
  if (!RATES.some((known) => known === value)) {
    rate.append(el("option", { value: String(value), text: `${value}×`.replace("-", "−"), data: { odd: "" } }));
  }
  rate.value = String(value);
}

function button(action: Action, picture: SVGElement, name?: string): HTMLButtonElement {
  const made = el("button", { class: "btn quiet icon-only", type: "button", on: { click: () => act(action) } }, picture);
  made.dataset.transport = "";
  setLabel(made, name ?? tip(action).replace(/ \(.*/, ""), name ? tip(action) : tip(action));
  return made;
}

function press(toggle: HTMLButtonElement, on: boolean): void {
  toggle.setAttribute("aria-pressed", String(on));
}

function solid(path: string): SVGSVGElement {
  const made = icon(path);
  made.classList.add("solid");
  return made;
}
