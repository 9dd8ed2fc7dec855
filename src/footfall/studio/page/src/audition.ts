// Looking at a library clip on the stage before it is used: it plays by itself, I and O mark the part that is wanted.

import "./audition.css";
import type { Connection } from "./connection";
import { clamp, el, icon, seconds, setStyle, setText } from "./elements";
import { decodeFrame, endOf, poseAt, type PoseFrame } from "./frames";
import { bind, tip } from "./keys";
import type { LibraryItem, SkeletonView } from "./messages";
import { samplePoses } from "./stage/body";
import { AUDITION, type Stage } from "./stage/stage";
import type { Store } from "./store";

const FPS = 60;
const SHORTEST_S = 0.1; // between in and out

let toggle: () => void = () => undefined;

/** Plays or holds the clip that is looked at. */
export function toggleAudition(): void {
  toggle();
}

/** Puts a clip at the end of the selected clip's track, of the first one, or on a new one; `insert`: right after the selected clip. */
export function addClip(
  item: Pick<LibraryItem, "key" | "name">, store: Store, connection: Connection, insert?: { readonly trimS: readonly [number, number] | null },
): void {
  const tracks = store.state.project?.document.tracks ?? [];
  const { selection } = store.state;
  const chosen = tracks.find((track) => track.clips.some((clip) => selection.has(clip.id)));
  const last = chosen?.clips.filter((clip) => selection.has(clip.id)).pop();
  const track = chosen ?? tracks[0];
  const change = { do: "add_clip", clip: item.key, track: track?.id ?? null, trimS: insert?.trimS ?? null, after: insert ? (last?.id ?? null) : null } as const;
  connection.send({ type: "edit", change, label: `add ${item.name}` });
}

class Audition {
  readonly root: HTMLElement;
  private readonly name = el("input", { class: "audition-name", type: "text", maxLength: 80, spellcheck: false, label: "Name of the clip", title: "Rename it" });
  private readonly scrub = el("input", { type: "range", min: "0", step: "0.001", label: "Second of the clip" });
  private readonly clock = el("span", { class: "clock" });
  private readonly part = el("span", { class: "muted" });
  private readonly playing = el("button", { class: "btn quiet icon-only", type: "button" });
  private item: LibraryItem | null = null;
  private frame: PoseFrame | null = null;
  private timeS = 0;
  private inS = 0;
  private outS = 0;
  private runs = false;
  private lastMs = 0;
  private asked = 0; // number of the newest question for poses

  constructor(private readonly store: Store, private readonly connection: Connection, private readonly stage: Stage) {
    const button = (text: string, title: string, run: () => void, kind = "btn"): HTMLButtonElement =>
      el("button", { class: kind, type: "button", text, title, on: { click: run } });
    this.playing.addEventListener("click", () => this.toggle());
    this.scrub.addEventListener("input", () => {
      this.runs = false;
      this.show(Number(this.scrub.value));
    });
    this.name.addEventListener("change", () => this.rename());
    this.name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.name.blur();
      if (event.key === "Escape") this.name.value = this.item?.name ?? "";
    });
    this.root = el("div", { class: "audition", role: "group", label: "Preview", hidden: true },
      el("div", { class: "audition-line" }, el("span", { class: "muted", text: "Preview" }), this.name, this.clock, this.part,
        el("span", { class: "spring" }),
        button("More like this", "Clips with a moment like this one", () => this.askAlike(), "btn quiet"),
        button("Insert", "Put it on the timeline, after the selected clip (Enter)", () => this.insert(), "btn primary"),
        button("Close", "Back to the take (Esc)", () => this.close(), "btn quiet")),
      el("div", { class: "audition-line" }, this.playing,
        button("In", tip("setIn"), () => this.setIn()), this.scrub, button("Out", tip("setOut"), () => this.setOut())));
    toggle = () => this.toggle();
    bind("setIn", () => this.setIn());
    bind("setOut", () => this.setOut());
    addEventListener("keydown", (event) => this.key(event), true);
    store.subscribe("audition", ({ audition }) => void this.open(audition));
    store.subscribe("library", ({ library, audition }) => {
      this.item = library.find((one) => one.key === audition) ?? this.item;
      if (this.item && document.activeElement !== this.name) this.name.value = this.item.name;
    });
    connection.on("alike", ({ key, found }) => {
      store.set({ alike: { key, found: new Map(found.map((one) => [one.key, one.distanceCm])) } });
    });
  }

  private async open(key: string | null): Promise<void> {
    const mine = ++this.asked;
    this.item = key === null ? null : (this.store.state.library.find((one) => one.key === key) ?? null);
    this.frame = null;
    document.body.classList.toggle("auditioning", this.item !== null);
    this.root.hidden = this.item === null;
    if (!this.item) {
      this.runs = false;
      this.stage.setAudition(null);
      return;
    }
    this.store.set({ playing: false });
    this.name.value = this.item.name;
    const got = await fetchWhole(this.item.key);
    if (mine !== this.asked) return;
    if (!got) {
      this.store.problem("library", `${this.item.name} cannot be shown: the studio does not answer. Try again when it is back.`);
      this.close();
      return;
    }
    this.frame = got.frame;
    this.inS = this.timeS = 0;
    this.outS = endOf(got.frame);
    this.scrub.max = String(this.outS);
    this.stage.setAudition(got.skeleton);
    this.stage.dressAudition(samplePoses(got.frame.poses, got.frame.frames, got.frame.joints));
    this.show(0);
    this.runs = false;
    this.toggle();
  }

  private show(timeS: number): void {
    if (!this.frame) return;
    this.timeS = timeS;
    this.stage.showPose(AUDITION, poseAt(this.frame, timeS));
    this.scrub.value = String(timeS);
    setText(this.clock, `${timeS.toFixed(2)} / ${seconds(endOf(this.frame))}`);
    const whole = this.inS === 0 && this.outS >= endOf(this.frame) - 1e-3;
    setText(this.part, whole ? "" : `part ${this.inS.toFixed(2)}–${seconds(this.outS)}`);
    const share = (x: number): string => `${(100 * x / Math.max(endOf(this.frame!), 1e-3)).toFixed(2)}%`;
    setStyle(this.scrub, "--in", share(this.inS));
    setStyle(this.scrub, "--out", share(this.outS));
    const picture = this.runs ? "M4 3h3v10H4zM9.5 3h3v10h-3z" : "M4.5 3v10l8.5-5z";
    if (this.playing.dataset.shown === picture) return;
    this.playing.dataset.shown = picture;
    const drawn = icon(picture);
    drawn.classList.add("solid");
    this.playing.replaceChildren(drawn);
    this.playing.setAttribute("aria-label", this.runs ? "Hold the preview" : "Play the preview");
  }

  private toggle(): void {
    if (!this.frame) return;
    this.runs = !this.runs;
    this.show(this.timeS);
    if (!this.runs) return;
    this.lastMs = performance.now();
    requestAnimationFrame((now) => this.step(now));
  }

  private step(nowMs: number): void {
    if (!this.runs || !this.frame) return;
    let timeS = this.timeS + Math.min((nowMs - this.lastMs) / 1000, 0.25) * Math.abs(this.store.state.rate);
    this.lastMs = nowMs;
    if (timeS > this.outS || timeS < this.inS) timeS = this.inS;
    this.show(timeS);
    requestAnimationFrame((now) => this.step(now));
  }

  private setIn(): boolean {
    if (!this.frame) return false;
    this.inS = clamp(this.timeS, 0, Math.max(this.outS - SHORTEST_S, 0));
    this.show(this.timeS);
    return true;
  }

  private setOut(): boolean {
    if (!this.frame) return false;
    this.outS = clamp(this.timeS, this.inS + SHORTEST_S, endOf(this.frame));
    this.show(this.timeS);
    return true;
  }

  private insert(): void {
    if (!this.item) return;
    const whole = !this.frame || (this.inS === 0 && this.outS >= endOf(this.frame) - 1e-3); // not here yet: all of it
    addClip(this.item, this.store, this.connection, { trimS: whole ? null : [this.inS, this.outS] });
    this.close();
  }

  private askAlike(): void {
    if (this.item) this.connection.send({ type: "like", key: this.item.key, timeS: this.timeS });
  }

  private rename(): void {
    if (this.item) this.connection.send({ type: "mark", key: this.item.key, name: this.name.value.trim() });
  }

  private close(): void {
    this.store.set({ audition: null });
  }

  /** Enter inserts and Esc returns, unless a field or another button has the focus. */
  private key(event: KeyboardEvent): void {
    if (!this.item || document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = event.target as HTMLElement;
    const typed = at.matches("input:not([type=range]), select, textarea");
    if (event.key === "Escape" && !typed) this.close();
    else if (event.key === "Enter" && !typed && !at.matches("button")) this.insert();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

async function fetchWhole(key: string): Promise<{ skeleton: SkeletonView; frame: PoseFrame } | null> {
  try {
    const at = `/clips/${encodeURIComponent(key)}`;
    const [poses, body] = await Promise.all([fetch(`${at}/poses?fps=${FPS}`), fetch(`${at}/skeleton`)]);
    if (!poses.ok || !body.ok) return null;
    const frame = decodeFrame(await poses.arrayBuffer());
    return frame && frame.frames > 0 ? { skeleton: (await body.json()) as SkeletonView, frame } : null;
  } catch {
    return null;
  }
}

export function mountAudition(host: HTMLElement, before: HTMLElement, store: Store, connection: Connection, stage: Stage): void {
  host.insertBefore(new Audition(store, connection, stage).root, before);
}
