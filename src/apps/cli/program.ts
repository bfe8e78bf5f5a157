/**
 * Verbs (`verbs/`, data) turned into commander's commands:
 *
 *     argv ─► its verb, or report ─► commander ─► the verb it names ─► verb.run ─► import("commands/…") ─► exit status
 *                 └─ --help, --version, wrong flags: said by commander, exit status 0 or 2
 *
 * @module
 */
import { existsSync } from "node:fs";
import { Argument, Command, CommanderError, Option } from "commander";
import { setDuckdbAllocator } from "./duckdb-allocator.ts";
import { EXIT, type ExitStatus } from "./exit-status.ts";
import { implyVerb } from "./implied-verb.ts";
import { formatLine } from "./messages.ts";
import { packageVersion } from "./package-version.ts";
import { formatProgramHelp } from "./program-help.ts";
import { writeMessage, writeOutput } from "./standard-streams.ts";
import { type ColorChoice, openTerminal, setColor } from "./terminal.ts";
import { formatExamples, VERBS, type Verb } from "./verbs/index.ts";

const NAMES = [...VERBS.map(({ name }) => name), "help"];

/** Parses the command line, runs the verb, returns the exit status. */
export async function runCommandLine(given: readonly string[]): Promise<ExitStatus> {
  const { argv, note } = implyVerb(given, NAMES, existsSync);
  if (note !== undefined) writeMessage(formatLine(note));
  let status: ExitStatus = EXIT.fine;
  const program = buildProgram(async (verb, command) => {
    setColor(colorChoice(program.opts().color as unknown));
    const terminal = openTerminal();
    setDuckdbAllocator();
    const { setV8Flags } = await import("./v8-flags.ts");
    const running = verb.run(command.processedArgs, command.opts(), terminal, program);
    // By then the verb has loaded its modules but not started work.
    setImmediate(() => setV8Flags(verb));
    status = await running;
  }, selectVerbs(argv));
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    // commander has already reported the error, or printed the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    throw error;
  }
  return status;
}

/** Verbs whose flags this command line may need: building those of all takes longer than parsing it. */
function selectVerbs(argv: readonly string[]): readonly Verb[] {
  const named = VERBS.filter(({ name }) => argv.includes(name));
  // Completions list the flags of all verbs.
  return named.some(({ name }) => name === "completions") ? VERBS : named;
}

/**
 * @param run called with the verb of the command line, once its flags are parsed
 * @param withFlags the verbs that get their flags; the others get only names and summaries
 */
export function buildProgram(
  run: (verb: Verb, command: Command) => Promise<void>,
  withFlags: readonly Verb[] = VERBS,
): Command {
  const program = new Command("logratio")
    .configureOutput({
      writeOut: writeOutput,
      writeErr: writeMessage,
      // Quotes arguments, which may be names of files. Of the line breaks only that of a suggestion is commander's.
      outputError: (text, write) =>
        write(formatLine(text.trimEnd().replace(/\n(?=\(Did you mean .*\)$)/, " "))),
    })
    .description("where, why and by how much two language-model policies disagree, token by token")
    .version(packageVersion(), "-V, --version")
    .addOption(
      new Option("--color <when>", "color the output").choices(["auto", "always", "never"]).default("auto"),
    )
    .addOption(new Option("--no-color", "the same as --color never").hideHelp())
    .showHelpAfterError("(see --help)")
    // Without this, commander ends the process itself before output to a pipe is complete.
    .exitOverride();
  program.helpInformation = formatProgramHelp;
  for (const verb of VERBS) {
    // `command()` copies exitOverride and configureOutput from the program, so both must be set before this.
    const command = program.command(verb.name).summary(verb.summary).description(verb.description);
    if (verb.usage !== undefined) command.usage(verb.usage);
    if (withFlags.includes(verb)) completeVerb(command, verb, run);
  }
  return program;
}

function completeVerb(
  command: Command,
  verb: Verb,
  run: (verb: Verb, command: Command) => Promise<void>,
): void {
  for (const { syntax, meaning, choices } of verb.arguments) {
    const argument = new Argument(syntax, meaning);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  verb.addOptions?.(command);
  command.addHelpText("after", formatExamples(verb.examples)).action(() => run(verb, command));
}

function colorChoice(value: unknown): ColorChoice {
  if (value === false) return "never";
  return value === "always" || value === "never" ? value : "auto";
}
