import { Command } from "commander";
import type { ExitStatus } from "../exit-status.ts";
import type { Terminal } from "../terminal.ts";

export interface VerbArgument {
  /** `<path...>` is required, `[path...]` is not. */
  readonly syntax: string;
  readonly meaning: string;
  /** Its possible values, if known; anything else is a usage error. */
  readonly choices?: readonly string[];
}

export interface VerbExample {
  readonly line: string;
  readonly shows: string;
}

/**
 * A verb of the command line as data: what `program.ts` passes to commander, and what the tests read.
 *
 * @typeParam Given the values of `arguments`, one element each
 */
export interface Verb<Given extends readonly unknown[] = readonly unknown[], Options = unknown> {
  readonly name: string;
  /** Its words in `logratio --help`, on a single line, and in completions. */
  readonly summary: string;
  /** The sentence above the verb's own help. */
  readonly description: string;
  /** Replaces commander's own usage line. */
  readonly usage?: string;
  readonly arguments: readonly VerbArgument[];
  readonly examples: readonly VerbExample[];
  /** Whether its loops over tokens are in TypeScript, not in a kernel: V8 should inline what they call. */
  readonly plainLoops?: true;
  /** Absent if the verb has no flags. */
  addOptions?(command: Command): Command;
  /**
   * Imports its command only here: `logratio --version` must not load DuckDB and ONNX.
   *
   * @param program the whole command line, for verbs that describe it
   */
  run(given: Given, options: Options, terminal: Terminal, program: Command): Promise<ExitStatus>;
}

/** What help says of a flag, for other interfaces that take it. @throws Error if the verb has no such flag */
export function flagMeaning({ name, addOptions }: Pick<Verb, "name" | "addOptions">, flag: string): string {
  const options = addOptions?.(new Command()).options ?? [];
  const found = options.find(({ long }) => long === flag);
  if (found === undefined) throw new Error(`${name} has no ${flag}`);
  return found.description;
}

/** Column at which the description of an example begins, unless the example itself is longer. */
const SHOWS_AT = 45;

export function formatExamples(examples: readonly VerbExample[]): string {
  const lines = examples.map(({ line, shows }) => `  ${line.padEnd(SHOWS_AT)}  ${shows}`);
  return `\nExamples:\n${lines.join("\n")}`;
}
