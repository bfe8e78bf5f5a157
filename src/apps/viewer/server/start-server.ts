import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { hostname, tmpdir } from "node:os";
import { createAdaptorServer } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { wordNow } from "../../../analyses/assessment/index.ts";
import { fileSystemError, isLogratioError, isSystemError, UsageError } from "../../../core/base/index.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { LoggedMetrics, ReadProgress, SoFar } from "../../../results/view.ts";
import type { PreparedStudy } from "../kl/prepared-study.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { answers } from "./answers.ts";
import { CurrentRun } from "./current-run.ts";
import { DropAnswers, type ReadDropped } from "./drop-answers.ts";
import { Events } from "./events.ts";
import { listen } from "./listen.ts";
import { indexMethods } from "./methods.ts";
import { onlyWhatIsThere, waitingFor } from "./not-there.ts";
import { type Content, refuse, reply } from "./reply.ts";
import {
  allowedHosts,
  checkHost,
  checkMethod,
  checkOrigin,
  checkToken,
  isLoopback,
  PathToken,
  securityHeaders,
} from "./security.ts";
import { builtPage, staticFiles } from "./static-files.ts";
import { studyAnswers } from "./study-answers.ts";

/** Wildcard addresses: a server can listen on them, but a browser cannot open them. */
const EVERYWHERE = ["0.0.0.0", "::"];
/** Interval for checking the list of alerts while a page listens. */
const ALERTS_LOOK_MS = 1000;
/** Requests that arrive too slowly are answered with 408: all but tables are small. */
const SLOW_CLIENTS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 2000,
} as const;

export interface ServerOptions {
  /** Where to listen; default 127.0.0.1. */
  readonly host?: string;
  /**
   * Whether the address has a token that every request must know; default true. Without one, everybody on this machine
   * can read what is shown, so only loopback may go without.
   */
  readonly token?: boolean;
  /**
   * Whether another page may frame this one, such as a notebook's cell; the token is then the first folder of the
   * address instead of a cookie. Default false.
   */
  readonly embed?: boolean;
  /**
   * Default 8270, or the next that is free. A given port must be free, or the server does not start; 0 is any free one.
   */
  readonly port?: number;
  /** The built page; default the one that comes with logratio. */
  readonly page?: string;
  /** What the run's own logger wrote, read whenever a page asks; default nothing. */
  readonly logged?: () => Promise<LoggedMetrics>;
  /** Reads what is dropped on the page; default: nothing can be dropped. */
  readonly readDropped?: ReadDropped;
  /** More data will come: pages are notified by events. */
  readonly following?: boolean;
  /** The run is being read for the first time: pages are told the progress. */
  readonly preparing?: boolean;
  /** Called with an unexpected error, which is answered with 500 and without its text. */
  readonly onError?: (error: unknown) => void;
}

/** A server that runs. */
export interface Served {
  /** For the browser; with `?token=…`, or the token as its folder, unless that was left out. */
  readonly url: string;
  readonly port: number;
  /** Also closes what is shown. */
  close(): Promise<void>;
}

export interface ViewServer extends Served {
  /**
   * Shows this run from now on, tells the pages, and closes the old one.
   *
   * @param anew row numbers may have changed: pages of the old one are not answered from the new one
   */
  update(run: PreparedRun, anew?: boolean): Promise<void>;
  /** Sets the reason why there is no run yet. */
  wait(reason: string): void;
  /** Tells pages how far the first read has come. */
  tellProgress(progress: ReadProgress): void;
  /** Tells pages why there will be no run; resolves once an open page, or one that opens soon, was told. */
  fail(reason: string): Promise<void>;
  /** Whether a page is open. */
  readonly isWatched: boolean;
}

/** How long a browser opened a moment ago may take to request the page. */
const BROWSER_MS = 2000;
/** Interval between two progress events. */
const PROGRESS_MS = 250;
/** How long a sent event may take to arrive. */
const TOLD_MS = 200;

/**
 * Serves the page and its answers.
 *
 * @param shown a run, or the paths where one is waited for
 * @throws UsageError when the port or host cannot be had
 * @throws NotFoundError when the page is not built
 */
export async function startViewServer(
  shown: PreparedRun | readonly string[],
  options: ServerOptions = {},
): Promise<ViewServer> {
  const isWaiting = !("info" in shown);
  const current = new CurrentRun(isWaiting ? undefined : shown);
  const paths = isWaiting ? shown : [];
  let reason: string | null = null;
  let nextProgress = 0;
  const events = new Events();
  const api = new Hono();
  const told = options.following === true || options.preparing === true;
  const status = options.preparing ? "preparing" : "reading";
  api.use(onlyWhatIsThere(current, () => waitingFor(paths, reason, status)));
  api.route("/", answers(current, options.logged));
  const drops = new DropAnswers(current, options.readDropped);
  drops.route(api);
  const server = await serve(api, options, (c) => (told ? events.answer(c) : noEvents(c)));
  const endLooking = options.following ? lookForAlerts(current, events) : () => {};
  if (options.following && !isWaiting) events.state("verdict", await judgeSoFar(shown));
  return {
    ...server,
    async update(next, anew = true) {
      const soFar = await judgeSoFar(next);
      await current.replace(next, anew);
      events.send("run", { version: next.info.version });
      events.state("verdict", soFar);
    },
    wait(why) {
      if (why === reason || current.info !== undefined) return;
      reason = why;
      events.send("run", { version: "" });
    },
    tellProgress(progress) {
      const { bytes_read, bytes_total } = progress;
      // Nothing follows the last one for a while.
      if (Date.now() < nextProgress && bytes_read < bytes_total) return;
      nextProgress = Date.now() + PROGRESS_MS;
      events.state("progress", progress);
    },
    async fail(why) {
      reason = why;
      events.state("failed", why);
      for (const end = Date.now() + BROWSER_MS; !events.areHeard && Date.now() < end; ) await pause(50);
      if (events.areHeard) await pause(TOLD_MS);
    },
    get isWatched() {
      return events.areHeard;
    },
    async close() {
      endLooking();
      await events.close();
      await server.close();
      await current.close();
      await drops.close();
    },
  };
}

/** Polls the run's alerts, which another process may write. Returns a function that stops it. */
function lookForAlerts(current: CurrentRun, events: Events): () => void {
  const look = async (): Promise<void> => {
    if (current.info === undefined || !events.areHeard) return;
    events.state("alerts", { stamp: await current.use((run) => run.alertsStamp()) });
  };
  const timer = setInterval(() => void look().catch(() => {}), ALERTS_LOOK_MS).unref();
  return () => clearInterval(timer);
}

async function judgeSoFar(run: PreparedRun): Promise<SoFar> {
  const report = JSON.parse(new TextDecoder().decode(await run.answer("report"))) as MismatchReport;
  return { ...wordNow(report), last_step: run.info.steps.at(-1) ?? null };
}

/** The same for a study, which is never followed. @throws as {@link startViewServer} does */
export async function startStudyServer(
  study: PreparedStudy,
  options: Omit<ServerOptions, "following"> = {},
): Promise<Served> {
  const server = await serve(studyAnswers(study), options, noEvents);
  return {
    ...server,
    async close() {
      await server.close();
      await study.close();
    },
  };
}

/** Pages that are written here, in place of the built one. @throws as {@link startViewServer} does */
export async function startPagesServer(
  pages: Hono,
  options: Omit<ServerOptions, "following" | "page"> = {},
): Promise<Served> {
  return serve(new Hono(), options, noEvents, pages);
}

/** 204 tells a page not to ask again. */
function noEvents(c: Context): Response {
  return c.body(null, 204);
}

async function serve(
  api: Hono,
  {
    host = "127.0.0.1",
    token: hasToken = true,
    embed = false,
    port: wanted,
    page = builtPage(),
    onError,
  }: ServerOptions,
  events: (c: Context) => Response,
  pages?: Hono,
): Promise<Served> {
  if (!hasToken && !isLoopback(host))
    throw new UsageError(`without a token the viewer listens to this machine only, not at ${host}`, {
      hint: "leave out --no-token or --host",
    });
  if (embed && !hasToken)
    throw new UsageError("--embed and --no-token cannot be combined: any site could frame the page", {
      hint: "leave out --no-token",
    });
  const files = pages === undefined ? await staticFiles(page) : new Map<string, Content>();
  const token = hasToken ? randomBytes(24).toString("base64url") : undefined;
  let port = 0;

  const app = new Hono<{ Bindings: { incoming: IncomingMessage } }>();
  app.use(securityHeaders(), checkHost(allowedHosts(host)));
  const inPath = embed && token !== undefined ? new PathToken(token) : undefined;
  if (inPath !== undefined) app.use(inPath.check());
  else if (token !== undefined) app.use(checkToken(token, () => port));
  const methodsAt = indexMethods(() => [api.routes, [{ method: "GET", path: "/events" }]].flat(), "/api");
  app.use(checkMethod(methodsAt), checkOrigin());
  app.route("/api", api);
  app.get("/api/events", events);
  if (pages !== undefined) app.route("/", pages);
  app.get("*", (c) => {
    const content = files.get(c.req.path);
    return content === undefined ? refuse(c, 404, `there is nothing at ${c.req.path}`) : reply(c, content);
  });
  app.notFound((c) => refuse(c, 404, `there is nothing at ${c.req.path}`));
  app.onError((cause, c) => {
    // The request was aborted.
    if (c.req.raw.signal.aborted) return c.body(null, 204);
    const error = isSystemError(cause)
      ? fileSystemError(cause, "use", { file: cause.path ?? tmpdir() })
      : cause;
    onError?.(error);
    if (isLogratioError(error))
      return refuse(c, 503, error.hint === undefined ? error.message : `${error.message}: ${error.hint}`);
    return c.text("logratio failed to answer: see the terminal it runs in\n", 500);
  });

  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: SLOW_CLIENTS });
  if (inPath !== undefined)
    server.prependListener("request", (request: IncomingMessage) => inPath.strip(request));
  port = await listen(server, host, wanted);
  const shown = EVERYWHERE.includes(host) ? hostname() : host.includes(":") ? `[${host}]` : host;
  const folder = embed ? `${token}/` : `?token=${token}`;
  return {
    url: `http://${shown}:${port}/${token === undefined ? "" : folder}`,
    port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
