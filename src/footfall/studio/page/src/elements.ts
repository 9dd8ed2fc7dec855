// Small helpers that make elements and drawings, and write to the page only what differs; text always goes in as text.

type Props<T> = {
  class?: string;
  text?: string;
  title?: string;
  label?: string; // accessible name
  role?: string;
  data?: Record<string, string>;
  on?: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
} & Partial<Omit<T, "style" | "title" | "dataset" | "className" | "role" | "children">>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props<HTMLElementTagNameMap[K]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  const { class: name, text, title, label, role, data, on, ...rest } = props as Props<HTMLElement>;
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  if (title) made.title = title;
  if (label) made.setAttribute("aria-label", label);
  if (role) made.setAttribute("role", role);
  for (const [key, value] of Object.entries(data ?? {})) made.dataset[key] = value;
  for (const [kind, fn] of Object.entries(on ?? {})) made.addEventListener(kind, fn as EventListener);
  Object.assign(made, rest);
  made.append(...children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** A small picture for a button: paths in a 16 × 16 field, drawn as lines. */
export function icon(...paths: string[]): SVGSVGElement {
  const drawn = svg("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" });
  for (const d of paths) drawn.append(svg("path", { d }));
  return drawn;
}

/** A bin, for what can be taken away. */
export function bin(): SVGSVGElement {
  return icon("M3 4.5h10", "M6 4V2.5h4V4", "M4.5 4.5l.7 9h5.6l.7-9");
}

export function setStyle(element: HTMLElement | SVGElement, name: string, value: string): void {
  if (element.style.getPropertyValue(name) !== value) element.style.setProperty(name, value);
}

export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Text that is seen and not read aloud: the element's name, or its neighbours', say it already. */
export function setSeen(element: HTMLElement, text: string): void {
  if (element.dataset.text !== text) element.dataset.text = text;
}

export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** The accessible name, and the tooltip where it says more. */
export function setLabel(element: Element, label: string, title = label): void {
  setAttribute(element, "aria-label", label);
  setAttribute(element, "title", title);
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}

/** Seconds as people read them. */
export function seconds(value: number, digits = 2): string {
  return `${value.toFixed(digits)} s`;
}

/** Whether keys typed now belong to a text field. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=checkbox]):not([type=range]), textarea, select"))
  );
}
