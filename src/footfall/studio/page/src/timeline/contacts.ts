// When feet come down or leave the floor in what is played: the moments an animator steps through.

import type { Row } from "./layout";

const SAME_S = 0.005;

/** Times at which another foot stands, on the tracks of the selected clips, or on all; in order. */
export function contactTimes(rows: readonly Row[], selection: ReadonlySet<number>): number[] {
  const chosen = rows.filter((row) => row.blocks.some((block) => selection.has(block.id)));
  const times = (chosen.length > 0 ? chosen : rows).flatMap((row) => row.blocks)
    .filter((block) => block.planned && !block.composed && !block.plays.leftOut)
    .flatMap((block) => block.phases.slice(1).map((phase) => block.startS + phase.startS)
      .filter((timeS) => timeS >= block.plays.fromS && timeS <= block.plays.toS));
  return times.sort((a, b) => a - b).filter((timeS, i, all) => i === 0 || timeS - all[i - 1]! > SAME_S);
}

/** The next one after a time, or the last one before it. */
export function nextContact(times: readonly number[], fromS: number, way: 1 | -1): number | undefined {
  return way > 0 ? times.find((timeS) => timeS > fromS + SAME_S) : times.findLast((timeS) => timeS < fromS - SAME_S);
}
