// A button with a small menu under it: arrow keys walk it, Esc and a click elsewhere close it.

import { el } from "./elements";

export interface Menu {
  readonly host: HTMLElement;
  readonly panel: HTMLElement;
  open(): void;
  close(): void;
  toggle(): void;
}

/** fill makes what the menu holds, every time it is opened. */
export function menu(button: HTMLButtonElement, label: string, fill: () => Node[]): Menu {
  const panel = el("div", { class: "menu", role: "dialog", label, hidden: true });
  const host = el("div", { class: "menu-host" }, button, panel);
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-expanded", "false");
  let ends: AbortController | null = null;

  const close = (): void => {
    if (panel.hidden) return;
    const hadFocus = panel.contains(document.activeElement);
    panel.hidden = true;
    button.setAttribute("aria-expanded", "false");
    ends?.abort();
    if (hadFocus) button.focus();
  };
  const open = (): void => {
    panel.replaceChildren(...fill());
    panel.hidden = false;
    button.setAttribute("aria-expanded", "true");
    ends = new AbortController();
    const options = { signal: ends.signal };
    addEventListener("pointerdown", (event) => {
      if (!host.contains(event.target as Node)) close();
    }, { ...options, capture: true });
    addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      close();
    }, { ...options, capture: true });
    panel.querySelector<HTMLElement>("input, select, button:not(:disabled)")?.focus();
  };
  const toggle = (): void => (panel.hidden ? open() : close());
  button.addEventListener("click", toggle);
  panel.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 || (event.target as Element).matches("select, input[type=number]")) return;
    event.preventDefault();
    const items = [...panel.querySelectorAll<HTMLElement>("button:not(:disabled), input, select")];
    const at = items.indexOf(document.activeElement as HTMLElement);
    items[(at + step + items.length) % items.length]?.focus();
  });
  return { host, panel, open, close, toggle };
}

/** A line of a menu: a name and, smaller, what it means. */
export function menuItem(text: string, more: string, run: () => void): HTMLButtonElement {
  const made = el("button", { type: "button", class: "menu-item", on: { click: run } }, el("span", { text }));
  if (more) made.append(el("small", { text: more }));
  return made;
}
