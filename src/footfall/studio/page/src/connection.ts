// The socket to the studio: typed messages both ways, binary pose frames, and reconnecting for ever without a reload.

import { decodeFrame, type PoseFrame } from "./frames";
import type { ToPage, ToServer } from "./messages";

export type Lost = "gone" | "stranger";
type Listener = (message: ToPage) => void;

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;
const ASK_MS = 1000; // waits that are longer say that it did not just blink
const MAX_QUEUED = 64; // what is asked for while offline is kept, but not without end

export class Connection {
  private socket: WebSocket | null = null;
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly frameListeners = new Set<(frame: PoseFrame) => void>();
  private readonly lostListeners = new Set<(how: Lost) => void>();
  private readonly onlineListeners = new Set<(online: boolean) => void>();
  private queue: ToServer[] = [];
  private waitMs = FIRST_WAIT_MS;
  private isOnline = false;

  constructor(private readonly url: string = socketAddress()) {
    this.open();
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.retryNow();
    });
  }

  get online(): boolean {
    return this.isOnline;
  }

  /** Sends now, or when the studio is back; drags and steering are worth nothing later and are dropped. */
  send(message: ToServer): void {
    if (this.isOnline && this.socket?.readyState === WebSocket.OPEN) {
      this.socket.send(JSON.stringify(message));
    } else if (!isFleeting(message) && this.queue.length < MAX_QUEUED) {
      this.queue.push(message);
    }
  }

  on<K extends ToPage["type"]>(type: K, fn: (message: Extract<ToPage, { type: K }>) => void): () => void {
    const of = this.listeners.get(type) ?? new Set<Listener>();
    this.listeners.set(type, of);
    of.add(fn as Listener);
    return () => of.delete(fn as Listener);
  }

  onFrame(fn: (frame: PoseFrame) => void): () => void {
    this.frameListeners.add(fn);
    return () => this.frameListeners.delete(fn);
  }

  onOnline(fn: (online: boolean) => void): () => void {
    this.onlineListeners.add(fn);
    return () => this.onlineListeners.delete(fn);
  }

  /** Called when the studio has not answered for a while: whether nothing is there, or another that knows no key of ours. */
  onLost(fn: (how: Lost) => void): void {
    this.lostListeners.add(fn);
  }

  private async ask(): Promise<void> {
    if (this.isOnline || this.waitMs <= ASK_MS) return;
    const how = await fetch("/", { cache: "no-store" }).then((answer) => (answer.status === 403 ? "stranger" : "gone"), () => "gone");
    if (!this.isOnline) for (const fn of this.lostListeners) fn(how as Lost);
  }

  private open(): void {
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.waitMs = FIRST_WAIT_MS;
      socket.send(JSON.stringify({ type: "hello", token: pageToken() } satisfies ToServer));
      this.setOnline(true);
      const kept = this.queue;
      this.queue = [];
      for (const message of kept) this.send(message);
    };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.socket = null;
      this.setOnline(false);
      setTimeout(() => this.retryNow(), this.waitMs * (0.75 + 0.5 * Math.random()));
      this.waitMs = Math.min(2 * this.waitMs, LONGEST_WAIT_MS);
      void this.ask();
    };
  }

  private retryNow(): void {
    if (this.socket === null) this.open();
  }

  private setOnline(online: boolean): void {
    if (online === this.isOnline) return;
    this.isOnline = online;
    for (const fn of this.onlineListeners) fn(online);
  }

  private receive(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      const frame = decodeFrame(data);
      if (frame) for (const fn of this.frameListeners) fn(frame);
      return;
    }
    if (typeof data !== "string") return;
    const message = JSON.parse(data) as ToPage;
    for (const fn of this.listeners.get(message.type) ?? []) fn(message);
  }
}

/** The token the served page carries; writes by fetch need it in `Authorization: token …`. */
export function pageToken(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="footfall-token"]')?.content ?? "";
}

function isFleeting(message: ToServer): boolean {
  const { type } = message;
  return ["drag", "drag_end", "map_joins", "compare_joins", "map_library"].includes(type) || /^(live|blend)_/.test(type);
}

function socketAddress(): string {
  return `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`;
}
