// Files on their way into the library: a bar and a cancel for each; what was refused stays listed with its cure.

import { pageToken } from "./connection";
import { el, icon, setText } from "./elements";
import type { LibraryItem } from "./messages";

const DONE_MS = 6000; // how long a file that came well stays listed

/** as: what the files are taken for; a character's shelf takes only what is dropped on it. */
export function mountUploads(host: HTMLElement, button: HTMLButtonElement, as: "clip" | "character" = "clip"): void {
  const list = el("div", { class: "uploads", role: "list", label: as === "clip" ? "Uploads" : "Characters on their way" });
  const picker = el("input", { type: "file", multiple: true, hidden: true, label: as === "clip" ? "Files to upload" : "Characters to upload" });
  host.append(list, picker);
  let chain: Promise<void> = Promise.resolve(); // one after the other, in the order they were given
  const take = (files: readonly File[]): void => {
    for (const file of files) {
      const line = new UploadLine(file, as);
      list.append(line.root);
      chain = chain.then(() => line.run());
    }
  };
  const mine = (event: DragEvent): boolean => (as === "character") === ((event.target as Element | null)?.closest?.(".shelf") != null);
  button.addEventListener("click", () => picker.click());
  picker.addEventListener("change", () => {
    take([...(picker.files ?? [])]);
    picker.value = "";
  });
  addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault(); // else the browser would leave the page for the file
    host.classList.toggle("welcome", mine(event));
  });
  addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) host.classList.remove("welcome");
  });
  addEventListener("drop", (event) => {
    host.classList.remove("welcome");
    if (!event.dataTransfer?.files.length || !mine(event)) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
}

class UploadLine {
  readonly root: HTMLElement;
  private readonly text = el("span", { class: "upload-text" });
  private readonly bar = el("progress", { max: 1, value: 0 });
  private readonly stop: HTMLButtonElement;
  private request: XMLHttpRequest | null = null;
  private over = false;

  constructor(private readonly file: File, private readonly as: "clip" | "character") {
    this.stop = el("button", { class: "btn quiet icon-only small", type: "button", label: `Cancel ${file.name}`, title: "Cancel" }, icon("M4 4l8 8", "M12 4l-8 8"));
    this.stop.addEventListener("click", () => {
      if (this.over) return this.root.remove();
      this.over = true;
      this.request?.abort();
      this.end(`${file.name} was cancelled.`, "cancelled");
    });
    this.bar.setAttribute("aria-label", `Upload of ${file.name}`);
    this.root = el("div", { class: "upload", role: "listitem" }, el("div", { class: "upload-line" }, this.text, this.stop), this.bar);
    setText(this.text, `${file.name} waits`);
  }

  run(): Promise<void> {
    if (this.over) return Promise.resolve();
    return new Promise((done) => {
      const request = new XMLHttpRequest();
      this.request = request;
      request.upload.onprogress = (event) => {
        this.bar.value = event.lengthComputable ? event.loaded / event.total : 0;
        setText(this.text, event.loaded < event.total ? `${this.file.name} is sent` : `${this.file.name} is read`);
      };
      request.onloadend = () => {
        if (!this.over) this.answered(request);
        done();
      };
      request.open("POST", `/upload?name=${encodeURIComponent(this.file.name)}&as=${this.as}`);
      request.setRequestHeader("Authorization", `token ${pageToken()}`);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.send(this.file);
    });
  }

  private answered(request: XMLHttpRequest): void {
    this.over = true;
    if (request.status === 0) {
      this.end(`${this.file.name} could not be sent: the studio does not answer. Try again when it is back.`, "refused");
    } else if (request.status !== 200) {
      this.end(sentence(request, this.file.name), "refused");
    } else {
      const items = JSON.parse(request.responseText) as LibraryItem[];
      const warnings = [...new Set(items.flatMap((item) => item.warnings ?? []))];
      const count = items.length > 1 ? `, ${items.length} clips` : "";
      const where = this.as === "clip" ? "in the library" : "on the shelf";
      this.end(`${this.file.name} is ${where}${count}. ${warnings.join(" ")}`.trim(), warnings.length ? "warned" : "done");
      if (warnings.length === 0) setTimeout(() => this.root.remove(), DONE_MS);
    }
  }

  private end(text: string, state: "done" | "warned" | "refused" | "cancelled"): void {
    this.root.dataset.state = state;
    this.bar.hidden = true;
    setText(this.text, text);
    this.stop.setAttribute("aria-label", `Close the message on ${this.file.name}`);
    this.stop.title = "Close";
  }
}

/** What the studio said, with the file's name in front where it did not say it. */
function sentence(answer: XMLHttpRequest, name: string): string {
  const text = answer.responseText.trim();
  const said = text && text.length < 500 && !text.startsWith("<") ? text : `refused (${answer.status})`;
  return said.includes(name) ? said : `${name}: ${said}`;
}
