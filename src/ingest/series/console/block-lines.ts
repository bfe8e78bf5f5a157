/**
 * NeMo-RL's results of a step: a heading with the step, and below it a list (nemo_rl/algorithms/grpo.py).
 *
 * @module
 */
import type { ConsoleLine } from "./clean-lines.ts";
import { type ConsoleEntries, type ConsoleEntry, readPrinted } from "./entry.ts";

const STEP = /={5,}\s*Step (\d+)\/\d+\s*={5,}/;
const HEADING = /(Training|Validation) Results:\s*$/;
const ITEM = /^\s*[•*]\s+([^:]+):\s+([+-]?(?:\d[\d.]*(?:e[+-]?\d+)?|nan|inf))(?:\s?[A-Za-z%]\S*)?\s*$/i;

export function readBlocks(lines: readonly ConsoleLine[]): ConsoleEntries {
  const entries: ConsoleEntry[] = [];
  let step: number | undefined;
  for (let at = 0; at < lines.length; at++) {
    const { text, line } = lines[at]!;
    const heading = STEP.exec(text);
    if (heading !== null) step = Number(heading[1]);
    const [, part] = HEADING.exec(text) ?? [];
    if (part === undefined) continue;
    const prefix = part === "Training" ? "" : "validation/";
    const items = listItems(lines, at + 1);
    if (items.length > 0)
      entries.push({
        step,
        values: items.map(([name, value]) => [prefix + name, value]),
        line,
        joined: 0,
        cut: undefined,
      });
  }
  return { entries, strays: [] };
}

/** The items below a heading; blank lines may stand between. */
function listItems(lines: readonly ConsoleLine[], from: number): (readonly [string, number])[] {
  const items: (readonly [string, number])[] = [];
  for (const { text } of lines.slice(from, from + MOST_ITEMS)) {
    if (text.trim() === "") continue;
    const [, name, printed] = ITEM.exec(text) ?? [];
    const value = printed === undefined ? undefined : readPrinted(printed);
    if (name === undefined || value === undefined) break;
    items.push([name.trim(), value]);
  }
  return items;
}

const MOST_ITEMS = 100;
