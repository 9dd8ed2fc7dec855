// Dark, light, or as the system is.

import type { Stage } from "./stage/stage";
import type { Store, Theme } from "./store";

const ORDER: readonly Theme[] = ["system", "light", "dark"];
export const THEME_NAMES: Record<Theme, string> = { system: "as the system", light: "light", dark: "dark" };

export function keepTheme(store: Store, stage: Stage): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const light = matchMedia("(prefers-color-scheme: light)");
  const apply = (): void => {
    const { theme } = store.state;
    const now = theme === "system" ? (light.matches && !dark.matches ? "light" : "dark") : theme;
    document.documentElement.dataset.theme = now;
    stage.setTheme(now);
  };
  dark.addEventListener("change", apply);
  store.watch("theme", apply);
}

export function nextTheme(store: Store): void {
  const at = ORDER.indexOf(store.state.theme);
  store.set({ theme: ORDER[(at + 1) % ORDER.length]! });
}
