import { inputWasSkipped } from "../../../analyses/report/index.ts";
import { isLogratioError, type LogratioError, UsageError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { openOutputs, openRun } from "../../../input/ingest/index.ts";
import { onInterrupt } from "../../../input/io/index.ts";
import type { RunComparison } from "../../../results/index.ts";
import { writeBundle } from "../../viewer/bundle/index.ts";
import { compareRuns } from "../../viewer/compare/index.ts";
import { isStudy } from "../../viewer/kl/index.ts";
import { followRun, type PreparedRun, type PrepareOptions, prepareRun } from "../../viewer/prepare/index.ts";
import { startViewServer, type ViewServer } from "../../viewer/server/index.ts";
import { announceServer } from "../announce-server.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import { openTruth } from "../ground-truth.ts";
import type { InputOptions } from "../input-options.ts";
import { formatFailure, formatWarning, printableLines, tellFindings, writtenLine } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { inputFlags } from "../read-run.ts";
import { servePolicy } from "../serve-policy.ts";
import { serveStudy } from "../serve-study.ts";
import type { Terminal } from "../terminal.ts";
import { untilAborted } from "../until-interrupted.ts";
import { tellAlarms } from "./tell-alarms.ts";

export interface ViewOptions extends InputOptions, ForceOption {
  readonly tokenizer?: string;
  readonly truth?: string;
  readonly port?: string;
  readonly host?: string;
  /** False with --no-token. */
  readonly token?: boolean;
  /** False with --no-open. */
  readonly open?: boolean;
  readonly follow?: boolean;
  readonly embed?: boolean;
  readonly redact?: string;
  readonly cache?: string;
  readonly bundle?: string;
  /** Paths of another run. */
  readonly compare?: readonly string[];
  readonly compareTokenizer?: string;
}

const VIEW_FLAGS = [
  "tokenizer",
  "truth",
  "port",
  "host",
  "token",
  "open",
  "follow",
  "embed",
  "redact",
  "cache",
  "bundle",
  "force",
  "compare",
  "compareTokenizer",
];

/** Prepares a run and serves the viewer until it is interrupted; or writes the viewer as files. */
export async function view(
  paths: readonly string[],
  options: ViewOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const port = options.port === undefined ? undefined : parsePort(options.port);
  if (options.redact !== undefined && options.redact !== "text")
    throw new UsageError(`--redact ${options.redact}: only text can be redacted`);
  if (options.truth !== undefined && (options.tokenizer === undefined || options.redact !== undefined))
    throw new UsageError("--truth needs a tokenizer, and cannot be combined with --redact", {
      hint: "add --tokenizer DIR and leave out --redact",
    });
  if (options.follow && paths.includes("-"))
    throw new UsageError("--follow needs files: standard input is read once");
  if (options.follow && options.bundle !== undefined)
    throw new UsageError("--follow and --bundle cannot be combined: a bundle does not change", {
      hint: "leave out --follow to write the run as it is now",
    });
  if (options.embed && options.bundle !== undefined)
    throw new UsageError("--embed and --bundle cannot be combined: a bundle is not served by logratio");
  if (options.embed && options.token === false)
    throw new UsageError("--embed and --no-token cannot be combined: any site could frame the page");
  if (options.embed && [...paths, ...(options.compare ?? [])].includes("-"))
    throw new UsageError("--embed ends with standard input: it cannot be the run too");
  checkCompare(paths, options);
  const stop = new AbortController();
  const endListening = onInterrupt(() => {
    stop.abort();
    // Whoever waits for more of it waits until its writer ends, which may be never.
    if ([...paths, ...(options.compare ?? [])].includes("-")) process.stdin.destroy();
  });
  // Whoever embeds it may be killed, and then stops nothing; what it held open closes by itself.
  if (options.embed)
    process.stdin
      .resume()
      .once("end", () => stop.abort())
      .once("error", () => stop.abort());
  try {
    await checkPlaces(paths, options);
    const { redact: _, ...rest } = options;
    const wanted: ViewOptions & { readonly redact?: "text" } = {
      ...rest,
      ...(options.redact === "text" && { redact: "text" }),
    };
    const [path] = paths;
    if (paths.length === 1 && path !== undefined && isStudy(path)) {
      const { host, token, open = true, embed, cache, redact, bundle } = wanted;
      const forRuns = inputFlags(options, [
        "port",
        "host",
        "token",
        "open",
        "embed",
        "cache",
        "redact",
        "bundle",
        "force",
      ]);
      const study = { port, host, token, open, embed, cache, redact, bundle, forRuns, signal: stop.signal };
      return await serveStudy(path, study, terminal);
    }
    if (options.follow) return await serveFollowing(paths, wanted, port, terminal, stop.signal);
    const run = await prepareAll(paths, wanted, terminal, stop.signal).catch((error: unknown) => {
      // Files with one policy's log-probs have pages of their own; what was piped in is read already.
      if (isLogratioError(error, "MissingSideError") && !paths.includes("-")) return error;
      throw error;
    });
    if (isLogratioError(run, "MissingSideError"))
      return await serveOnePolicy(paths, wanted, { port, missing: run, signal: stop.signal }, terminal);
    if (run === undefined) return EXIT.interrupted;
    if (options.bundle !== undefined) return await bundle(run, options.bundle, terminal);
    return await serve(run, wanted, port, terminal, stop.signal);
  } finally {
    endListening();
    // An open pipe would keep the process alive.
    if (options.embed) process.stdin.destroy();
  }
}

/** What the pages of one policy have no use for. */
const COMPARING_FLAGS = ["bundle", "compare", "truth", "cache", "embed"] as const;

/** @throws MissingSideError the one that is given, where no file has one policy's log-probs either */
async function serveOnePolicy(
  paths: readonly string[],
  options: Wanted,
  asked: { readonly port: number | undefined; readonly missing: LogratioError; readonly signal: AbortSignal },
  terminal: Terminal,
): Promise<ExitStatus> {
  const { port, missing, signal } = asked;
  const { host, token, open, tokenizer, redact } = options;
  const read = toReadOptions(options);
  const run = await openRun(paths, { ...read, onePolicy: true });
  if (run.onePolicy === undefined) throw missing;
  return servePolicy(
    paths,
    {
      ...{ read, tokenizer, redact, open, signal },
      flags: inputFlags(options, VIEW_FLAGS),
      unfit: COMPARING_FLAGS.filter((flag) => options[flag] !== undefined).map((flag) => `--${flag}`),
      server: {
        ...(port !== undefined && { port }),
        ...(host !== undefined && { host }),
        ...(token !== undefined && { token }),
      },
    },
    terminal,
  );
}

/** Where the bundle and the cache go, before anything is read. */
async function checkPlaces(
  paths: readonly string[],
  { bundle, cache, compare = [], tokenizer, compareTokenizer, truth, force }: ViewOptions,
): Promise<void> {
  const more = [tokenizer, compareTokenizer, truth].filter((path) => path !== undefined);
  const outputs = await openOutputs({ inputs: [...paths, ...compare, ...more], force });
  if (cache !== undefined) await outputs.directory("--cache", cache, "cache");
  if (bundle === undefined) return;
  if (bundle.endsWith(".zip")) await outputs.file("--bundle", bundle, "bundle");
  else await outputs.directory("--bundle", bundle, "bundle");
}

type Wanted = ViewOptions & { readonly redact?: "text" };

function prepareOptions(options: Wanted): PrepareOptions {
  const { tokenizer, truth, redact, cache } = options;
  return {
    read: toReadOptions(options),
    flags: inputFlags(options, VIEW_FLAGS),
    ...(tokenizer !== undefined && { tokenizer }),
    ...(truth !== undefined && { truth: { name: truth, open: () => openTruth(truth) } }),
    ...(redact !== undefined && { redact }),
    ...(cache !== undefined && { cache }),
  };
}

/** Undefined when it was interrupted: nothing of it is kept then. */
async function prepare(
  paths: readonly string[],
  options: Wanted,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<PreparedRun | undefined> {
  const progress = createProgress(terminal);
  try {
    const run = await prepareRun(paths, {
      ...prepareOptions(options),
      onNotice: (message) => terminal.err(formatWarning(message, terminal)),
      signal,
      onProgress: progress.update,
    });
    progress.end();
    tellFindings(run.info.findings, terminal);
    return run;
  } catch (error) {
    progress.end();
    if (!signal.aborted) throw error;
    terminal.err("interrupted\n");
    return undefined;
  }
}

/** The run, and where another is named with it that one too and how they differ. */
async function prepareAll(
  paths: readonly string[],
  options: Wanted,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<PreparedRun | undefined> {
  const run = await prepare(paths, options, terminal, signal);
  if (run === undefined || options.compare === undefined) return run;
  const { compareTokenizer: tokenizer = options.tokenizer, ...rest } = options;
  const wanted = { ...rest, ...(tokenizer !== undefined && { tokenizer }) };
  const open = [run];
  try {
    const other = await prepare(options.compare, wanted, terminal, signal);
    if (other !== undefined) {
      open.push(other);
      const compared = await compareRuns(run, other, signal);
      tellWarnings(compared, terminal);
      return compared;
    }
  } catch (error) {
    await Promise.all(open.map((one) => one.close()));
    if (!signal.aborted) throw error;
    terminal.err("interrupted\n");
    return undefined;
  }
  await run.close();
  return undefined;
}

function checkCompare(paths: readonly string[], { compare, compareTokenizer, follow }: ViewOptions): void {
  if (compare === undefined) {
    if (compareTokenizer === undefined) return;
    throw new UsageError("--compare-tokenizer needs --compare", {
      hint: "add --compare PATH",
    });
  }
  if (follow)
    throw new UsageError(
      "--follow and --compare cannot be combined: matching sequences needs two finished runs",
      { hint: "leave out --follow to compare the runs as they are now, or follow each in its own viewer" },
    );
  if (paths.includes("-") && compare.includes("-"))
    throw new UsageError("standard input can be read only once: it cannot be both runs");
}

function tellWarnings({ compared }: PreparedRun, terminal: Terminal): void {
  const { warnings } = JSON.parse(Buffer.from(compared!.comparison).toString()) as RunComparison;
  for (const { severity, what, follows } of warnings)
    terminal.err(printableLines(`${severity}: ${what} ${follows}\n`));
}

async function bundle(run: PreparedRun, directory: string, terminal: Terminal): Promise<ExitStatus> {
  try {
    terminal.err(writtenLine(directory, await writeBundle(run, directory, { replace: true })));
    terminal.err(
      "serve it with any web server; exact figures while dragging thresholds need logratio view\n",
    );
    return chooseStatus(run);
  } finally {
    await run.close();
  }
}

/** As after `report`: 4 when inputs were left out. */
function chooseStatus({ info, compared }: PreparedRun): ExitStatus {
  const findings = [...info.findings, ...(compared?.other.info.findings ?? [])];
  return inputWasSkipped(findings) ? EXIT.skipped : EXIT.fine;
}

/** Until it is interrupted, which is how a server ends, so the status says nothing of it. */
async function serve(
  run: PreparedRun,
  options: Wanted,
  port: number | undefined,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const server = await start(run, options, port, terminal);
  try {
    await untilAborted(signal);
    return EXIT.fine;
  } finally {
    await server.close();
    terminal.err("\n");
  }
}

/** Wrong usage is told before anything is served. */
const SERVED_AFTER_MS = 500;

/** Serves from the beginning: a page that waits for the first step shows it when it is there. */
async function serveFollowing(
  paths: readonly string[],
  options: Wanted,
  port: number | undefined,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitStatus> {
  let server: Promise<ViewServer> | undefined;
  let shown: number | undefined;
  /** Findings, which are of the whole run each time. */
  const told = new Set<string>();
  const alarmed = new Set<string>();
  const broken = new AbortController();
  const fail = (error: unknown): void => broken.abort(error);
  const both = AbortSignal.any([signal, broken.signal]);
  const serving = (shown: PreparedRun | readonly string[]): Promise<ViewServer> => {
    server ??= start(shown, options, port, terminal);
    server.catch(fail);
    return server;
  };
  const later = setTimeout(() => void serving(paths).catch(() => {}), SERVED_AFTER_MS);
  const progress = createProgress(terminal);
  try {
    await followRun(
      paths,
      {
        ...prepareOptions(options),
        onProgress: progress.update,
        onNotice: (message) => terminal.err(formatWarning(message, terminal)),
      },
      {
        signal: both,
        onRun(run, anew) {
          progress.end();
          const { sequences, findings } = run.info;
          if (shown !== undefined && sequences !== shown)
            terminal.err(`now ${plural(sequences, "sequence")}\n`);
          shown = sequences;
          tellFindings(findings, terminal, told);
          const isFirst = server === undefined;
          const next = serving(run).then(async (running) => {
            if (!isFirst) await running.update(run, anew);
            // Before the next state of the run closes this one.
            await tellAlarms(run, terminal, alarmed);
            return running;
          });
          next.catch(fail);
          server = next;
        },
        onWaiting(error) {
          progress.end();
          terminal.err(`waiting: ${error.message}\n`);
          const why = formatReason(error);
          void serving(paths).then(
            (running) => running.wait(why),
            () => {},
          );
        },
        onRebuild(why) {
          terminal.err(`reading everything again: ${why}\n`);
        },
      },
    );
    if (broken.signal.aborted) throw broken.signal.reason;
    return EXIT.fine;
  } finally {
    clearTimeout(later);
    progress.end();
    await server?.then(
      (running) => running.close(),
      () => {},
    );
  }
}

/** For the page: what is wrong and what is likely, in one line. */
function formatReason(error: Error): string {
  const { likely } = error as { readonly likely?: string };
  return likely === undefined ? error.message : `${error.message}: ${likely}`;
}

async function start(
  run: PreparedRun | readonly string[],
  options: Wanted,
  port: number | undefined,
  terminal: Terminal,
): Promise<ViewServer> {
  const server = await startViewServer(run, {
    ...(port !== undefined && { port }),
    ...(options.host !== undefined && { host: options.host }),
    ...(options.token !== undefined && { token: options.token }),
    ...(options.embed !== undefined && { embed: options.embed }),
    following: options.follow === true,
    onError: (error) => terminal.err(formatFailure(error, terminal)),
  }).catch(async (error: unknown) => {
    if ("info" in run) await run.close();
    throw error;
  });
  await announceServer(server, options, terminal);
  return server;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port must be a number from 0 to 65535, not "${text}"`);
}
