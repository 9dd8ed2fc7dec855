// Export: a menu of formats, a bar for each job with a cancel, and the download that starts by itself.

import type { Connection } from "./connection";
import { el, icon, setText } from "./elements";
import { bind, tip } from "./keys";
import { menu, menuItem, type Menu } from "./menu";
import type { Export, Job } from "./messages";
import type { Store } from "./store";
import { trackName } from "./timeline/layout";

const FORMATS: readonly (readonly [Export["format"], string, string])[] = [
  ["glb", "GLB", "for game engines and Blender"],
  ["bvh", "BVH", "for animation tools"],
  ["npz", "NPZ", "arrays for numpy"],
  ["mp4", "MP4", "a video"],
];
const SHOWN_MS = 12_000; // how long a finished job stays

export function mountExports(host: HTMLElement, store: Store, connection: Connection): void {
  const button = el("button", { class: "btn", type: "button", label: "Export", title: tip("exportTake") });
  button.append(icon("M8 2v8", "M5 7l3 3 3-3", "M3 11v2.5h10V11"), "Export");
  let awaited = 0; // exports this page asked for whose job has no number yet
  const mine = new Set<number>();
  const list: Menu = menu(button, "Export", () => {
    const tracks = (store.state.project?.document.tracks ?? []).filter((track) => track.clips.length > 0);
    const chosen = el("select", { class: "field", label: "Character to export" });
    chosen.append(el("option", { value: "", text: "All characters" }));
    tracks.forEach((track, index) => chosen.append(el("option", { value: String(track.id), text: trackName(track, index) })));
    const run = (format: Export["format"]): void => {
      awaited += 1;
      connection.send({ type: "export", format, track: chosen.value ? Number(chosen.value) : null });
      list.close();
    };
    const items = FORMATS.map(([format, name, more]) => menuItem(name, more, () => run(format)));
    for (const item of items) item.disabled = tracks.length === 0;
    const whom = tracks.length > 1 ? [el("div", { class: "menu-field" }, chosen)] : [];
    return [...items, ...whom];
  });
  bind("exportTake", () => list.open());
  host.append(list.host);

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
