import type { Command } from "commander";
import { IMPLIED_VERB } from "../implied-verb.ts";

/** What may follow a flag: nothing, a path, one of these words, or a text that no shell can know. */
export type Value = "none" | "path" | "text" | readonly string[];

export interface Flag {
  /** `--json`, and its short form if there is one. */
  readonly names: readonly string[];
  readonly meaning: string;
  readonly value: Value;
}

export interface Subject {
  readonly name: string;
  readonly meaning: string;
  readonly flags: readonly Flag[];
  /** What may be typed in place of a flag. */
  readonly argument: Value;
  /** Whether it is the verb of a command line without one. It comes last, so that scripts try the others first. */
  readonly isImplied: boolean;
}

/** A command line as completion scripts need it. */
export interface CommandLine {
  readonly flags: readonly Flag[];
  readonly verbs: readonly Subject[];
}

const HELP: Flag = { names: ["-h", "--help"], meaning: "display help for command", value: "none" };
/** How verbs name a path, in `<…>`. */
const PATHS = /\b(?:path|file|dir|config|part|source|root|study|log)s?\b/;

export function describeCommandLine(program: Command): CommandLine {
  const verbs = program.commands.map((command): Subject => {
    const values = command.registeredArguments.map((argument) =>
      chooseValue(argument.name(), argument.argChoices),
    );
    return {
      name: command.name(),
      meaning: command.summary(),
      flags: listFlags(command),
      // Of several arguments the shell completes the first that is a path: the longest to type.
      argument: values.find((value) => value === "path") ?? values[0] ?? "none",
      isImplied: command.name() === IMPLIED_VERB,
    };
  });
  const byOrder = verbs.toSorted((a, b) => Number(a.isImplied) - Number(b.isImplied));
  return { flags: listFlags(program), verbs: byOrder };
}

function listFlags({ options }: Command): Flag[] {
  return [
    ...options
      .filter(({ hidden }) => !hidden)
      .map((option) => {
        const [, named = ""] = /[<[]([^>]*)[>\]]/.exec(option.flags) ?? [];
        return {
          names: [option.short, option.long].filter((name) => name !== undefined),
          meaning: option.description,
          value: option.required || option.optional ? chooseValue(named, option.argChoices) : "none",
        };
      }),
    HELP,
  ];
}

function chooseValue(named: string, choices: readonly string[] | undefined): Value {
  return choices ?? (PATHS.test(named) ? "path" : "text");
}
