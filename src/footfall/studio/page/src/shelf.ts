// The shelf of characters: drop a rigged GLB or FBX on it; drag one onto a track, or press Use, and the track is played by it.

import type { Connection } from "./connection";
import { bin, el, icon } from "./elements";
import type { CharacterItem } from "./messages";
import { portrait } from "./portrait";
import type { Store } from "./store";
import { mountUploads } from "./uploads";

export function mountShelf(host: HTMLElement, store: Store, connection: Connection): void {
  const upload = el("button", { class: "btn quiet icon-only", type: "button", label: "Add a character", title: "Add a rigged GLB or FBX (or drop it here)" }, icon("M8 3v10", "M3 8h10"));
  const list = el("div", { class: "shelf-list", role: "list", label: "Characters" });
  const fold = el("details", { open: true }, el("summary", { text: "Characters" }), list);
  const root = el("div", { class: "shelf" }, fold, upload);
  host.append(root);
  mountUploads(root, upload, "character");
  connection.on("characters", ({ items }) => store.set({ characters: items }));
  store.watch("characters", ({ characters }) => {
    list.replaceChildren(...characters.map((item) => row(item, store, connection)));
  });
}

function row(item: CharacterItem, store: Store, connection: Connection): HTMLElement {
  const use = (): void => {
    const { project, selection } = store.state;
    const tracks = project?.document.tracks ?? [];
    const track = tracks.find((one) => one.clips.some((clip) => selection.has(clip.id))) ?? tracks[0];
    if (track) give(connection, item, track.id, track.name);
    else store.problem("library", "There is no track yet: put a clip on the timeline first.");
  };
  const picture = el("div", { class: "shelf-picture", ariaHidden: "true" });
  if (item.removable && !item.problem) {
    void portrait(`/characters/${encodeURIComponent(item.key.split(/[\\/]/).pop()!)}`).then((address) => {
      if (address) picture.append(el("img", { src: address, alt: "" }));
    });
  } else picture.append(icon("M8 2.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z", "M4.5 13.5V9a3.500 3.500 0 0 1 7 0v4.500"));
  const about = item.problem ?? (item.heightM > 0 ? `${item.heightM.toFixed(2)} m` : "built-in");
  const made = el("div", { class: item.problem ? "shelf-item unusable" : "shelf-item", role: "listitem", label: item.name },
    picture,
    el("div", { class: "clip-text" }, el("div", { class: "clip-title", text: item.name, title: item.name }), el("div", { class: "clip-facts", text: about, title: about })),
    ...(item.removable ? [remove(item, connection)] : []),
    el("button", { class: "btn add", type: "button", text: "Use", label: `Use ${item.name}`, title: `Play the selected track by ${item.name}`, disabled: item.problem !== null, on: { click: use } }));
  made.addEventListener("pointerdown", (down) => {
    if (down.button === 0 && !item.problem && !(down.target as Element).closest("button")) drag(item, down, connection);
  });
  return made;
}

function remove(item: CharacterItem, connection: Connection): HTMLElement {
  return el("button", { class: "star remove", type: "button", label: `Remove ${item.name}`, title: "Take it off the shelf, with its file", on: { click: () => connection.send({ type: "remove", key: item.key }) } }, bin());
}

function give(connection: Connection, item: CharacterItem, track: number, name: string): void {
  connection.send({ type: "edit", change: { do: "change_track", id: track, character: item.key }, label: `play ${name || "the track"} by ${item.name}` });
}

/** Carries a character to a track's head or lane. */
function drag(item: CharacterItem, down: PointerEvent, connection: Connection): void {
  const label = el("div", { class: "carried", text: item.name, ariaHidden: "true" });
  const end = new AbortController();
  const row = (event: PointerEvent): HTMLElement | null =>
    document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>(".tl-row:has([data-track])") ?? null;
  const done = (): void => {
    end.abort();
    label.remove();
    document.querySelectorAll(".tl-row.chosen").forEach((one) => one.classList.remove("chosen"));
  };
  addEventListener("pointermove", (event) => {
    if (!label.isConnected && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < 5) return;
    document.body.append(label);
    label.style.transform = `translate(${event.clientX + 12}px, ${event.clientY + 12}px)`;
    document.querySelectorAll(".tl-row.chosen").forEach((one) => one.classList.remove("chosen"));
    row(event)?.classList.add("chosen");
  }, { signal: end.signal });
  addEventListener("pointerup", (event) => {
    const lane = label.isConnected ? row(event)?.querySelector<HTMLElement>("[data-track]") : null;
    done();
    if (lane) give(connection, item, Number(lane.dataset.track), "");
  }, { signal: end.signal });
  for (const kind of ["pointercancel", "blur"] as const) addEventListener(kind, done, { signal: end.signal });
}
