import {
  fileSystemError,
  foreseenError,
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
  const error = recognizeMissingLibrary(thrown) ?? foreseenError(thrown);
  if (error !== undefined) {
    fail(error);
    return;
  }
  const terminal = openTerminal();
  terminal.err(formatBug(thrown, terminal));
  if (process.env.LOGRATIO_DEBUG && thrown instanceof Error)
    terminal.err(`  ${printableLines(thrown.stack ?? "")}\n`);
  process.exitCode = EXIT.unreadable;
}

/** If nothing can settle the promise it waits for, Node ends a process as if it had succeeded. */
function failUnsettled(): void {
  failOn(new Error("the command waits for something that cannot happen any more"));
}

// Not awaited: the bundle is CommonJS, in which a module cannot await.
process.once("beforeExit", failUnsettled);
// Errors of promises or emitters without a listener: Node would print its own words and stack.
for (const event of ["uncaughtException", "unhandledRejection"])
  process.on(event, (thrown: unknown) => {
    failOn(thrown);
    process.exit();
  });
runCommandLine(process.argv.slice(2))
  .then((status) => {
    process.exitCode = status;
  }, failOn)
  .finally(() => process.off("beforeExit", failUnsettled));
