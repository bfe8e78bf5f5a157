import { resolve } from "node:path";
import { plural } from "../../core/text/index.ts";
import type { Progress } from "../../ingest/index.ts";
import { isRemote } from "../../input/remote/index.ts";
import type { MismatchReport } from "../../results/report.ts";
import { AlertWatch, readAlertRules } from "../alerts/alert-watch.ts";
import { readLoggedMetrics } from "../viewer/logged/read-logged-metrics.ts";
import { writeAlertList } from "../viewer/prepare/cache/alert-list.ts";
import { prepareRun } from "../viewer/prepare/cache/prepare-run.ts";
import type { PreparedRun } from "../viewer/prepare/cache/prepared-run.ts";
import { followRun } from "../viewer/prepare/follow/follow-run.ts";
import { startViewServer, type ViewServer } from "../viewer/server/start-server.ts";
import { announceServer } from "./announce-server.ts";
import { tellAlarms } from "./commands/tell-alarms.ts";
import { EXIT, type ExitStatus } from "./exit-status.ts";
import { formatFailure, formatLine, formatWarning, tellFindings } from "./messages.ts";
import type { Onlooker } from "./prepare-view.ts";
import { createProgress } from "./progress.ts";
import type { Terminal } from "./terminal.ts";
import { TimeLeft } from "./time-left.ts";
import { untilAborted } from "./until-interrupted.ts";
import { comparedOptions, formatPlace, prepareOptions, type Wanted } from "./view-options.ts";

/** Serves until interrupted; that is how a server normally ends, so the status does not mention it. */
export async function serveRun(
  run: PreparedRun,
  options: Wanted,
  terminal: Terminal,
  signal: AbortSignal,
  early?: ViewServer,
): Promise<ExitStatus> {
  const server = early ?? (await start(run, options, terminal));
  try {
    await early?.update(run, false);
    await untilAborted(signal);
    return EXIT.fine;
  } finally {
    await server.close();
    terminal.err("\n");
  }
}

/** Usage errors are reported before anything is served, and cached results are served without delay. */
const SERVED_AFTER_MS = 500;
/** The same delay if no sequence has been read: unreadable input is reported sooner. */
const SERVED_UNREAD_MS = 2000;

/**
 * A server that exists before the run: if reading takes longer than a moment, pages see its progress and what was read
 * so far.
 */
export class EarlyServer implements Onlooker {
  readonly #paths: readonly string[];
  readonly #options: Wanted;
  readonly #terminal: Terminal;
  readonly #signal: AbortSignal;
  readonly #began = Date.now();
  readonly #timer: NodeJS.Timeout;
  readonly #broken = new AbortController();
  readonly #left = new TimeLeft();
  #hasRead = false;
  #starting: Promise<ViewServer> | undefined;
  #server: ViewServer | undefined;

  /** @param signal once aborted, no address is printed: nothing will be served there */
  constructor(paths: readonly string[], options: Wanted, terminal: Terminal, signal: AbortSignal) {
    this.#paths = paths;
    this.#options = options;
    this.#terminal = terminal;
    this.#signal = signal;
    this.#timer = setInterval(() => this.#startWhenRead(), SERVED_AFTER_MS / 5);
  }

  /** Aborted, with the reason, if serving failed. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  readonly soFar = {
    isWatched: (): boolean => this.#server?.isWatched === true,
    // States arrive seconds apart, and the server exists when one is requested.
    onRun: (run: PreparedRun): void =>
      void this.#server!.update(run, false).catch((error: unknown) => this.#broken.abort(error)),
  };

  onProgress({ bytesRead, bytesTotal, sequences, file }: Progress): void {
    this.#hasRead ||= sequences > 0;
    this.#server?.tellProgress({
      bytes_read: bytesRead,
      bytes_total: bytesTotal,
      sequences,
      seconds_left: this.#left.update(bytesRead, bytesTotal, Date.now()),
      file,
    });
  }

  #startWhenRead(): void {
    if (Date.now() - this.#began < (this.#hasRead ? SERVED_AFTER_MS : SERVED_UNREAD_MS)) return;
    clearInterval(this.#timer);
    if (this.#signal.aborted) return;
    const options = { ...this.#options, preparing: true, signal: this.#signal };
    this.#starting = start(this.#paths, options, this.#terminal);
    this.#starting.then(
      (server) => {
        this.#server = server;
      },
      (error: unknown) => this.#broken.abort(error),
    );
  }

  /** The server, once it is known whether one was started; undefined if not. */
  async settle(): Promise<ViewServer | undefined> {
    clearInterval(this.#timer);
    return this.#starting;
  }

  /** Reports why there will be no run, and ends. */
  async fail(error: unknown): Promise<void> {
    const server = await this.settle().catch(() => undefined);
    if (server === undefined) return;
    if (error instanceof Error) await server.fail(formatReason(error));
    await server.close();
  }
}

/** Serves from the beginning: a page that waits for the first step shows it when it arrives. */
export async function serveFollowing(
  paths: readonly string[],
  options: Wanted,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitStatus> {
  const alerts = await openAlerts(paths, options, terminal);
  const following = new Following(paths, options, terminal, alerts);
  const both = AbortSignal.any([signal, following.broken]);
  try {
    await followRun(
      paths,
      {
        ...prepareOptions(options),
        onProgress: following.progress.update,
        onNotice: (message) => terminal.err(formatWarning(message, terminal)),
      },
      {
        signal: both,
        onRun: (run, anew) => following.show(run, anew),
        onWaiting: (error) => following.wait(error),
        onRebuild: (why) => terminal.err(formatLine(`reading everything again: ${why}`)),
      },
    );
    following.broken.throwIfAborted();
    return EXIT.fine;
  } finally {
    await following.close();
    await alerts?.close();
  }
}

async function openAlerts(
  paths: readonly string[],
  { alerts: file }: Wanted,
  terminal: Terminal,
): Promise<AlertWatch | undefined> {
  if (file === undefined) return undefined;
  const rules = await readAlertRules(file);
  return AlertWatch.open({
    rules,
    // By absolute path: directories of two runs may have the same name.
    run: paths.map((path) => (isRemote(path) ? path : resolve(path))).join(" "),
    tell: (message) => terminal.err(formatLine(message)),
  });
}

/**
 * A server and the run behind it, which comes later and grows. The server starts with the run's first state, or without
 * one if that takes long; each next state waits until the previous one is shown.
 */
class Following {
  readonly progress: ReturnType<typeof createProgress>;
  readonly #paths: readonly string[];
  readonly #options: Wanted;
  readonly #terminal: Terminal;
  readonly #alerts: AlertWatch | undefined;
  readonly #broken = new AbortController();
  readonly #later: NodeJS.Timeout;
  /** Findings and alarms always cover the whole run: each is reported once. */
  readonly #told = new Set<string>();
  readonly #alarmed = new Set<string>();
  #server: Promise<ViewServer> | undefined;
  #sequences: number | undefined;

  constructor(paths: readonly string[], options: Wanted, terminal: Terminal, alerts: AlertWatch | undefined) {
    this.#alerts = alerts;
    this.#paths = paths;
    this.#options = options;
    this.#terminal = terminal;
    this.progress = createProgress(terminal);
    this.#later = setTimeout(() => void this.#serve(paths).catch(() => {}), SERVED_AFTER_MS);
  }

  /** Aborted, with the reason, if serving failed. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  show(run: PreparedRun, anew: boolean): void {
    this.progress.end();
    const { sequences, findings } = run.info;
    if (this.#sequences !== undefined && sequences !== this.#sequences)
      this.#terminal.err(`now ${plural(sequences, "sequence")}\n`);
    this.#sequences = sequences;
    tellFindings(findings, this.#terminal, this.#told);
    const isFirst = this.#server === undefined;
    const next = this.#serve(run).then(async (running) => {
      if (!isFirst) await running.update(run, anew);
      // Before the next state of the run closes this one.
      const report = await readReport(run);
      tellAlarms(report, this.#terminal, this.#alarmed);
      await this.#watch(report);
      return running;
    });
    next.catch((error: unknown) => this.#broken.abort(error));
    this.#server = next;
  }

  async #watch(report: MismatchReport): Promise<void> {
    if (this.#alerts === undefined) return;
    await this.#alerts.look(report);
    // If they cannot be written, the viewer lacks these marks.
    await writeAlertList(this.#paths, this.#options.cache, this.#alerts.alerts).catch((error: Error) =>
      this.#terminal.err(formatWarning(`the page cannot mark alerts: ${error.message}`, this.#terminal)),
    );
  }

  wait(error: Error): void {
    this.progress.end();
    this.#terminal.err(formatLine(`waiting: ${error.message}`));
    const why = formatReason(error);
    void this.#serve(this.#paths).then(
      (running) => running.wait(why),
      // Serving itself failed: that ends everything, and is reported there.
      () => {},
    );
  }

  async close(): Promise<void> {
    clearTimeout(this.#later);
    this.progress.end();
    await this.#server?.then(
      (running) => running.close(),
      () => {},
    );
  }

  #serve(what: PreparedRun | readonly string[]): Promise<ViewServer> {
    this.#server ??= start(what, this.#options, this.#terminal);
    this.#server.catch((error: unknown) => this.#broken.abort(error));
    return this.#server;
  }
}

/** Reads a run like `--compare`, with its cache next to it: both are removed with the server. */
async function readDropped(
  directory: string,
  options: Wanted,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<PreparedRun> {
  const { cache: _, ...wanted } = comparedOptions(options);
  const run = await prepareRun([directory], {
    ...prepareOptions(wanted),
    onNotice: (message) => terminal.err(formatWarning(message, terminal)),
    signal,
  });
  tellFindings(run.info.findings, terminal);
  return run;
}

async function readReport(run: PreparedRun): Promise<MismatchReport> {
  return JSON.parse(new TextDecoder().decode(await run.answer("report"))) as MismatchReport;
}

/** What is wrong and the likely cause, in one line for the page. */
function formatReason(error: Error): string {
  const { likely } = error as { readonly likely?: string };
  return likely === undefined ? error.message : `${error.message}: ${likely}`;
}

async function start(
  run: PreparedRun | readonly string[],
  options: Wanted & { readonly preparing?: boolean; readonly signal?: AbortSignal },
  terminal: Terminal,
): Promise<ViewServer> {
  const server = await startViewServer(run, {
    ...(options.port !== undefined && { port: options.port }),
    ...(options.host !== undefined && { host: options.host }),
    ...(options.token !== undefined && { token: options.token }),
    ...(options.embed !== undefined && { embed: options.embed }),
    logged: () => readLoggedMetrics(options.logged),
    ...(options.follow !== true && {
      readDropped: (directory: string, signal: AbortSignal) =>
        readDropped(directory, options, terminal, signal),
    }),
    following: options.follow === true,
    preparing: options.preparing === true,
    onError: (error) => terminal.err(formatFailure(error, terminal)),
  }).catch(async (error: unknown) => {
    if ("info" in run) await run.close();
    throw error;
  });
  if (options.signal?.aborted !== true)
    await announceServer(server, { open: options.open, place: formatPlace(options) }, terminal);
  return server;
}
