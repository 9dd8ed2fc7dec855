// What the hands ask for, as numbers: keys, stick and pointer to a motion with its speed, turn and side step.

import { clamp } from "../elements";
import type { LiveGraph, LiveNode } from "../messages";

export interface Asked {
  readonly motion: string | null;
  readonly speed: number | null;
  readonly turn: number | null;
  readonly side: number | null;
  readonly target: readonly [number, number] | null;
}

export interface Hands {
  readonly forward: number; // −1 back to 1 on
  readonly left: number; // −1 right to 1 left
  readonly side: number; // −1 right to 1 left
  readonly fast: boolean;
  readonly held: string | null; // a motion that goes on without a key
}

const USUAL: Record<string, number> = { walk: 1.4, run: 3.2 };
const TURN = 55; // °/s with a key held: what walking at the usual pace can turn
const SIDE = 0.5; // m/s

export function homeOf(graph: LiveGraph): string {
  return graph.types.find((type) => type === "stand") ?? graph.types[0] ?? "";
}

export function nodeOf(graph: LiveGraph, name: string): LiveNode | undefined {
  return graph.nodes.find((node) => node.name === name);
}

/** The range of a parameter of a motion, null where it has none. */
export function rangeOf(node: LiveNode | undefined, parameter: string): readonly [number, number] | null {
  const at = node?.parameters.indexOf(parameter) ?? -1;
  if (!node || at < 0) return null;
  return [node.low[at] ?? 0, node.high[at] ?? 0];
}

export function asked(graph: LiveGraph, hands: Hands): Asked {
  const home = homeOf(graph);
  const moves = Math.abs(hands.forward) > 0.05 || Math.abs(hands.left) > 0.05 || Math.abs(hands.side) > 0.05;
  const held = hands.held !== null && hands.held !== home;
  if (!moves && !held) return { motion: home, speed: null, turn: null, side: null, target: null };
  const motion = gait(graph, hands);
  const node = nodeOf(graph, motion);
  const speeds = rangeOf(node, "speed");
  const turns = rangeOf(node, "turn");
  const sides = rangeOf(node, "side");
  const usual = clamp(USUAL[motion] ?? 1, speeds?.[0] ?? 0, speeds?.[1] ?? 1);
  const speed = speeds && pace(hands, usual, speeds, held);
  const turn = turns && clamp(hands.left * (hands.forward > 0.05 || held ? TURN : turns[1]), turns[0], turns[1]);
  const side = sides && clamp(hands.side * SIDE, sides[0], sides[1]);
  return { motion, speed, turn, side, target: null };
}

/** How fast: all the way forward is the usual pace, turning alone the slowest, back goes back where the motion can. */
function pace(hands: Hands, usual: number, [low, high]: readonly [number, number], held: boolean): number {
  if (held) return clamp(usual + hands.forward * (hands.forward > 0 ? high - usual : usual - low), low, high);
  if (hands.forward > 0.05) return clamp(low + (usual - low) * hands.forward, low, high);
  if (hands.forward < -0.05 && low < 0) return clamp(usual * hands.forward, low, high);
  return Math.max(low, Math.min(0.6 * usual, high));
}

function gait(graph: LiveGraph, hands: Hands): string {
  const has = (type: string): boolean => graph.types.includes(type);
  if (hands.fast && has("run")) return "run";
  if (hands.held !== null && hands.held !== homeOf(graph)) return hands.held;
  if (has("walk")) return "walk";
  return graph.types.find((type) => type !== homeOf(graph)) ?? homeOf(graph);
}

/** A letter for every action, its own where that is free. */
export function actionKeys(actions: readonly string[]): Map<string, string> {
  const taken = new Set("wasdqer");
  const found = new Map<string, string>();
  for (const action of actions) {
    const letters = [...action.toLowerCase(), ..."xcvbnmzfghtyuiop"];
    const letter = letters.find((one) => /[a-z]/.test(one) && !taken.has(one));
    if (letter === undefined) break;
    taken.add(letter);
    found.set(letter, action);
  }
  return found;
}
