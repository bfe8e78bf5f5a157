import type { LogSettings } from "../../analyses/runs/divergence-run.ts";
import type { FilterOptions } from "../../analyses/runs/filter-option.ts";
import { positiveInteger, UsageError } from "../../core/base/index.ts";
import type { ForceOption } from "./force-option.ts";
import type { InputOptions, PlaceOptions } from "./input-options.ts";

export interface DivergenceCommandOptions extends InputOptions, FilterOptions, ForceOption, PlaceOptions {
  readonly json?: boolean;
  readonly threshold?: string;
  readonly topK?: string;
  readonly context?: string;
  readonly promptChars?: string;
  readonly responseChars?: string;
  readonly tokenizer?: string;
  readonly out?: string;
  readonly every?: string;
  readonly iteration?: string;
  readonly rotate?: string;
  readonly rotateSize?: string;
  readonly lean?: boolean;
}

/** How the log is made, from flags. */
export function readLogSettings(options: DivergenceCommandOptions): LogSettings {
  const { threshold, topK, context, promptChars, responseChars, every, iteration, tokenizer } = options;
  return {
    ...(threshold !== undefined && { threshold: fraction("--threshold", threshold) }),
    ...(topK !== undefined && { topK: positiveInteger("--top-k", topK) }),
    ...(context !== undefined && { context: wholeNumber("--context", context) }),
    ...(promptChars !== undefined && { promptChars: chars("--prompt-chars", promptChars) }),
    ...(responseChars !== undefined && { responseChars: chars("--response-chars", responseChars) }),
    ...(every !== undefined && { every: positiveInteger("--every", every) }),
    ...(iteration !== undefined && { iteration: wholeNumber("--iteration", iteration) }),
    ...(tokenizer !== undefined && { tokenizer }),
  };
}

function fraction(flag: string, text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (!(value >= 0 && value <= 1))
    throw new UsageError(`${flag} must be a difference of probabilities, from 0 to 1, not "${text}"`);
  return value;
}

function wholeNumber(flag: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`${flag} must be a whole number, not "${text}"`);
  return Number(text);
}

function chars(flag: string, text: string): number | null {
  return text === "all" ? null : wholeNumber(flag, text);
}
