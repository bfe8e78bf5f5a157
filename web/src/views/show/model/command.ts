import { shellCommand } from "../../../../../src/core/base/index.ts";

/**
 * The command that prints this sequence, or this token of it, in a terminal.
 *
 * @param paths the run's, as given to the viewer
 * @param flags the flags that say how to read it
 */
export function commandFor(
  paths: readonly string[],
  flags: readonly string[],
  handle: string,
  tokenizer: string | null,
): string {
  const spelled = tokenizer === null ? [] : ["--tokenizer", tokenizer];
  return shellCommand("show", [...paths, handle], [...flags, ...spelled]);
}
