import { parseRunInput } from "../../analyses/runs/index.ts";
import type { ReadOptions } from "../../input/ingest/index.ts";
import { type InputOptions, positiveInteger } from "./input-options.ts";

/** @throws UsageError when a flag's value makes no sense. */
export function toReadOptions({ batchTokens, ...options }: InputOptions): ReadOptions {
  return parseRunInput({
    ...options,
    ...(batchTokens !== undefined && { batchTokens: positiveInteger("--batch-tokens", batchTokens) }),
  });
}
