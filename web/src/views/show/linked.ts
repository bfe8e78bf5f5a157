import type { Signal } from "@preact/signals";

/** The token under the pointer, in the text or the minimap. */
export interface Hovered {
  /** Counted from the first prompt token. */
  readonly place: number;
  readonly on: "strip" | "minimap";
}

/** State that the parts of the page share without causing renders. */
export interface Linked {
  readonly hovered: Signal<Hovered | undefined>;
  /** The places in sight, `[from, to)`. */
  readonly sight: Signal<{ readonly from: number; readonly to: number }>;
}

/** How the strip scrolls when the current token changes. */
export type Follow = "centre" | "near" | "stay";

/** A mutable value that components share without causing renders. */
export interface Held<T> {
  current: T;
}
