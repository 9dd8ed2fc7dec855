// A thin bar at the top that says what a first start prepares, once.

import type { Connection } from "./connection";
import { el, setText } from "./elements";

export function mountPreparing(host: HTMLElement, connection: Connection): void {
  const text = el("span");
  const bar = el("progress", { max: 1, label: "Preparing" });
  const line = el("div", { class: "preparing", role: "status", hidden: true }, text, bar);
  host.append(line);
  connection.on("preparing", ({ text: said, share }) => {
    setText(text, said);
    bar.value = share;
    line.hidden = share >= 1;
  });
  connection.on("welcome", () => (line.hidden = true));
}
