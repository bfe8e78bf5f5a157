import type { FilterOptions } from "../../analyses/runs/filter-option.ts";
import { parseRunInput, type RunInput } from "../../analyses/runs/input-options.ts";
import type { ReadOptions } from "../../ingest/index.ts";
import { type InputOptions, positiveInteger } from "./input-options.ts";

/** The flags as the library takes them, in the order in which they were given. @throws UsageError when a number is none. */
export function toRunInput<Options extends InputOptions & FilterOptions>(
  options: Options,
): Omit<Options, "batchTokens"> & RunInput {
  const { batchTokens } = options;
  return {
    ...options,
    ...(batchTokens !== undefined && { batchTokens: positiveInteger("--batch-tokens", batchTokens) }),
  } as Omit<Options, "batchTokens"> & RunInput;
}

/** @throws UsageError when a flag's value makes no sense. */
export function toReadOptions(options: InputOptions): ReadOptions {
  return parseRunInput(toRunInput(options));
}
