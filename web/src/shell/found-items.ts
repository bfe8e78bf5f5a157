/**
 * Items of the palette that come and go with what is on the page, and what the server finds.
 *
 * @module
 */
import { formatCounted } from "../../../src/render/text/display/index.ts";
import type { PromptMatches, SavedFilter } from "../../../src/results/filters.ts";
import type { Star } from "../../../src/results/story.ts";
import { moveToHandle } from "../state/handles.ts";
import type { KeyBinding } from "../state/keys.ts";
import { table } from "../state/loaded.ts";
import { navigate, type ViewName } from "../state/url.ts";
import { type Exporting, saveExport } from "../ui/export-menu.tsx";
import { keyParts } from "./key-parts.ts";
import type { PaletteItem } from "./palette-items.ts";

/** What keys do now; keys that do the same share an item. Views and dialogs have items of their own. */
export function keyItems(
  keys: ReadonlyMap<string, KeyBinding>,
  known: readonly PaletteItem[],
): PaletteItem[] {
  const hints = new Set(known.map(({ hint }) => hint));
  const byMeaning = new Map<string, { readonly names: string[]; readonly run: () => void }>();
  for (const [name, { describe, run }] of keys) {
    const shown = keyParts(name).join(" ");
    if (hints.has(shown) || name === "Mod+k") continue;
    const same = byMeaning.get(describe);
    if (same !== undefined) same.names.push(shown);
    else byMeaning.set(describe, { names: [shown], run });
  }
  return [...byMeaning].map(([label, { names, run }]) => ({
    ...{ key: `key ${label}`, kind: "command", label, run },
    hint: names.join(", "),
  }));
}

/** Each picture and table that can be exported, in each of its formats. */
export function exportItems(exports: readonly Exporting[]): PaletteItem[] {
  return exports.flatMap(({ name, formats }, at) =>
    Object.entries(formats()).map(
      ([format, make]): PaletteItem => ({
        key: `export ${at} ${format}`,
        kind: "export",
        label: `Export ${name.replaceAll("-", " ")} as ${format}`,
        hint: "saves a file",
        run: () => void saveExport(name, format, make),
      }),
    ),
  );
}

/** Applied in the current view if it takes filters, else in the list of sequences. */
export function filterItems(saved: readonly SavedFilter[], view: ViewName): PaletteItem[] {
  return saved.map(({ name, filter }) => ({
    ...{ key: `filter ${name}`, kind: "filter", label: name, hint: filter },
    move: {
      view: view === "tokens" ? view : "sequences",
      token: undefined,
      params: { filter },
    },
  }));
}

export function starItems(stars: readonly Star[]): PaletteItem[] {
  return stars.map(({ handle, note }) => ({
    ...{ key: `star ${handle}`, kind: "star", label: `★ ${handle}`, hint: note },
    run: () => {
      const sequences = table().peek();
      const move = sequences.state === "ready" ? moveToHandle(sequences.value, handle) : undefined;
      navigate(move ?? { view: "story" });
    },
  }));
}

export function promptItems({ prompts, found }: PromptMatches): PaletteItem[] {
  return prompts.map(({ prompt, sequence, sequences }, at) => ({
    ...{ key: `prompt ${sequence}`, kind: "prompt", label: prompt },
    hint:
      at === prompts.length - 1 && found > prompts.length
        ? `and ${formatCounted(found - prompts.length, "more prompt")}`
        : formatCounted(sequences, "sequence"),
    move: { view: "group", sequence, token: undefined },
  }));
}

/** The list has only the beginning of each prompt, so this asks SQL. Not with LIKE: % and _ would be wildcards. */
export function wholePromptsItem(text: string): PaletteItem {
  const sql = `SELECT handle, prompt FROM texts\nWHERE contains(lower(prompt), lower('${text.replaceAll("'", "''")}'))`;
  return {
    ...{ key: "whole prompts", kind: "command", label: `Search whole prompts for "${text}"`, hint: "SQL" },
    move: { view: "sql", token: undefined, params: { sql } },
  };
}
