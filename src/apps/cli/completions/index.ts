/**
 * Scripts that let a shell complete verbs, flags and their values. They are generated from commander's verbs, so they
 * include every flag that the help shows, and pressing Tab runs nothing.
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
