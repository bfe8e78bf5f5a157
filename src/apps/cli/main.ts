import {
  fileSystemError,
  isLogratioError,
  isSystemError,
  type LogratioError,
  recognizeMissingLibrary,
} from "../../core/base/index.ts";
import { chooseExitStatus, EXIT } from "./exit-status.ts";
import { formatBug, formatError, printableLines } from "./messages.ts";
import { runCommandLine } from "./program.ts";
import { listenForClosedPipes } from "./standard-streams.ts";
import { openTerminal } from "./terminal.ts";

function fail(error: LogratioError): void {
  const terminal = openTerminal();
  terminal.err(formatError(error, terminal));
  process.exitCode = chooseExitStatus(error._tag);
}

listenForClosedPipes((error) => {
  fail(fileSystemError(error, "write", { file: "standard output" }));
  process.exit();
});

function failOn(thrown: unknown): void {
  const error = recognizeMissingLibrary(thrown) ?? thrown;
  if (isLogratioError(error)) fail(error);
  else if (isSystemError(error)) {
    // Nobody said which file it was about; the system did.
    fail(fileSystemError(error, "read or write", { file: error.path ?? "a file" }));
  } else {
    const terminal = openTerminal();
    terminal.err(formatBug(error, terminal));
    if (process.env.LOGRATIO_DEBUG && error instanceof Error)
      terminal.err(`  ${printableLines(error.stack ?? "")}\n`);
    process.exitCode = EXIT.unreadable;
  }
}

/** Node ends a process, as if all were well, when nothing can settle the promise that it waits for. */
function failUnsettled(): void {
  failOn(new Error("the command waits for something that cannot happen any more"));
}

// Not awaited: as CommonJS, which the bundle is, a module cannot wait.
process.once("beforeExit", failUnsettled);
runCommandLine(process.argv.slice(2))
  .then((status) => {
    process.exitCode = status;
  }, failOn)
  .finally(() => process.off("beforeExit", failUnsettled));
