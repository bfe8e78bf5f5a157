import { isLogratioError } from "../base/errors.ts";
import { EXIT, exitStatusOf } from "./exit-status.ts";
import { formatBug, formatError } from "./messages.ts";
import { buildProgram } from "./program.ts";
import { openTerminal } from "./terminal.ts";

// A reader that closes the pipe early (`| head`) has what it wanted; files that are being written have not.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") throw error;
});

try {
  process.exitCode = await buildProgram(process.argv.slice(2));
} catch (error) {
  const terminal = openTerminal();
  if (isLogratioError(error)) {
    terminal.err(formatError(error, terminal));
    process.exitCode = exitStatusOf(error._tag);
  } else {
    terminal.err(formatBug(error, terminal));
    if (process.env.LOGRATIO_DEBUG && error instanceof Error) terminal.err(`${error.stack}\n`);
    process.exitCode = EXIT.unreadable;
  }
}
