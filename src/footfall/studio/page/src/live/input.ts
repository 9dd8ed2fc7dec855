// Hands on the live character: the pointer on the floor, the keyboard, or a gamepad; whichever moved last steers.

import { isTyping } from "../elements";
import type { LiveGraph } from "../messages";
import type { Stage } from "../stage/stage";
import { actionKeys, asked, homeOf, type Asked, type Hands } from "./request";

export type Mode = "pointer" | "keys" | "gamepad";

export interface InputEvents {
  steer(asked: Asked): void;
  act(name: string): void;
  record(): void;
  changed(): void; // keys or mode, for what is drawn
}

const MOVES: Record<string, string> = {
  KeyW: "w", ArrowUp: "w", KeyS: "s", ArrowDown: "s", KeyA: "a", ArrowLeft: "a", KeyD: "d", ArrowRight: "d",
  KeyQ: "q", KeyE: "e", ShiftLeft: "shift", ShiftRight: "shift",
};
const AGAIN_MS = 250; // an unchanged wish is said again this often: it may have been lost
const STICK = 0.18; // below this a stick rests
const CLICK_PX = 5;

export class Input {
  mode: Mode = "pointer";
  readonly down = new Set<string>();
  held: string | null = null;
  actions = new Map<string, string>();
  private graph: LiveGraph | null = null;
  private target: readonly [number, number] | null = null;
  private sent = "";
  private sentMs = 0;
  private running = 0;
  private buttons: boolean[] = [];
  private readonly taken = new Map<string, string>(); // by physical key that is down: what it was taken for
  private ends: AbortController | null = null;

  constructor(
    private readonly stage: Stage,
    private readonly events: InputEvents,
  ) {}

  start(graph: LiveGraph): void {
    this.stop();
    this.graph = graph;
    this.actions = actionKeys(graph.actions);
    this.held = this.target = null;
    this.sent = "";
    this.ends = new AbortController();
    const options = { signal: this.ends.signal };
    addEventListener("keydown", (event) => this.pressed(event), { ...options, capture: true });
    addEventListener("keyup", (event) => this.released(event), { ...options, capture: true });
    addEventListener("blur", () => this.letGo(), options);
    document.addEventListener("visibilitychange", () => document.hidden && this.letGo(), options);
    this.pointer(options);
    this.running = requestAnimationFrame(() => this.tick());
  }

  stop(): void {
    this.ends?.abort();
    cancelAnimationFrame(this.running);
    this.graph = null;
    this.down.clear();
    this.taken.clear();
    this.stage.setTarget(null);
  }

  setMode(mode: Mode): void {
    if (mode === this.mode) return;
    this.mode = mode;
    if (mode !== "pointer") {
      this.target = null;
      this.stage.setTarget(null);
    } else this.held = null;
    this.events.changed();
  }

  /** A key as it is drawn: w, a, s, d, q, e, shift, a number or a letter. */
  press(key: string): void {
    const graph = this.graph;
    if (!graph) return;
    const type = graph.types[Number(key) - 1];
    const action = this.actions.get(key);
    if (key === "r") this.events.record();
    else if (action !== undefined) this.events.act(action);
    else if (type !== undefined) this.hold(type);
    else this.setMode("keys");
    this.down.add(key);
    this.events.changed();
  }

  release(key: string): void {
    if (this.down.delete(key)) this.events.changed();
  }

  private hold(type: string): void {
    this.setMode("keys");
    this.held = this.graph && type === homeOf(this.graph) ? null : type;
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const key = this.keyOf(event);
    if (key === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.repeat || this.taken.has(event.code)) return;
    this.taken.set(event.code, key);
    this.press(key);
  }

  /** A key is let go as what it was pressed as: 1 with Shift held is another character. */
  private released(event: KeyboardEvent): void {
    const key = this.taken.get(event.code);
    this.taken.delete(event.code);
    if (key !== undefined && ![...this.taken.values()].includes(key)) this.release(key); // W and its arrow are one
    if (event.key === "Meta") this.letGo(); // macOS tells of no key that was let go meanwhile
  }

  private keyOf(event: KeyboardEvent): string | null {
    const move = MOVES[event.code];
    if (move) return move;
    const key = event.key.toLowerCase();
    const types = this.graph?.types.length ?? 0;
    if (/^[1-9]$/.test(key) && Number(key) <= types) return key;
    return key === "r" || this.actions.has(key) ? key : null;
  }

  /** Nothing is pressed any more; said at once, for a page that is hidden has no next tick. */
  private letGo(): void {
    this.down.clear();
    this.taken.clear();
    this.events.changed();
    if (this.graph && this.mode !== "pointer") this.say(asked(this.graph, this.hands()));
  }

  private pointer(options: { signal: AbortSignal }): void {
    const { element } = this.stage;
    let pressAt: PointerEvent | null = null;
    const aim = (event: PointerEvent): void => {
      const at = this.stage.floorPoint(event.clientX, event.clientY);
      if (!at) return;
      this.target = [at.x, at.z];
      this.stage.setTarget(at);
    };
    element.addEventListener("pointermove", (event) => {
      if (this.mode === "pointer" && event.buttons === 0) aim(event);
    }, options);
    element.addEventListener("pointerdown", (event) => (pressAt = event), options);
    element.addEventListener("pointerup", (event) => {
      const still = pressAt && Math.hypot(event.clientX - pressAt.clientX, event.clientY - pressAt.clientY) < CLICK_PX;
      if (!still || event.button !== 0) return; // the camera was turned
      this.setMode("pointer");
      aim(event);
    }, options);
  }

  private tick(): void {
    const graph = this.graph;
    if (!graph) return;
    this.running = requestAnimationFrame(() => this.tick());
    const stick = this.gamepad(graph);
    const wish = this.mode === "pointer" ? this.chase() : asked(graph, stick ?? this.hands());
    if (wish) this.say(wish);
  }

  private say(wish: Asked): void {
    const now = performance.now();
    const text = JSON.stringify(wish);
    if (text === this.sent && now - this.sentMs < AGAIN_MS) return;
    this.sent = text;
    this.sentMs = now;
    this.events.steer(wish);
  }

  private chase(): Asked | null {
    return this.target && { motion: null, speed: null, turn: null, side: null, target: this.target };
  }

  private hands(): Hands {
    const is = (key: string): number => (this.down.has(key) ? 1 : 0);
    return {
      forward: is("w") - is("s"), left: is("a") - is("d"), side: is("q") - is("e"),
      fast: this.down.has("shift"), held: this.held,
    };
  }

  /** The first gamepad that is touched; its buttons are the actions in order, the shoulder runs. */
  private gamepad(graph: LiveGraph): Hands | null {
    const pad = navigator.getGamepads?.().find((one) => one?.connected) ?? null;
    if (!pad) return null;
    const rest = (value: number | undefined): number => (Math.abs(value ?? 0) < STICK ? 0 : (value ?? 0));
    const [x, y, sideways] = [rest(pad.axes[0]), rest(pad.axes[1]), rest(pad.axes[2])];
    const pressed = pad.buttons.map((button) => button.pressed);
    pressed.slice(0, 4).forEach((is, n) => {
      const action = graph.actions[n];
      if (is && !this.buttons[n] && action !== undefined) this.events.act(action);
    });
    this.buttons = pressed;
    if (x !== 0 || y !== 0) this.setMode("gamepad");
    if (this.mode !== "gamepad") return null;
    const fast = Boolean(pressed[5] || pressed[7]);
    return { forward: -y, left: -x, side: -sideways, fast, held: null };
  }
}
