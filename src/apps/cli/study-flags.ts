import type { Command } from "commander";
import { type FlagTable, flagOf, JUDGING_FLAGS, SCORING_FLAGS } from "../../study/flags.ts";
import { collect } from "./collect.ts";
import { addForceOption } from "./force-option.ts";

/** Adds flags that are declared in `study/flags.ts`. */
export function addStudyFlags(command: Command, table: FlagTable): Command {
  for (const [name, { as, takes, meaning }] of Object.entries(table)) {
    const syntax = [flagOf(name), ...(takes === undefined ? [] : [takes])].join(" ");
    if (as === "texts" || as === "named") command.option(syntax, meaning, collect);
    else command.option(syntax, meaning);
  }
  return command;
}

/** How texts are scored, and into which directory. */
export function addScoringOptions(command: Command): Command {
  return addStudyFlags(addForceOption(command), SCORING_FLAGS);
}

/** How the tokens of scored texts are judged. */
export function addJudgingOptions(command: Command): Command {
  return addStudyFlags(command, JUDGING_FLAGS);
}
