// Colours of the stage, dark and light.

export interface Look {
  readonly floor: string;
  readonly line: string;
  readonly shadow: string;
  readonly figures: readonly string[]; // bodies, in the order of the tracks
  readonly left: string; // as the phases: feet are told apart by them everywhere
  readonly right: string;
  readonly face: string;
  readonly rim: string;
  readonly sky: string;
  readonly ground: string;
  readonly skyLight: number;
  readonly keyLight: number;
  readonly backLight: number;
  readonly shade: number; // how dark shadows are, 0 to 1
}

export const LOOKS: Record<"dark" | "light", Look> = {
  dark: {
    floor: "#242930", line: "#3d4550", shadow: "#0a0c0f",
    figures: ["#d9d5ce", "#79bda3", "#b795cf", "#dd8f8b", "#8ea6df", "#cbb96c"],
    left: "#4a9be0", right: "#f0a03c", face: "#4a5261", rim: "#39465c",
    sky: "#c3d0e6", ground: "#3a3733", skyLight: 0.34, keyLight: 0.62, backLight: 0.26, shade: 0.7,
  },
  light: {
    floor: "#e9ecf0", line: "#c9cfd7", shadow: "#5f6b7c",
    figures: ["#f1eee9", "#8ccbb3", "#c8a8de", "#e9a09c", "#9db4ea", "#dccb80"],
    left: "#2f7fc1", right: "#e08a1e", face: "#7b8494", rim: "#30343a",
    sky: "#ffffff", ground: "#b9b4ac", skyLight: 0.56, keyLight: 0.5, backLight: 0.14, shade: 0.4,
  },
};
