// The page's whole state in one place; parts subscribe to the keys they show. Settings survive in localStorage.

import type { PoseFrame } from "./frames";
import type { CharacterItem, GroundItem, Job, LibraryItem, Preview, Project, ProjectFile, SkeletonView, Take, Welcome } from "./messages";

export type Tab = "arrange" | "live" | "blend" | "joins";
export type Theme = "system" | "dark" | "light";

export interface Shows {
  ghosts: boolean;
  footprints: boolean;
  trails: boolean;
  shadow: boolean;
}

/** A line shown where it happened; shown until it is closed or the place has good news. */
export interface ProblemLine {
  id: number;
  where: string; // library, timeline, stage, live, project
  text: string;
}

export interface State {
  online: boolean;
  welcome: Welcome | null;
  library: readonly LibraryItem[];
  projects: readonly ProjectFile[]; // the newest first
  characters: readonly CharacterItem[];
  grounds: readonly GroundItem[]; // the level floor first
  project: Project | null;
  take: Take | null;
  preview: Preview | null; // while something is dragged
  skeletons: ReadonlyMap<number, SkeletonView>; // by track
  poses: ReadonlyMap<number, PoseFrame>; // of the take, by track
  previewPoses: ReadonlyMap<number, PoseFrame>; // under the playhead while dragging, by track
  playhead: number; // seconds
  playing: boolean;
  rate: number; // times normal speed; negative plays backwards
  loop: boolean;
  follow: boolean;
  range: readonly [number, number] | null; // seconds that are looped; null: all
  ripple: boolean; // what comes later on a track moves along
  selection: ReadonlySet<number>; // ids of clips
  selectedJoin: { readonly before: number; readonly after: number } | null;
  audition: string | null; // key of the library clip that is looked at
  alike: { readonly key: string; readonly found: ReadonlyMap<string, number> } | null; // clips like one, and how far in cm
  tab: Tab;
  theme: Theme;
  problems: readonly ProblemLine[];
  jobs: ReadonlyMap<number, Job>;
  show: Shows;
}

export type Key = keyof State;
type Listener = (state: Readonly<State>) => void;

const SETTINGS = "footfall.studio.settings";
const KEPT = ["loop", "follow", "theme", "show", "ripple"] as const satisfies readonly Key[];

const INITIAL: State = {
  online: false,
  welcome: null,
  library: [],
  projects: [],
  characters: [],
  grounds: [],
  project: null,
  take: null,
  preview: null,
  skeletons: new Map(),
  poses: new Map(),
  previewPoses: new Map(),
  playhead: 0,
  playing: false,
  rate: 1,
  loop: true,
  follow: true,
  range: null,
  ripple: false,
  selection: new Set(),
  selectedJoin: null,
  audition: null,
  alike: null,
  tab: "arrange",
  theme: "system",
  problems: [],
  jobs: new Map(),
  show: { ghosts: true, footprints: true, trails: false, shadow: true },
};

export class Store {
  private current: State = { ...INITIAL, ...readSettings() };
  private readonly listeners = new Map<Key, Set<Listener>>();
  private lastProblem = 0;

  get state(): Readonly<State> {
    return this.current;
  }

  /** Changes some keys; each subscriber of a key that really changed is called once, at once. */
  set(changes: Partial<State>): void {
    const before = this.current;
    const changed = (Object.keys(changes) as Key[]).filter((key) => !Object.is(before[key], changes[key]));
    if (changed.length === 0) return;
    this.current = { ...before, ...changes };
    if (changed.some((key) => (KEPT as readonly Key[]).includes(key))) writeSettings(this.current);
    const told = new Set<Listener>();
    for (const key of changed) for (const fn of this.listeners.get(key) ?? []) told.add(fn);
    for (const fn of told) fn(this.current);
  }

  /** Calls fn after a change of any of the keys; the result ends it. */
  subscribe(keys: Key | readonly Key[], fn: Listener): () => void {
    const list = typeof keys === "string" ? [keys] : keys;
    for (const key of list) {
      const of = this.listeners.get(key) ?? new Set();
      this.listeners.set(key, of);
      of.add(fn);
    }
    return () => list.forEach((key) => this.listeners.get(key)?.delete(fn));
  }

  /** subscribe, and call once now. */
  watch(keys: Key | readonly Key[], fn: Listener): () => void {
    fn(this.current);
    return this.subscribe(keys, fn);
  }

  /** Shows a sentence at its place; the newest of a place replaces the older. */
  problem(where: string, text: string): void {
    const others = this.current.problems.filter((line) => line.where !== where);
    this.set({ problems: [...others, { id: ++this.lastProblem, where, text }] });
  }

  closeProblems(where: string): void {
    const left = this.current.problems.filter((line) => line.where !== where);
    if (left.length !== this.current.problems.length) this.set({ problems: left });
  }
}

export const store = new Store();

function readSettings(): Partial<State> {
  try {
    const kept = JSON.parse(localStorage.getItem(SETTINGS) ?? "{}") as Partial<State>;
    const found: Partial<State> = {};
    for (const key of KEPT) {
      if (typeof kept[key] === typeof INITIAL[key]) Object.assign(found, { [key]: kept[key] });
    }
    found.show = { ...INITIAL.show, ...found.show };
    return found;
  } catch {
    return {}; // no storage, or someone else's text in it: start with the usual
  }
}

function writeSettings(state: State): void {
  try {
    localStorage.setItem(SETTINGS, JSON.stringify(Object.fromEntries(KEPT.map((key) => [key, state[key]]))));
  } catch {
    // a browser that keeps nothing still works
  }
}
