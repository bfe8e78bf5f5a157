import { quoteForShell } from "../../../../../src/analysis/next-command.ts";

/** The command that prints this sequence, or this token of it, in a terminal. */
export function commandFor(file: string, handle: string, tokenizer: string | null): string {
  const flags = tokenizer === null ? [] : ["--tokenizer", quoteForShell(tokenizer)];
  return ["logratio show", quoteForShell(file), handle, ...flags].join(" ");
}
