// A blend space of one's own: clips of the library ticked, a name, and a button.

import type { Connection } from "../connection";
import { el } from "../elements";
import { menu } from "../menu";
import type { Store } from "../store";

export function ownSpace(store: Store, connection: Connection): HTMLElement {
  const button = el("button", { class: "btn", type: "button", text: "New from clips…", title: "Make a blend space of clips of the library" });
  const made = menu(button, "New blend space", () => [form(store, (name, clips) => {
    connection.send({ type: "blend_make", name, clips });
    made.close();
  })]);
  return made.host;
}

function form(store: Store, run: (name: string, clips: string[]) => void): HTMLElement {
  const chosen = new Set<string>();
  const name = el("input", { class: "field", type: "text", label: "Name of the space", maxLength: 60, value: "my space" });
  const search = el("input", { class: "field", type: "search", label: "Find clips to blend", placeholder: "search" });
  const list = el("div", { class: "own-list", role: "group", label: "Clips to blend" });
  const go = el("button", { class: "btn primary", type: "submit", text: "Make the space", disabled: true });
  const items = store.state.library.filter((item) => item.problem === null);
  const fill = (): void => {
    const wanted = search.value.trim().toLowerCase();
    const seen = items.filter((item) => `${item.name} ${item.kind} ${item.tags.join(" ")}`.toLowerCase().includes(wanted));
    list.replaceChildren(...seen.map((item) => {
      const box = el("input", { type: "checkbox", checked: chosen.has(item.key) });
      box.addEventListener("change", () => {
        if (box.checked) chosen.add(item.key);
        else chosen.delete(item.key);
        go.disabled = chosen.size < 2;
      });
      const more = el("small", { class: "muted", text: `${item.kind} ${item.speedMS.toFixed(1)} m/s` });
      return el("label", {}, box, el("span", { text: item.name }), more);
    }));
  };
  search.addEventListener("input", fill);
  fill();
  const made = el("form", { class: "own-form" }, name, search, list,
    el("p", { class: "muted", text: "Walks with walks, reaches with reaches: what they differ in becomes the parameters." }), go);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    run(name.value.trim(), [...chosen]);
  });
  return made;
}
