/**
 * Scripts that let a shell complete verbs, flags and their values. They are written from the verbs as commander has them, so
 * they know every flag that the help shows, and pressing Tab starts nothing.
 *
 * @module
 */
import type { Command } from "commander";
import { writeBash } from "./bash.ts";
import { type CommandLine, describeCommandLine } from "./describe.ts";
import { writeFish } from "./fish.ts";
import { writeZsh } from "./zsh.ts";

const WRITERS: Readonly<Record<string, (commandLine: CommandLine) => string>> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
};

/** @param shell one of `bash`, `zsh`, `fish` */
export function writeCompletions(shell: string, program: Command): string {
  return WRITERS[shell]!(describeCommandLine(program));
}
