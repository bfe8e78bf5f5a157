const NAMES: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  " ": "Space",
};

/** ⌘ on Apple systems, Ctrl on others. */
export const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

/** The keys to press, as they are labeled: `g o` is two keys. */
export function keyParts(keys: string): string[] {
  if (keys === " ") return ["Space"];
  return keys
    .split(" ")
    .flatMap((key) => (key.startsWith("Mod+") ? [MOD, key.slice(4).toUpperCase()] : [NAMES[key] ?? key]));
}
