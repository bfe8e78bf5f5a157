import type { Command } from "commander";
import type { ExitStatus } from "../exit-status.ts";
import type { Terminal } from "../terminal.ts";

export interface VerbArgument {
  /** `<path...>` is required, `[path...]` is not. */
  readonly syntax: string;
  readonly meaning: string;
  /** All that it may be, where that is known; anything else is wrong usage. */
  readonly choices?: readonly string[];
}

export interface VerbExample {
  readonly line: string;
  readonly shows: string;
}

/**
 * A verb of the command line as data: what `program.ts` tells commander, and what the tests read.
 *
 * @typeParam Given the values of `arguments`, one element each
 */
export interface Verb<Given extends readonly unknown[] = readonly unknown[], Options = unknown> {
  readonly name: string;
  /** Its words in `logratio --help`, which has one line for it, and behind Tab. */
  readonly summary: string;
  /** The sentence above its own help. */
  readonly description: string;
  /** In place of commander's own usage line. */
  readonly usage?: string;
  readonly arguments: readonly VerbArgument[];
  readonly examples: readonly VerbExample[];
  /** Its loops over tokens are TypeScript's, not a kernel's: V8 should inline what they call. */
  readonly plainLoops?: true;
  /** Absent where the verb has no flags. */
  addOptions?(command: Command): Command;
  /**
   * Imports its command only here: `logratio --version` must not pay for DuckDB and ONNX.
   *
   * @param program the whole command line, for what is said of it
   */
  run(given: Given, options: Options, terminal: Terminal, program: Command): Promise<ExitStatus>;
}

/** Column at which what an example shows begins, unless the example itself is longer. */
const SHOWS_AT = 45;

export function formatExamples(examples: readonly VerbExample[]): string {
  const lines = examples.map(({ line, shows }) => `  ${line.padEnd(SHOWS_AT)}  ${shows}`);
  return `\nExamples:\n${lines.join("\n")}`;
}
