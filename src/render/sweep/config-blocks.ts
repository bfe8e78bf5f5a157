/**
 * A correction as lines to paste.
 *
 * @module
 */
import { quoteForShell } from "../../core/base/index.ts";
import { plural } from "../../core/text/index.ts";
import type { SweepConfig } from "../../results/sweep.ts";
import type { Block } from "../document/document.ts";

/** Number of traps shown for a config that does not stand alone. */
export const MOST_TRAPS = 2;

/** A trainer's config, with its first traps. */
export function configBlock(
  { preset, place, language, text, traps }: SweepConfig,
  most = Number.POSITIVE_INFINITY,
): Block {
  const left = traps.length - most;
  return {
    kind: "code",
    title: preset,
    place,
    language: language === "flags" ? "sh" : language,
    text,
    traps: left > 0 ? [...traps.slice(0, most), `${plural(left, "more trap")}: --for ${preset}`] : traps,
  };
}

/**
 * The row as a flag: a correction that no trainer's config can express can still be applied, and swept again together
 * with others.
 */
export function flagBlock(text: string): Block {
  return {
    kind: "code",
    title: "logratio",
    place: "logratio correct, logratio sweep",
    language: "sh",
    text: `--correction ${quoteForShell(text)}`,
    traps: [],
  };
}
