import { type FilterOptions, parseRunInput, type RunInput } from "../../analyses/runs/index.ts";
import type { ReadOptions } from "../../input/ingest/index.ts";
import { type InputOptions, positiveInteger } from "./input-options.ts";

/** The flags as the library takes them. @throws UsageError when a number is none. */
export function toRunInput({
  batchTokens,
  ...options
}: InputOptions & FilterOptions): RunInput & FilterOptions {
  return {
    ...options,
    ...(batchTokens !== undefined && { batchTokens: positiveInteger("--batch-tokens", batchTokens) }),
  };
}

/** @throws UsageError when a flag's value makes no sense. */
export function toReadOptions(options: InputOptions): ReadOptions {
  return parseRunInput(toRunInput(options));
}
