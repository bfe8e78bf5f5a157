/**
 * Light, dark, or the system's theme: kept in this browser and not in links, because it is the reader's choice.
 *
 * @module
 */
import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "logratio.theme";
const chosen = signal<Theme>(remembered());
const system = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(system.matches);
system.addEventListener("change", () => {
  systemIsDark.value = system.matches;
});

export const theme: ReadonlySignal<Theme> = chosen;

/** Components that draw on a canvas read this, so that they redraw when colors change. */
export const isDark: ReadonlySignal<boolean> = computed(() =>
  chosen.value === "auto" ? systemIsDark.value : chosen.value === "dark",
);

export function setTheme(next: Theme): void {
  chosen.value = next;
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A browser without storage still changes its colors.
  }
}

/** The theme after this one: one button cycles through all three. */
export function nextTheme(now: Theme): Theme {
  return THEMES[(THEMES.indexOf(now) + 1) % THEMES.length] ?? "auto";
}

effect(() => {
  const { dataset } = document.documentElement;
  if (chosen.value === "auto") delete dataset.theme;
  else dataset.theme = chosen.value;
});

function remembered(): Theme {
  try {
    const kept = localStorage.getItem(KEY);
    return THEMES.find((name) => name === kept) ?? "auto";
  } catch {
    return "auto";
  }
}

const resolved = new Map<string, string>();
let paper = false;

/** Runs `make` with the colors of light paper, for exported pictures. The page does not flicker. */
export function onPaper<T>(make: () => T): T {
  const { dataset } = document.documentElement;
  const before = dataset.theme;
  dataset.theme = "light";
  paper = true;
  try {
    return make();
  } finally {
    paper = false;
    if (before === undefined) delete dataset.theme;
    else dataset.theme = before;
  }
}

/**
 * A color of the style sheet as canvas takes it: `themeColor("--blue")` is `rgb(32, 98, 173)`. Variables hold
 * `light-dark()`, which only an element can resolve.
 */
export function themeColor(variable: string): string {
  const key = `${variable} ${!paper && isDark.value}`;
  const known = resolved.get(key);
  if (known !== undefined) return known;
  const probe = document.createElement("span");
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  resolved.set(key, color);
  return color;
}

const mixed = new Map<string, string>();

/** A computed color in a form that every program knows; browsers give mixed colors as `oklab(…)`. */
export function plainColor(color: string): string {
  if (!/^(ok|color)/.test(color)) return color;
  const known = mixed.get(color);
  if (known !== undefined) return known;
  const pen = new OffscreenCanvas(1, 1).getContext("2d")!;
  pen.fillStyle = color;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
  const plain = `rgb(${red}, ${green}, ${blue})`;
  mixed.set(color, plain);
  return plain;
}
