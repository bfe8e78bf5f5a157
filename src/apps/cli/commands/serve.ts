import { UsageError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { onNextInterrupt } from "../../../input/io/index.ts";
import { printable } from "../../../render/text/index.ts";
import { readAlertRules } from "../../alerts/alert-watch.ts";
import { type ServeOptions, type Serving, startServing } from "../../serve/start-serving.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { formatFailure, formatLine, formatWarning } from "../messages.ts";
import { parsePort } from "../parse-port.ts";
import type { Terminal } from "../terminal.ts";
import { untilAborted, untilInterrupted } from "../until-interrupted.ts";

export interface ServeCommandOptions {
  readonly port?: string;
  readonly host?: string;
  readonly allowHost?: readonly string[];
  readonly alerts?: string;
  readonly tokenizer?: string;
  readonly keepDays?: string;
  readonly keepSize?: string;
  readonly gather?: string;
  readonly maxBatch?: string;
  readonly buffer?: string;
}

const DAY_MS = 24 * 3600 * 1000;
const UNITS: Readonly<Record<string, number>> = { kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** Serves until it is interrupted, then stops accepting batches and makes durable what it has. */
export async function serve(
  directory: string,
  options: ServeCommandOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const wanted = readServeOptions(directory, options);
  return untilInterrupted(async (signal) => {
    const rules = options.alerts === undefined ? undefined : await readAlertRules(options.alerts);
    const tell = (message: string): void => terminal.err(formatLine(message));
    const server = await startServing({
      ...wanted,
      alerts: rules && { rules, tell },
      onNotice: (message) => terminal.err(formatWarning(printable(message), terminal)),
      onError: (error) => terminal.err(formatFailure(error, terminal)),
    });
    terminal.out(`${server.url}\n`);
    terminal.err(
      formatLine(
        `${plural(server.runs, "run")} in ${directory}; recorders: logratio.init(url="${server.url.slice(0, -1)}", name=…)`,
      ),
    );
    if (wanted.token === undefined)
      terminal.err("every user of this machine may read and write; set LOGRATIO_TOKEN to prevent that\n");
    await untilAborted(signal);
    return finish(server, terminal);
  });
}

/** Stops accepting batches and moves the log into the record, until a second signal. */
async function finish(server: Serving, terminal: Terminal): Promise<ExitStatus> {
  const secondSignal = new AbortController();
  const forget = onNextInterrupt(() => secondSignal.abort());
  try {
    if (server.waiting > 0)
      terminal.err(
        "adding the batches that wait to the record; a second signal leaves them in the log for the next start\n",
      );
    const left = await server.close(secondSignal.signal);
    for (const { run, batches } of left)
      terminal.err(
        formatWarning(
          printable(
            `${run}: ${plural(batches, "batch", "batches")} ${batches === 1 ? "is" : "are"} not in the record and ${batches === 1 ? "stays" : "stay"} in its log: start logratio serve again to add ${batches === 1 ? "it" : "them"}`,
          ),
          terminal,
        ),
      );
    return left.length === 0 ? EXIT.fine : EXIT.skipped;
  } finally {
    forget();
  }
}

function readServeOptions(
  directory: string,
  { port, host, allowHost, tokenizer, keepDays, keepSize, gather, maxBatch, buffer }: ServeCommandOptions,
): Omit<ServeOptions, "onNotice" | "onError" | "alerts"> {
  const token = process.env.LOGRATIO_TOKEN;
  return {
    directory,
    host,
    port: port === undefined ? undefined : parsePort(port),
    token: token === undefined || token === "" ? undefined : token,
    allowedHosts: allowHost ?? [],
    bufferBytes: parseSize("--buffer", buffer),
    segmentAgeMs: parseAbove("--gather", gather, 1000),
    batchBytes: parseSize("--max-batch", maxBatch),
    retention: {
      ageMs: parseAbove("--keep-days", keepDays, DAY_MS),
      bytes: parseSize("--keep-size", keepSize),
    },
    viewFlags: tokenizer === undefined ? [] : ["--tokenizer", tokenizer],
  };
}

/** Returns a smaller unit, `scale` of which make up one. */
function parseAbove(flag: string, text: string | undefined, scale: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && value > 0 && value * scale < Number.MAX_SAFE_INTEGER) return value * scale;
  throw new UsageError(`${flag} must be a number above 0, not "${text}"`);
}

function parseSize(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number, unit = "b"] = /^(\d+(?:\.\d+)?)\s*([kmgt]?b)?$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(number) * (UNITS[unit.toLowerCase()] ?? 1));
  if (number !== undefined && bytes > 0) return bytes;
  throw new UsageError(`${flag} must be a size such as 500MB or 2TB, not "${text}"`);
}
