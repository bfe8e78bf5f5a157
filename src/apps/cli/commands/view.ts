import { statSync } from "node:fs";
import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { isLogratioError, type LogratioError } from "../../../core/base/index.ts";
import { FindingLog } from "../../../core/schema/index.ts";
import { findSeriesFiles, openRun } from "../../../ingest/index.ts";
import { onInterrupt } from "../../../input/io/index.ts";
import { writeBundle } from "../../viewer/bundle/write-bundle.ts";
import { isStudy } from "../../viewer/kl/prepare-study.ts";
import { readLoggedMetrics } from "../../viewer/logged/read-logged-metrics.ts";
import type { PreparedRun } from "../../viewer/prepare/cache/prepared-run.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import { writtenLine } from "../messages.ts";
import { prepareAll } from "../prepare-view.ts";
import { toReadOptions } from "../read-options.ts";
import { inputFlags } from "../read-run.ts";
import { servePolicy } from "../serve-policy.ts";
import { EarlyServer, serveFollowing, serveRun } from "../serve-run.ts";
import { serveStudy } from "../serve-study.ts";
import type { Terminal } from "../terminal.ts";
import {
  checkPlaces,
  checkViewOptions,
  listComparedPaths,
  VIEW_FLAGS,
  type ViewOptions,
  type Wanted,
} from "../view-options.ts";

export type { ViewOptions } from "../view-options.ts";

/** Prepares a run and serves the viewer until it is interrupted; or writes the viewer as files. */
export async function view(
  paths: readonly string[],
  options: ViewOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const wanted = checkViewOptions(paths, options);
  const stop = new AbortController();
  const endListening = listenForEnd(paths, wanted, stop);
  try {
    await checkPlaces(paths, wanted);
    const [path] = paths;
    if (paths.length === 1 && path !== undefined && isStudy(path))
      return await viewStudy(path, wanted, terminal, stop.signal);
    const dumps = await leaveOutLogged(paths);
    if (wanted.follow) return await serveFollowing(dumps, wanted, terminal, stop.signal);
    return await viewRun(dumps, wanted, terminal, stop.signal);
  } finally {
    endListening();
    // An open pipe would keep the process alive.
    if (wanted.embed) process.stdin.destroy();
  }
}

/**
 * The paths without files of logged metrics, which are not dumps: Health shows them. Directories may contain both; if
 * there is nothing else, reading says what is missing.
 */
async function leaveOutLogged(paths: readonly string[]): Promise<readonly string[]> {
  const files = paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
  const { others } = await findSeriesFiles(files, new FindingLog());
  const dumps = paths.filter((path) => !files.includes(path) || others.includes(path));
  return dumps.length === 0 ? paths : dumps;
}

/** Aborts at Ctrl-C and, with --embed, when the embedding program is gone. Returns a function that stops listening. */
function listenForEnd(
  paths: readonly string[],
  { compare, embed }: Wanted,
  stop: AbortController,
): () => void {
  const endListening = onInterrupt(() => {
    stop.abort();
    // A reader of standard input waits until its writer ends, which may be never.
    if ([...paths, ...listComparedPaths({ compare })].includes("-")) process.stdin.destroy();
  });
  // The embedding program may be killed without stopping anything; its end of the pipe then closes by itself.
  if (embed)
    process.stdin
      .resume()
      .once("end", () => stop.abort())
      .once("error", () => stop.abort());
  return endListening;
}

/** Flags of `view` that also apply to a study. */
const STUDY_FLAGS = [
  "port",
  "host",
  "token",
  "open",
  "embed",
  "cache",
  "redact",
  "bundle",
  "force",
  "logged",
];

async function viewStudy(
  path: string,
  wanted: Wanted,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const { port, host, token, open = true, embed, cache, redact, bundle } = wanted;
  const forRuns = inputFlags(wanted, STUDY_FLAGS);
  return serveStudy(
    path,
    { port, host, token, open, embed, cache, redact, bundle, forRuns, signal },
    terminal,
  );
}

async function viewRun(
  paths: readonly string[],
  wanted: Wanted,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitStatus> {
  if (wanted.bundle === undefined) return viewAtOnce(paths, wanted, terminal, signal);
  const run = await prepareAll(paths, wanted, terminal, signal).catch((error: unknown) => {
    // Files with only one policy's log-probs have their own pages; piped input has been read already.
    if (isLogratioError(error, "MissingSideError") && !paths.includes("-")) return error;
    throw error;
  });
  if (isLogratioError(run, "MissingSideError"))
    return viewOnePolicy(paths, wanted, { missing: run, signal }, terminal);
  if (run === undefined) return EXIT.interrupted;
  return bundle(run, wanted.bundle, wanted.logged, terminal);
}

/** Serves the page while the run is read, if that takes longer than a moment. */
async function viewAtOnce(
  paths: readonly string[],
  wanted: Wanted,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const early = new EarlyServer(paths, wanted, terminal, signal);
  try {
    const run = await prepareAll(paths, wanted, terminal, signal, early);
    const server = await early.settle();
    if (run === undefined) {
      await server?.close();
      return EXIT.interrupted;
    }
    return await serveRun(run, wanted, terminal, signal, server);
  } catch (error) {
    await early.fail(error);
    // Files with only one policy's log-probs have their own pages; piped input has been read already.
    if (!isLogratioError(error, "MissingSideError") || paths.includes("-")) throw error;
    return viewOnePolicy(paths, wanted, { missing: error, signal }, terminal);
  }
}

/** Flags that have no use on the pages of one policy. */
const COMPARING_FLAGS = ["bundle", "compare", "truth", "cache", "embed", "correction"] as const;

/** @throws MissingSideError the given one, if no file has one policy's log-probs either */
async function viewOnePolicy(
  paths: readonly string[],
  options: Wanted,
  asked: { readonly missing: LogratioError; readonly signal: AbortSignal },
  terminal: Terminal,
): Promise<ExitStatus> {
  const { missing, signal } = asked;
  const { port, host, token, open, tokenizer, redact } = options;
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

async function bundle(
  run: PreparedRun,
  directory: string,
  paths: readonly string[],
  terminal: Terminal,
): Promise<ExitStatus> {
  try {
    const logged = await readLoggedMetrics(paths);
    terminal.err(writtenLine(directory, await writeBundle(run, directory, { replace: true, logged })));
    terminal.err(
      `${directory.endsWith(".zip") ? "unpack it and open" : "open"} its index.html, or serve it with any web server; exact figures while dragging thresholds need logratio view\n`,
    );
    return chooseStatus(run);
  } finally {
    await run.close();
  }
}

/** As after `report`: 4 if inputs were left out. */
function chooseStatus({ info, compared }: PreparedRun): ExitStatus {
  const others = compared?.others.flatMap(({ run }) => run.info.findings) ?? [];
  return inputWasSkipped([...info.findings, ...others]) ? EXIT.skipped : EXIT.fine;
}
