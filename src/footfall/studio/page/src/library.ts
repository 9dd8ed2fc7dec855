// The library: every clip there is, searchable, in groups; drag one to the timeline, add it, or drop files to upload.

import "./library.css";
import { carryHandle } from "./carry";
import { addClip } from "./audition";
import type { Connection } from "./connection";
import { bin, el, icon, setText } from "./elements";
import { act, bind, tip } from "./keys";
import type { LibraryItem } from "./messages";
import { mountProblems } from "./problems";
import { mountShelf } from "./shelf";
import type { Store } from "./store";
import { Thumbnail } from "./thumbnail";
import { mountUploads } from "./uploads";

interface Row {
  readonly item: LibraryItem;
  readonly element: HTMLElement;
  readonly thumbnail: Thumbnail | null;
  readonly words: string; // what a search looks in
}

const BUILT_IN = "built-in"; // the group of what footfall brings along
const MOST_TAGS = 14;
const SORTS: Record<string, { text: string; compare(a: LibraryItem, b: LibraryItem): number }> = {
  listed: { text: "As listed", compare: () => 0 },
  name: { text: "By name", compare: (a, b) => a.name.localeCompare(b.name) },
  length: { text: "Shortest first", compare: (a, b) => a.seconds - b.seconds },
  speed: { text: "Slowest first", compare: (a, b) => a.speedMS - b.speedMS },
};

export function mountLibrary(host: HTMLElement, store: Store, connection: Connection): void {
  const search = el("input", { class: "field search", type: "search", label: "Search clips", title: tip("search"), placeholder: "Search clips" });
  const upload = el("button", { class: "btn quiet icon-only", type: "button", label: "Upload clips", title: "Upload clips (or drop files here)" }, icon("M8 11V3", "M4.5 6L8 2.5 11.5 6", "M3 11v2.5h10V11"));
  const list = el("div", { class: "clips", role: "group", label: "Clips" });
  const none = el("p", { class: "library-empty", text: "No clip is called that.", hidden: true });
  const sort = el("select", { class: "field", label: "Sort clips by", title: "Sort clips by" });
  for (const [value, { text }] of Object.entries(SORTS)) sort.append(el("option", { value, text }));
  const starred = el("button", { class: "btn quiet icon-only", type: "button", text: "★", label: "Favourites only", title: "Favourites only" });
  starred.setAttribute("aria-pressed", "false");
  const tags = el("div", { class: "tags", role: "group", label: "Tags" });
  const alikeText = el("span", { class: "grow" });
  const alikeEnd = el("button", { class: "btn quiet icon-only small", type: "button", text: "×", label: "All clips again", title: "All clips again" });
  const alike = el("div", { class: "alike", role: "status", hidden: true }, alikeText, alikeEnd);
  host.append(el("div", { class: "library-top" }, search, upload), el("div", { class: "library-sort" }, sort, starred), tags, alike, list, none);
  const chosen = new Set<string>(); // tags
  mountProblems(host, store, ["library"]);
  const rows = new Map<string, Row>();
  const folds = new Map<string, { root: HTMLDetailsElement; body: HTMLElement; count: HTMLElement }>();
  const groups = new Map<string, { root: HTMLDetailsElement; body: HTMLElement; count: HTMLElement }>();

  const group = (name: string): HTMLElement => {
    const known = groups.get(name);
    if (known) return known.body;
    const count = el("span", { class: "count" });
    const body = el("div", { role: "list", label: name });
    const root = el("details", { class: "group", open: true }, el("summary", {}, el("span", { text: name }), count), body);
    groups.set(name, { root, body, count });
    if (name === BUILT_IN) list.append(root);
    else list.prepend(root); // a person's own clips come first
    return body;
  };
  const filter = (): void => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    const counts = new Map<string, number>();
    const like = store.state.alike;
    const only = starred.getAttribute("aria-pressed") === "true";
    for (const { item, element, words: text } of rows.values()) {
      const tagged = chosen.size === 0 || item.tags.some((tag) => chosen.has(tag));
      const alikeOne = !like || like.key === item.key || like.found.has(item.key);
      element.hidden = !words.every((word) => text.includes(word)) || !tagged || !alikeOne || (only && !item.favourite);
      if (element.hidden) continue;
      found += 1;
      counts.set(item.group, (counts.get(item.group) ?? 0) + 1);
    }
    for (const [name, { root, count }] of groups) {
      root.hidden = !counts.has(name);
      setText(count, String(counts.get(name) ?? 0));
    }
    none.hidden = found > 0 || rows.size === 0;
    arrange();
  };
  /** Rows in the order that was chosen; clips like one come by how like they are. */
  const arrange = (): void => {
    const like = store.state.alike;
    const by = SORTS[sort.value] ?? SORTS["listed"]!;
    const order = new Map([...rows.keys()].map((key, i) => [key, i]));
    const rank = (row: Row): number => (like?.key === row.item.key ? -1 : (like?.found.get(row.item.key) ?? 0));
    const sorted = [...rows.values()].sort((a, b) =>
      (like ? rank(a) - rank(b) : by.compare(a.item, b.item)) || order.get(a.item.key)! - order.get(b.item.key)!);
    for (const [name, { body }] of groups) {
      const wanted = folded(name, sorted.filter((row) => row.item.group === name));
      if (wanted.some((element, i) => body.children[i] !== element)) body.replaceChildren(...wanted);
    }
  };
  /** The rows of a group; those of one file lie in one that folds. */
  const folded = (name: string, of: readonly Row[]): HTMLElement[] => {
    const found: HTMLElement[] = [];
    const inFile = new Map<string, Row[]>();
    for (const row of of) {
      const { file } = row.item;
      if (!file) found.push(row.element);
      else if (inFile.has(file)) inFile.get(file)!.push(row);
      else {
        inFile.set(file, [row]);
        let fold = folds.get(`${name}/${file}`);
        if (!fold) {
          fold = { body: el("div", { role: "list", label: file }), count: el("span", { class: "count" }), root: el("details", { class: "fold" }) };
          fold.root.setAttribute("role", "listitem");
          fold.root.append(el("summary", {}, el("span", { class: "grow", text: file, title: file }), fold.count), fold.body);
          folds.set(`${name}/${file}`, fold);
        }
        found.push(fold.root);
      }
    }
    for (const [file, members] of inFile) {
      const { root, body, count } = folds.get(`${name}/${file}`)!;
      const wanted = members.map((row) => row.element);
      const seen = wanted.filter((element) => !element.hidden).length;
      if (wanted.some((element, i) => body.children[i] !== element) || body.children.length !== wanted.length) body.replaceChildren(...wanted);
      root.hidden = seen === 0;
      setText(count, `${seen} animations`);
      if (search.value.trim() !== "" || store.state.alike) root.open = true;
    }
    return found;
  };
  const drawTags = (): void => {
    const counts = new Map<string, number>();
    for (const { item } of rows.values()) for (const tag of item.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    const names = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)! || a.localeCompare(b)).slice(0, MOST_TAGS);
    if (names.join() === tags.dataset.names) return;
    tags.dataset.names = names.join();
    tags.replaceChildren(...names.map((name) => {
      const tag = el("button", { class: "tag", type: "button", text: name, title: `Clips with ${name}` });
      tag.setAttribute("aria-pressed", String(chosen.has(name)));
      tag.addEventListener("click", () => {
        const on = !chosen.delete(name);
        if (on) chosen.add(name);
        tag.setAttribute("aria-pressed", String(on));
        filter();
      });
      return tag;
    }));
  };
  sort.addEventListener("change", filter);
  starred.addEventListener("click", () => {
    starred.setAttribute("aria-pressed", String(starred.getAttribute("aria-pressed") !== "true"));
    filter();
  });
  alikeEnd.addEventListener("click", () => store.set({ alike: null }));
  store.subscribe("alike", ({ alike: like, library }) => {
    alike.hidden = like === null;
    list.scrollTop = 0;
    setText(alikeText, like ? `Like ${library.find((item) => item.key === like.key)?.name ?? "it"}` : "");
    filter();
  });
  store.subscribe("audition", ({ audition }) => {
    for (const [key, row] of rows) row.element.classList.toggle("looked-at", key === audition);
  });
  const draw = (items: readonly LibraryItem[]): void => {
    const wanted = new Set(items.map((item) => item.key));
    for (const [key, row] of rows) {
      if (wanted.has(key)) continue;
      row.element.remove();
      rows.delete(key);
    }
    for (const item of items) {
      const old = rows.get(item.key);
      if (old && JSON.stringify(old.item) === JSON.stringify(item)) continue;
      const row = makeRow(item, store, connection);
      if (old) old.element.replaceWith(row.element);
      else group(item.group).append(row.element); // sorted, and put into its file's fold, below
      rows.set(item.key, row);
    }
    drawTags();
    filter();
  };
  store.watch("library", ({ library }) => draw(library));
  store.subscribe("theme", () => rows.forEach((row) => void row.thumbnail?.show()));
  let typed = false; // since the project last changed: then Ctrl+Z takes back letters, else what was done to the project
  store.subscribe("project", () => (typed = false));
  search.addEventListener("input", () => {
    typed = true;
    filter();
  });
  search.addEventListener("keydown", (event) => {
    const undoes = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if (undoes && !(typed && search.value !== "")) {
      event.preventDefault();
      act(event.shiftKey ? "redo" : "undo");
    }
    if (event.key !== "Escape") return;
    search.value = "";
    filter();
    search.blur();
  });
  bind("search", () => search.focus());
  mountUploads(host, upload);
  mountShelf(host, store, connection);
}

function makeRow(item: LibraryItem, store: Store, connection: Connection): Row {
  const add = (): void => {
    store.set({ audition: null });
    addClip(item, store, connection);
  };
  const usable = item.problem === null;
  const thumbnail = usable ? new Thumbnail(item.key) : null;
  const facts = [`${item.seconds.toFixed(1)} s`];
  if (item.speedMS > 0.05) facts.push(`${item.speedMS.toFixed(1)} m/s`);
  if (item.isLoop) facts.push("loop");
  const text = el("div", { class: "clip-text" },
    el("div", { class: "clip-title", text: item.name, title: item.name }),
    el("div", { class: "clip-facts", text: item.problem ?? facts.join(" · "), title: item.problem ?? "" }));
  if (item.warnings.length > 0) text.append(el("div", { class: "clip-warning", text: `⚠ ${item.warnings[0]}`, title: item.warnings.join("\n") }));
  if (usable) text.append(phaseStrip(item));
  const button = el("button", {
    class: "btn add", type: "button", text: "Add", label: `Add ${item.name} to the timeline`,
    title: `Add ${item.name} to the timeline`, disabled: !usable, on: { click: add },
  });
  const star = el("button", { class: "star", type: "button", text: item.favourite ? "★" : "☆", label: `Favourite: ${item.name}`, title: "Favourite" });
  star.setAttribute("aria-pressed", String(item.favourite));
  star.addEventListener("click", () => connection.send({ type: "mark", key: item.key, favourite: !item.favourite }));
  const element = el("div", {
    class: usable ? "library-clip" : "library-clip unusable", role: "listitem", tabIndex: 0,
    label: item.problem ? `${item.name}: ${item.problem}` : item.name,
  }, thumbnail?.canvas ?? el("div", { class: "thumb broken", text: "!" }), text, star, ...(item.removable ? [removal(item, connection)] : []), button);
  carryHandle(element, () => (usable ? item : null), () => store.set({ audition: item.key }));
  element.addEventListener("pointerenter", () => thumbnail?.play());
  element.addEventListener("pointerleave", () => thumbnail?.stop());
  element.addEventListener("dblclick", (event) => {
    if (usable && !(event.target as Element).closest("button")) add();
  });
  element.addEventListener("keydown", (event) => {
    if (event.target !== element || !usable || store.state.audition === item.key) return;
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    store.set({ audition: item.key }); // Enter once more inserts it
  });
  return { item, element, thumbnail, words: `${item.name} ${item.kind} ${item.group} ${item.file} ${item.tags.join(" ")}`.toLowerCase() };
}

/** Takes what was uploaded or recorded away; asked for twice, since its file goes too. */
function removal(item: LibraryItem, connection: Connection): HTMLButtonElement {
  const button = el("button", { class: "star remove", type: "button", label: `Remove ${item.name}`, title: "Remove it and its file" }, bin());
  button.addEventListener("click", () => {
    if (button.dataset.sure) return connection.send({ type: "remove", key: item.key });
    button.dataset.sure = "1";
    button.textContent = "sure?";
    setTimeout(() => {
      delete button.dataset.sure;
      button.replaceChildren(bin());
    }, 3000);
  });
  return button;
}

/** Which feet stand when, along the clip. */
function phaseStrip(item: LibraryItem): HTMLElement {
  const strip = el("div", { class: "phase-strip", ariaHidden: "true" });
  for (const { startS, endS, phase } of item.phases) {
    const span = el("span", { class: `phase-${phase}` });
    span.style.flexGrow = String(Math.max(endS - startS, 1e-3));
    strip.append(span);
  }
  return strip;
}
