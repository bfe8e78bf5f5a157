import type { Command } from "commander";

export interface ForceOption {
  readonly force?: boolean;
}

/** Of every verb that writes files. */
export function addForceOption(command: Command): Command {
  return command.option(
    "--force",
    "replace a file that logratio did not write, or of another kind; inputs are never replaced",
  );
}
