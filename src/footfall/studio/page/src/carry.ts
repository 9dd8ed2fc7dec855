// Carrying a library item with the pointer: the library starts it, the timeline says where it may be let go.

import { el } from "./elements";
import type { LibraryItem } from "./messages";

export interface CarryTarget {
  readonly element: HTMLElement;
  over(item: LibraryItem, event: PointerEvent): void; // the pointer is above it
  leave(): void; // it has left, or the carrying was given up
  drop(item: LibraryItem, event: PointerEvent): void; // let go here
}

const targets = new Set<CarryTarget>();
const SLOP_PX = 5; // a press that moves less is a click

/** Registers a place items can be dropped on. */
export function carryTarget(target: CarryTarget): () => void {
  targets.add(target);
  return () => targets.delete(target);
}

/** Makes an element a handle: pressing and moving carries its item; Esc puts it back. */
export function carryHandle(handle: HTMLElement, item: () => LibraryItem | null, clicked?: (item: LibraryItem) => void): void {
  handle.addEventListener("pointerdown", (down) => {
    const carried = item();
    if (down.button !== 0 || carried === null || (down.target as Element).closest("button, input, a")) return;
    if (down.pointerType === "touch") { // a finger scrolls the list; the Add button is there for it
      handle.addEventListener("click", () => clicked?.(carried), { once: true });
      return;
    }
    follow(carried, down, clicked);
  });
}

function follow(item: LibraryItem, down: PointerEvent, clicked?: (item: LibraryItem) => void): void {
  const label = el("div", { class: "carried", text: item.name, ariaHidden: "true" });
  let target: CarryTarget | null = null;
  let moving = false;
  const end = new AbortController();
  const options = { signal: end.signal };

  const move = (event: PointerEvent): void => {
    if (!moving) {
      if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < SLOP_PX) return;
      moving = true;
      document.body.append(label);
      document.body.classList.add("carrying");
    }
    label.style.transform = `translate(${event.clientX + 12}px, ${event.clientY + 12}px)`;
    const now = under(event);
    if (target !== now) target?.leave();
    target = now;
    label.classList.toggle("welcome", target !== null);
    target?.over(item, event);
  };
  const finish = (): void => {
    end.abort();
    label.remove();
    document.body.classList.remove("carrying");
  };
  const giveUp = (): void => {
    target?.leave();
    finish();
  };
  addEventListener("pointermove", move, options);
  addEventListener("pointercancel", giveUp, options);
  addEventListener("blur", giveUp, options);
  addEventListener("pointerup", (event) => {
    if (!moving) clicked?.(item);
    const at = moving ? under(event) : null;
    if (target !== at) target?.leave();
    finish();
    at?.drop(item, event);
  }, options);
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopImmediatePropagation();
    giveUp();
  }, { ...options, capture: true });
}

function under(event: PointerEvent): CarryTarget | null {
  const at = document.elementFromPoint(event.clientX, event.clientY);
  for (const target of targets) if (at && target.element.contains(at)) return target;
  return null;
}
