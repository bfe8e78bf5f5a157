import { quoteForShell } from "../../../../../src/analysis/next-command.ts";
import type { SequenceMeta } from "../../../../../src/wire/index.ts";

/** The command that prints the most divergent tokens of this sequence's step, with their context. */
export function commandFor({ file, step }: Pick<SequenceMeta, "file" | "step">): string {
  return [
    "logratio divergence",
    quoteForShell(file),
    ...(step === null ? [] : ["--steps", String(step)]),
    "--threshold 0 --top-k 20",
  ].join(" ");
}
