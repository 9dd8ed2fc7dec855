// Playing in step: one clock for all joins, in seconds after the first clip is left; it goes round and round.

const LONGEST_STEP_S = 0.25; // a page that slept goes on where it was

export class StepClock {
  rangeS: readonly [number, number] = [-1, 2];
  timeS = 0;
  playing = false;
  rate = 1;
  private lastMs = 0;

  constructor(private readonly show: (timeS: number, playing: boolean) => void) {}

  toggle(): void {
    this.playing ? this.hold() : this.play();
  }

  play(): void {
    if (this.playing) return;
    this.playing = true;
    this.lastMs = performance.now();
    requestAnimationFrame((now) => this.step(now));
    this.show(this.timeS, true);
  }

  hold(): void {
    this.playing = false;
    this.show(this.timeS, false);
  }

  seek(timeS: number): void {
    this.timeS = Math.min(Math.max(timeS, this.rangeS[0]), this.rangeS[1]);
    this.show(this.timeS, this.playing);
  }

  private step(nowMs: number): void {
    if (!this.playing) return;
    const next = this.timeS + this.rate * Math.min((nowMs - this.lastMs) / 1000, LONGEST_STEP_S);
    this.lastMs = nowMs;
    this.seek(next > this.rangeS[1] ? this.rangeS[0] : next);
    requestAnimationFrame((now) => this.step(now));
  }
}
