// Pieces the inspector is made of: sections, rows, number fields, gauges with limits.

import { clamp, el } from "../elements";

export function section(title: string, ...children: (Node | string)[]): HTMLElement {
  return el("section", { class: "part" }, ...(title ? [el("h3", { text: title })] : []), ...children);
}

export function row(name: string, ...what: (Node | string)[]): HTMLElement {
  return el("div", { class: "pair" }, el("span", { class: "pair-name", text: name }), ...what);
}

export function figure(text: string): HTMLElement {
  return el("span", { class: "number", text });
}

export interface NumberOptions {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly unit?: string;
  readonly disabled?: boolean;
  readonly title?: string;
  change(value: number): void;
}

/** A number that is taken when Enter is pressed or the field is left; what is out of range is moved into it. */
export function numberField(options: NumberOptions): HTMLElement {
  const digits = Math.max(0, Math.ceil(-Math.log10(options.step)));
  const shown = options.value.toFixed(digits);
  const input = el("input", {
    class: "field number",
    type: "number",
    label: options.label,
    title: options.title ?? options.label,
    min: String(options.min),
    max: String(+options.max.toFixed(digits)),
    step: "any",
    value: shown,
    defaultValue: shown,
    disabled: options.disabled ?? false,
  });
  let sent = shown;
  const take = (): void => {
    const wanted = Number(input.value);
    if (input.value === "" || !Number.isFinite(wanted)) {
      input.value = input.defaultValue = sent;
      return;
    }
    const value = clamp(wanted, options.min, options.max);
    input.value = input.defaultValue = value.toFixed(digits);
    if (input.value === sent) return;
    sent = input.value;
    options.change(value);
  };
  input.addEventListener("change", take);
  input.addEventListener("keydown", (event) => {
    const way = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (way !== 0) {
      event.preventDefault();
      input.value = clamp(Number(input.value) + way * options.step, options.min, options.max).toFixed(digits);
      take();
    } else if (event.key === "Escape") {
      input.value = sent;
      input.blur();
    }
  });
  return el("span", { class: "with-unit" }, input, el("span", { class: "unit", text: options.unit ?? "" }));
}

export function toggle(label: string, on: boolean, change: (on: boolean) => void, title = label): HTMLElement {
  const box = el("input", { type: "checkbox", checked: on, label });
  box.addEventListener("change", () => change(box.checked));
  return el("label", { class: "switch", title }, box, el("i"), el("span", { text: label }));
}

export function button(text: string, title: string, run: () => void, kind = "btn"): HTMLButtonElement {
  return el("button", { class: kind, type: "button", text, title, on: { click: run } });
}

/** A figure against its limits: untouched captures stay under the first, above the second it is not believed. */
export function gauge(name: string, what: string, value: number | null, limits: readonly [number, number], unit: string): HTMLElement {
  const most = 1.5 * limits[1];
  const share = (x: number): string => `${(100 * clamp(x / most, 0, 1)).toFixed(1)}%`;
  const grade = value === null ? "unknown" : value <= limits[0] ? "good" : value <= limits[1] ? "fair" : "poor";
  const text = value === null ? "measuring…" : `${value.toFixed(unit === "×" ? 2 : 0)}${unit === "×" ? "× the clips' own" : ` ${unit}`}`;
  const fill = el("i", { class: "gauge-fill" });
  fill.style.width = value === null ? "0" : share(Math.max(value, 0.02 * most));
  const ticks = limits.map((limit) => {
    const tick = el("i", { class: "gauge-tick" });
    tick.style.left = share(limit);
    return tick;
  });
  const bar = el("div", { class: "gauge-bar" }, fill, ...ticks);
  const title = `${what}; as in captures up to ${limits[0]}, seen above ${limits[1]} ${unit === "×" ? "times what the clips do themselves" : unit}`;
  const head = el("div", { class: "gauge-head" }, el("span", { text: name }), figure(text));
  return el("div", { class: "gauge", data: { grade }, title, label: `${name}: ${text}, ${grade}`, role: "img" }, head, bar);
}
