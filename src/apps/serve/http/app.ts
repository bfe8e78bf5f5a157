/**
 * Every route of the server, and who may request it.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import { Hono } from "hono";
import { fileSystemError, isLogratioError, isSystemError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { Events } from "../../viewer/server/events.ts";
import { refuse, reply } from "../../viewer/server/reply.ts";
import {
  allowedHosts,
  checkHost,
  checkOrigin,
  checkToken,
  securityHeaders,
} from "../../viewer/server/security.ts";
import type { staticFiles } from "../../viewer/server/static-files.ts";
import type { DataStore } from "../store/data-store.ts";
import { ingestAnswers } from "./ingest.ts";
import type { IngestGate } from "./ingest-gate.ts";
import { type Histogram, METRICS_TYPE, type RequestCounts, renderMetrics } from "./metrics.ts";
import { runAnswers } from "./run-answers.ts";
import type { Viewers } from "./viewers.ts";

const TOKEN_ADVICE =
  "a token is required: Authorization: Bearer …, or once ?token=… in a browser; it is the server's LOGRATIO_TOKEN";

/** Only programs on this machine reach it. */
export const DEFAULT_HOST = "127.0.0.1";

export interface AppOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Grants writing and reading; undefined only on loopback: then everybody on this machine may. */
  readonly token?: string | undefined;
  /** Host names of a proxy in front of the server. */
  readonly allowedHosts?: readonly string[];
  /** The most bytes of one batch; default 256 MiB. */
  readonly batchBytes?: number | undefined;
  readonly onError: (error: unknown) => void;
}

/** State that the answers share. */
export interface AppParts {
  readonly store: DataStore;
  readonly events: Events;
  readonly viewers: Viewers;
  readonly gate: IngestGate;
  readonly requests: RequestCounts;
  readonly requestTime: Histogram;
  readonly syncTime: Histogram;
  readonly sealTime: Histogram;
  readonly state: {
    /** Bytes of batches. */
    received: number;
    /** Runs that retention removed. */
    removed: number;
    /** 0 until the server listens. */
    port: number;
    isDraining: boolean;
  };
}

type StaticFiles = Awaited<ReturnType<typeof staticFiles>>;
type App = Hono<{ Bindings: { incoming: IncomingMessage } }>;

/**
 * The checks and routes, in the order in which a request meets them:
 *
 * ```
 * security headers ─► /healthz, /readyz ─► host ─► token ─► origin ─┬─► PUT /api/batches, from a recorder
 *                     open to anyone                                ├─► runs and their viewers
 *                                                                   ├─► /metrics
 *                                                                   └─► the page's files, else 404
 * ```
 */
export function createApp(options: AppOptions, parts: AppParts, files: StaticFiles): App {
  const { store, viewers, events, state } = parts;
  const app: App = new Hono();
  app.use(securityHeaders());
  // Health checks have no token, and may use any host name.
  app.get("/healthz", (c) => c.text("ok\n", 200, { "cache-control": "no-store" }));
  app.get("/readyz", (c) => {
    if (state.isDraining) return refuse(c, 503, "the server is shutting down");
    const { standstill } = store;
    if (standstill === undefined) return c.text("ready\n");
    // Says no name of a run: anyone may ask.
    const when = new Date(standstill.since).toISOString();
    const trouble = `${plural(standstill.batches, "batch", "batches")} cannot be added to the record since ${when}, and wait in the log: the server's terminal says why`;
    // Other runs are added: whoever routes requests by this answer must not take them away, too.
    return standstill.isPartial ? c.text(`ready, but ${trouble}\n`) : refuse(c, 503, trouble);
  });
  // Checks the host name of a request, its token, and that no page of another origin sent it.
  const { host = DEFAULT_HOST, token } = options;
  const isKnownHost = allowedHosts(host);
  const names = new Set((options.allowedHosts ?? []).map((name) => name.toLowerCase()));
  app.use(checkHost((name) => isKnownHost(name) || names.has(name.toLowerCase().replace(/:\d+$/, ""))));
  if (token !== undefined) app.use(checkToken(token, () => state.port, TOKEN_ADVICE));
  app.use(checkOrigin(false));
  ingestAnswers(app, {
    store,
    gate: parts.gate,
    mostBytes: options.batchBytes ?? 256 << 20,
    requests: parts.requests,
    requestTime: parts.requestTime,
    onReceived: (bytes) => {
      state.received += bytes;
    },
    isDraining: () => state.isDraining,
    onError: options.onError,
  });
  runAnswers(app, { store, viewers, events });
  app.get("/metrics", (c) =>
    c.text(describeMetrics(parts), 200, { "content-type": METRICS_TYPE, "cache-control": "no-store" }),
  );
  app.get("*", (c) => {
    const content = files.get(c.req.path);
    return content === undefined ? refuse(c, 404, `there is nothing at ${c.req.path}`) : reply(c, content);
  });
  app.notFound((c) => refuse(c, 404, `there is nothing at ${c.req.path}`));
  app.onError((error, c) => {
    // The client went away: nobody is left to answer, and the server did not fail.
    if (c.req.raw.signal.aborted) return c.body(null, 204);
    const known = isSystemError(error) ? fileSystemError(error, "use", { file: store.directory }) : error;
    options.onError(known);
    if (isLogratioError(known)) return refuse(c, 503, known.message);
    return refuse(c, 500, "logratio failed to answer: see the terminal it runs in");
  });
  return app;
}

function describeMetrics({
  store,
  gate,
  requests,
  requestTime,
  syncTime,
  sealTime,
  viewers,
  state,
}: AppParts): string {
  return renderMetrics({
    ...{ store, gate, requests, requestTime, syncTime, sealTime },
    receivedBytes: () => state.received,
    removedRuns: () => state.removed,
    viewers: () => viewers.size,
  });
}
