// Export: a sheet with all about the file, a bar for each job with a cancel, and the download that starts by itself.

import type { Connection } from "./connection";
import { el, icon, setText } from "./elements";
import { bind, tip } from "./keys";
import { menu, type Menu } from "./menu";
import type { Export, Job } from "./messages";
import type { Store } from "./store";
import { trackName } from "./timeline/layout";

const FORMATS: readonly (readonly [Export["format"], string, string])[] = [
  ["glb", "GLB", "for engines, Blender"],
  ["bvh", "BVH", "for animation tools"],
  ["npz", "NPZ", "arrays for numpy"],
  ["mp4", "MP4", "a video"],
];
const SHOWN_MS = 12_000; // how long a finished job stays

let awaited = 0; // files this page asked for whose job has no number yet

/** The next file that is made is downloaded here. */
export function awaitDownload(): void {
  awaited += 1;
}

export function mountExports(host: HTMLElement, store: Store, connection: Connection): void {
  const button = el("button", { class: "btn", type: "button", label: "Export", title: tip("exportTake") });
  button.append(icon("M8 2v8", "M5 7l3 3 3-3", "M3 11v2.5h10V11"), "Export");
  const mine = new Set<number>();
  const sheet: Menu = menu(button, "Export sheet", () => [
    form(store, (asked) => {
      awaited += 1;
      connection.send(asked);
      sheet.close();
    }),
  ]);
  bind("exportTake", () => sheet.open());
  host.append(sheet.host);

  connection.on("job", (job) => {
    if (!mine.has(job.id) && awaited > 0 && job.state !== "cancelled") {
      awaited -= 1;
      mine.add(job.id);
    }
    if (job.state === "done" && job.url && mine.delete(job.id)) download(job.url);
  });
  connection.on("problem", (problem) => {
    if (problem.where === "export") awaited = Math.max(0, awaited - 1);
  });
}

const last = { format: "glb", inPlace: false, bare: false, large: false }; // what was chosen the last time

/** Everything about the file, with what is usual filled in. */
function form(store: Store, run: (asked: Export) => void): HTMLElement {
  const { project, take } = store.state;
  const tracks = (project?.document.tracks ?? []).filter((track) => track.clips.length > 0);
  if (tracks.length === 0 || !take) return el("p", { class: "menu-none muted", text: "There is nothing to export yet: put a clip on the timeline." });
  const format = select("Format", FORMATS.map(([value, name, more]) => [value, `${name}: ${more}`]), last.format);
  const who = select("Character", [["", "All characters"], ...tracks.map((track, i) => [String(track.id), trackName(track, i)] as const)], "");
  const own = sourceFps(store);
  const fps = number("Frames a second", String(own), 1, 240);
  const end = +take.durationS.toFixed(2); // also the most that may be typed: rounded up, it would be refused as it stands
  const [from, to] = [number("From second", "0", 0, end), number("To second", String(end), 0, end)];
  const name = el("input", { class: "field", type: "text", label: "File name", maxLength: 80, value: project?.path ? project.path.split("/").pop()!.split(".")[0]! : "take" });
  const inPlace = check("In place: no root motion", last.inPlace);
  const bare = check("Bare skeleton: no skin", last.bare);
  const large = check("Large film: 1280 × 720, slower", last.large);
  const go = el("button", { class: "btn primary", type: "submit", text: "Export file" });
  const row = (text: string, field: HTMLElement): Node[] => [el("label", { text }), field];
  const shown = (): void => {
    const film = format.value === "mp4";
    fps.disabled = film;
    fps.title = film ? "A film has 30" : `The clips have ${own}`;
    large.root.hidden = !film;
    bare.root.hidden = film;
  };
  format.addEventListener("change", shown);
  shown();
  const made = el("form", { class: "export-form" },
    ...row("Format", format), ...(tracks.length > 1 ? row("Who", who) : []), ...row("Name", name), ...row("Frames/s", fps),
    ...row("Part", el("span", { class: "range" }, from, "to", to, "s")),
    el("div", { class: "checks" }, inPlace.root, bare.root, large.root), go);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    Object.assign(last, { format: format.value, inPlace: inPlace.box.checked, bare: bare.box.checked, large: large.box.checked });
    const whole = Number(from.value) <= 0 && Number(to.value) >= take.durationS - 0.006;
    run({
      type: "export", format: format.value as Export["format"], track: who.value ? Number(who.value) : null,
      fps: format.value === "mp4" ? null : Number(fps.value) || null, rangeS: whole ? null : [Number(from.value), Math.min(Number(to.value), take.durationS)],
      inPlace: inPlace.box.checked, bare: bare.box.checked && format.value !== "mp4", name: name.value.trim(), large: large.box.checked,
    });
  });
  return made;
}

/** The highest frame rate of the clips on the timeline. */
function sourceFps(store: Store): number {
  const { project, library } = store.state;
  const keys = new Set((project?.document.tracks ?? []).flatMap((track) => track.clips.map((clip) => clip.clip)));
  const rates = library.filter((item) => keys.has(item.key)).map((item) => item.fps);
  return +Math.max(...(rates.length > 0 ? rates : [60])).toFixed(3);
}

function select(label: string, options: readonly (readonly [string, string])[], value: string): HTMLSelectElement {
  const made = el("select", { class: "field", label });
  made.append(...options.map(([key, text]) => el("option", { value: key, text })));
  made.value = value;
  return made;
}

function number(label: string, value: string, min: number, max: number): HTMLInputElement {
  return el("input", { class: "field number", type: "number", label, value, min: String(min), max: String(+max.toFixed(3)), step: "any" });
}

function check(text: string, on: boolean): { root: HTMLElement; box: HTMLInputElement } {
  const box = el("input", { type: "checkbox", checked: on });
  return { root: el("label", {}, box, text), box };
}

/** Running and just finished jobs. */
export function mountJobs(host: HTMLElement, store: Store, connection: Connection): void {
  const list = el("div", { class: "jobs", role: "status" });
  const lines = new Map<number, JobLine>();
  host.append(list);
  store.watch("jobs", ({ jobs }) => {
    for (const job of jobs.values()) {
      let line = lines.get(job.id);
      if (!line) {
        if (job.state !== "running" && job.state !== "failed" && job.state !== "done") continue;
        line = new JobLine(job.id, connection, () => lines.get(job.id)?.root.remove());
        lines.set(job.id, line);
        list.append(line.root);
      }
      line.show(job);
    }
  });
}

class JobLine {
  readonly root = el("div", { class: "job" });
  private readonly text = el("span");
  private readonly bar = el("progress", { max: 1 });
  private readonly link = el("a", { text: "Download", hidden: true });
  private readonly stop: HTMLButtonElement;
  private state: Job["state"] = "running";

  constructor(id: number, connection: Connection, private readonly close: () => void) {
    this.stop = el("button", { class: "btn quiet icon-only", type: "button" }, icon("M4 4l8 8", "M12 4l-8 8"));
    this.stop.addEventListener("click", () => {
      if (this.state === "running") connection.send({ type: "cancel", job: id });
      else close();
    });
    this.root.append(this.text, this.bar, this.link, this.stop);
  }

  show(job: Job): void {
    this.state = job.state;
    const running = job.state === "running";
    const said = { running: "", done: " is ready", cancelled: " was cancelled", failed: ` failed: ${job.problem ?? ""}` };
    setText(this.text, job.label + said[job.state]);
    this.root.title = job.problem ?? job.label;
    this.root.dataset.state = job.state;
    this.bar.value = job.share;
    this.bar.hidden = !running;
    this.bar.setAttribute("aria-label", job.label);
    this.link.hidden = job.state !== "done" || !job.url;
    if (job.url) this.link.href = job.url;
    this.stop.setAttribute("aria-label", running ? `Cancel ${job.label}` : `Close ${job.label}`);
    this.stop.title = running ? "Cancel" : "Close";
    if (job.state === "done" && !job.url) this.close();
    else if (!running && job.state !== "failed") setTimeout(this.close, SHOWN_MS);
  }
}

function download(url: string): void {
  const link = el("a", { href: url, download: "" });
  document.body.append(link);
  link.click();
  link.remove();
}
