import type { Command } from "commander";

export interface ForceOption {
  readonly force?: boolean;
}

/** Added to every verb that writes files. */
export function addForceOption(command: Command): Command {
  return command.option(
    "--force",
    "replace the output even if it was not written by logratio; inputs are never replaced",
  );
}
