/**
 * All key bindings of the page in one place, so that one dialog can list them.
 *
 * @module
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { matchKeys } from "./key-chords.ts";

export interface KeyBinding {
  /** What it does, for the list of keys. */
  readonly describe: string;
  readonly run: () => void;
}

/**
 * By key as `KeyboardEvent.key` has it (`j`, `?`, `ArrowLeft`), with `Mod+` before it for Ctrl or Cmd (`Mod+k`), or by
 * keys one after the other (`g o`).
 */
export type KeyBindings = Readonly<Record<string, KeyBinding>>;

interface Layer {
  readonly current: KeyBindings;
}

const layers = signal<readonly Layer[]>([]);

/** Every key that is bound now; if a key is bound twice, the later binding counts. */
export const activeKeys: ReadonlySignal<ReadonlyMap<string, KeyBinding>> = computed(
  () => new Map(layers.value.flatMap(({ current }) => Object.entries(current))),
);

/** Binds keys while the component is mounted. Keys typed into a field are ignored. */
export function useKeys(bindings: KeyBindings): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(() => {
    // Bound once and read at every press: a render may change what a key does, but not which keys are bound.
    const layer: Layer = {
      get current() {
        return latest.current;
      },
    };
    if (layers.peek().length === 0) addEventListener("keydown", onKey);
    layers.value = [...layers.peek(), layer];
    return () => {
      layers.value = layers.peek().filter((other) => other !== layer);
      if (layers.peek().length === 0) removeEventListener("keydown", onKey);
    };
  }, []);
}

interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The name under which a key is bound; undefined for what belongs to the browser or the system. */
function keyName({ key, ctrlKey, metaKey, altKey }: Pressed): string | undefined {
  if (altKey) return undefined;
  return ctrlKey || metaKey ? `Mod+${key.toLowerCase()}` : key;
}

/** Fields and open dialogs keep their keys. */
const KEEPS_KEYS = "input, textarea, select, [contenteditable], dialog";
/** Keys that press the focused element are left to it. */
const PRESSES = new Set([" ", "Enter"]);
const PRESSED_BY_KEYS = "a[href], button, summary, [role=slider]";
const CHORD_MS = 1200;
let begun: readonly string[] = [];
let begunAt = 0;

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.key === "Shift") return;
  if (event.target instanceof Element && event.target.closest(KEEPS_KEYS) !== null) return;
  const name = keyName(event);
  if (name === undefined) return;
  if (PRESSES.has(name) && event.target instanceof Element && event.target.closest(PRESSED_BY_KEYS)) return;
  const isLate = event.timeStamp - begunAt > CHORD_MS;
  const pressed = [...(isLate ? [] : begun), name];
  const match = matchKeys(pressed, activeKeys.peek().keys());
  begun = match.kind === "begun" ? pressed : [];
  begunAt = event.timeStamp;
  if (match.kind !== "bound") return;
  // The map of names is computed when layers come and go, so what a key does is read here.
  const layer = layers.peek().findLast(({ current }) => Object.hasOwn(current, match.keys));
  if (layer === undefined) return;
  event.preventDefault();
  layer.current[match.keys]?.run();
}
