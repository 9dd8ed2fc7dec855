// The first-run tour: three bubbles beside what they speak of; it can be skipped, and called again from the help.

import { el } from "./elements";

const SEEN = "footfall.studio.tour";
const STEPS: readonly { at: string; title: string; text: string }[] = [
  { at: ".library", title: "Look, then use", text: "Click a clip to see it move; I and O mark a part, Enter puts it on the timeline. Or drag it there. Your own files are dropped here." },
  { at: ".timeline", title: "Joins make themselves", text: "Clips are joined where they meet. A badge is green, amber or red: click it for why, and for cures." },
  { at: ".head .slot:last-of-type", title: "Take it with you", text: "Export writes GLB, BVH, NPZ or a film. The ? shows every key, letter and colour." },
];

/** Shows the tour where it was not seen before. */
export function tourOnce(): void {
  try {
    if (localStorage.getItem(SEEN)) return;
  } catch {
    return; // nowhere to note that it was seen: do not come again and again
  }
  showTour();
}

export function showTour(): void {
  document.querySelector(".tour")?.remove();
  let at = 0;
  const title = el("strong");
  const text = el("p");
  const count = el("span", { class: "muted" });
  const next = el("button", { class: "btn primary", type: "button" });
  const skip = el("button", { class: "btn quiet", type: "button", text: "Skip the tour" });
  const bubble = el("div", { class: "tour", role: "dialog", label: "Tour" }, title, text, el("div", { class: "tour-buttons" }, count, el("span", { class: "spring" }), skip, next));
  const end = (): void => {
    bubble.remove();
    removeEventListener("resize", place);
    try {
      localStorage.setItem(SEEN, "1");
    } catch {
      // a browser that keeps nothing
    }
  };
  const place = (): void => {
    const box = document.querySelector(STEPS[at]!.at)?.getBoundingClientRect();
    if (!box) return;
    const [wide, high] = [bubble.offsetWidth, bubble.offsetHeight];
    const beside = box.height > box.width;
    const x = beside ? box.right + 12 : box.left + 0.5 * box.width - 0.5 * wide;
    const y = beside ? box.top + 60 : box.top > innerHeight / 2 ? box.top - high - 12 : box.bottom + 12;
    bubble.style.left = `${Math.min(Math.max(x, 8), innerWidth - wide - 8)}px`;
    bubble.style.top = `${Math.min(Math.max(y, 8), innerHeight - high - 8)}px`;
  };
  const show = (): void => {
    const step = STEPS[at]!;
    title.textContent = step.title;
    text.textContent = step.text;
    count.textContent = `${at + 1} of ${STEPS.length}`;
    next.textContent = at + 1 < STEPS.length ? "Next" : "Done";
    place();
  };
  next.addEventListener("click", () => {
    at += 1;
    if (at >= STEPS.length) end();
    else show();
  });
  skip.addEventListener("click", end);
  bubble.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    end();
  });
  addEventListener("resize", place);
  document.body.append(bubble);
  show();
}
