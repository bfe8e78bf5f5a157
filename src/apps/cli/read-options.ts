import type { FilterOptions } from "../../analyses/runs/filter-option.ts";
import { parseRunInput, type RunInput } from "../../analyses/runs/input-options.ts";
import { positiveInteger } from "../../core/base/index.ts";
import type { ReadOptions } from "../../ingest/index.ts";
import type { InputOptions } from "./input-options.ts";

/** The flags in the library's form, in the order they were given. @throws UsageError if a number is invalid. */
export function toRunInput<Options extends InputOptions & FilterOptions>(
  options: Options,
): Omit<Options, "batchTokens"> & RunInput {
  const { batchTokens } = options;
  return {
    ...options,
    ...(batchTokens !== undefined && { batchTokens: positiveInteger("--batch-tokens", batchTokens) }),
  } as Omit<Options, "batchTokens"> & RunInput;
}

/** @throws UsageError if a flag's value is invalid. */
export function toReadOptions(options: InputOptions): ReadOptions {
  return parseRunInput(toRunInput(options));
}
