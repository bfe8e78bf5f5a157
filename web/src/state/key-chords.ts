/** What the keys pressed so far mean: `["g", "o"]` is the chord `g o`. */
export type Pressed =
  | { readonly kind: "bound"; readonly keys: string }
  | { readonly kind: "begun" }
  | { readonly kind: "free" };

/**
 * Looks up keys pressed one after the other among the bindings. A chord that cannot be finished falls back to its last
 * key, so that `g` and then `j` still goes to the next sequence.
 */
export function matchKeys(pressed: readonly string[], bound: Iterable<string>): Pressed {
  const chords = [...bound];
  for (let from = 0; from < pressed.length; from++) {
    const keys = pressed.slice(from).join(" ");
    if (chords.includes(keys)) return { kind: "bound", keys };
    if (chords.some((chord) => chord.startsWith(`${keys} `))) return { kind: "begun" };
  }
  return { kind: "free" };
}
