/**
 * The server of `logratio serve`.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import type { Server as NetServer } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { isLogratioError, UsageError } from "../../core/base/index.ts";
import type { RunsEvent } from "../../results/index.ts";
import { checkChannels } from "../alerts/index.ts";
import {
  allowedHosts,
  builtPage,
  checkHost,
  checkOrigin,
  checkToken,
  Events,
  isLoopback,
  listen,
  refuse,
  reply,
  securityHeaders,
  staticFiles,
} from "../viewer/server/index.ts";
import { ingestAnswers } from "./http/ingest.ts";
import { IngestGate } from "./http/ingest-gate.ts";
import { Histogram, METRICS_TYPE, RequestCounts, renderMetrics } from "./http/metrics.ts";
import { runAnswers } from "./http/run-answers.ts";
import { Viewers } from "./http/viewers.ts";
import { DataStore } from "./store/data-store.ts";
import { applyRetention, describeRemoved, type Retention } from "./store/retention.ts";
import type { RunAlertsOptions } from "./store/run-alerts.ts";

/** Enough for a batch of 256 MB at 1 MB/s. */
const SLOW_CLIENTS = {
  headersTimeout: 10_000,
  requestTimeout: 300_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2000,
} as const;
const MOST_CONNECTIONS = 2048;
const RETENTION_EVERY_MS = 60_000;
const DRAIN_MS = 10_000;
const TOKEN_ADVICE =
  "a token is required: Authorization: Bearer …, or once ?token=… in a browser; it is the server's LOGRATIO_TOKEN";

export interface ServeOptions {
  readonly directory: string;
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default 8270, or the next that is free. */
  readonly port?: number | undefined;
  /** Grants writing and reading; undefined only on loopback: then everybody on this machine may. */
  readonly token?: string | undefined;
  /** Host names of a proxy in front of the server. */
  readonly allowedHosts?: readonly string[];
  /** The most bytes of batches received at once; default 512 MiB. */
  readonly bufferBytes?: number | undefined;
  /** The most bytes of one batch; default 256 MiB. */
  readonly batchBytes?: number | undefined;
  readonly retention?: Retention;
  /** Flags of `logratio view` for the viewer of each run. */
  readonly viewFlags?: readonly string[];
  readonly segmentAgeMs?: number | undefined;
  /** Alert rules for every run that is written to, and where notices go. */
  readonly alerts?: RunAlertsOptions | undefined;
  /** Receives lines for the terminal. */
  readonly onNotice: (message: string) => void;
  readonly onError: (error: unknown) => void;
}

export interface Serving {
  readonly url: string;
  readonly port: number;
  readonly runs: number;
  /** Accepts no more batches, finishes those being received, and makes them durable. */
  close(): Promise<void>;
}

/**
 * Opens the data directory and listens.
 *
 * @throws UsageError for an address off loopback without a token, a missing variable that the alert rules need, a port
 * that is taken, a directory that is already served
 * @throws FileSystemError where the directory cannot be written
 */
export async function startServing(options: ServeOptions): Promise<Serving> {
  const { directory, host = "127.0.0.1", token, onNotice } = options;
  checkExposure(options);
  if (options.alerts !== undefined) checkChannels(options.alerts.rules);
  const files = await staticFiles(builtPage());
  const events = new Events();
  const syncTime = new Histogram();
  const sealTime = new Histogram();
  const store = await DataStore.open(directory, {
    onNotice,
    onChange: (run) => events.send("run", { run: run ?? null } satisfies RunsEvent),
    alerts: options.alerts,
    onCommit: (ms) => syncTime.add(ms),
    onSealed: (ms) => sealTime.add(ms),
    ...(options.segmentAgeMs !== undefined && { segmentAgeMs: options.segmentAgeMs }),
  });
  const viewers = new Viewers(options.viewFlags ?? []);
  const gate = new IngestGate(options.bufferBytes ?? 512 << 20);
  const requests = new RequestCounts();
  const requestTime = new Histogram();
  const counts = { received: 0, removed: 0, port: 0 };
  let isDraining = false;

  const app = new Hono<{ Bindings: { incoming: IncomingMessage } }>();
  app.use(securityHeaders());
  // Health checks have no token, and may use any host name.
  app.get("/healthz", (c) => c.text("ok\n", 200, { "cache-control": "no-store" }));
  app.get("/readyz", (c) => (isDraining ? refuse(c, 503, "the server is shutting down") : c.text("ready\n")));
  const isKnownHost = allowedHosts(host);
  const names = new Set((options.allowedHosts ?? []).map((name) => name.toLowerCase()));
  app.use(checkHost((name) => isKnownHost(name) || names.has(name.toLowerCase().replace(/:\d+$/, ""))));
  if (token !== undefined) app.use(checkToken(token, () => counts.port, TOKEN_ADVICE));
  app.use(checkOrigin(false));
  ingestAnswers(app, {
    store,
    gate,
    mostBytes: options.batchBytes ?? 256 << 20,
    requests,
    requestTime,
    onReceived: (bytes) => {
      counts.received += bytes;
    },
    isDraining: () => isDraining,
    onError: options.onError,
  });
  runAnswers(app, { store, viewers, events });
  app.get("/metrics", (c) =>
    c.text(
      renderMetrics({
        ...{ store, gate, requests, requestTime, syncTime, sealTime },
        receivedBytes: () => counts.received,
        removedRuns: () => counts.removed,
        viewers: () => viewers.size,
      }),
      200,
      { "content-type": METRICS_TYPE, "cache-control": "no-store" },
    ),
  );
  app.get("*", (c) => {
    const content = files.get(c.req.path);
    return content === undefined ? refuse(c, 404, `there is nothing at ${c.req.path}`) : reply(c, content);
  });
  app.notFound((c) => refuse(c, 404, `there is nothing at ${c.req.path}`));
  app.onError((error, c) => {
    if (c.req.raw.signal.aborted) return c.body(null, 204);
    options.onError(error);
    if (isLogratioError(error)) return refuse(c, 503, error.message);
    return refuse(c, 500, "logratio failed to answer: see the terminal it runs in");
  });

  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: SLOW_CLIENTS }) as NetServer;
  server.maxConnections = MOST_CONNECTIONS;
  const retain = startRetention(
    store,
    options.retention ?? {},
    (removed) => {
      counts.removed += removed.length;
      for (const one of removed) onNotice(describeRemoved(one));
    },
    options.onError,
  );
  try {
    counts.port = await listen(server as ReturnType<typeof createAdaptorServer>, host, options.port);
  } catch (error) {
    retain();
    await store.close(0);
    throw error;
  }
  const shown = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${shown}:${counts.port}/`,
    port: counts.port,
    runs: store.list().length,
    async close() {
      isDraining = true;
      retain();
      await drain(server, events, () => gate.bytes);
      await Promise.all([viewers.close(), store.close(DRAIN_MS)]);
    },
  };
}

function checkExposure({ host = "127.0.0.1", token, allowedHosts: names = [] }: ServeOptions): void {
  if (token !== undefined) {
    if (token.length < 16)
      throw new UsageError(`the token has ${token.length} characters; at least 16 are required`, {
        hint: "export LOGRATIO_TOKEN=$(openssl rand -hex 24)",
      });
    return;
  }
  if (isLoopback(host) && names.length === 0) return;
  throw new UsageError(
    isLoopback(host)
      ? "behind a proxy a token is required: anyone who reaches the proxy could read and write"
      : `a token is required to listen at ${host}: anyone who reaches it could read and write`,
    { hint: "export LOGRATIO_TOKEN=$(openssl rand -hex 24), the same where the recorders run" },
  );
}

/** Stops accepting; requests in progress get some time to finish. */
async function drain(server: NetServer, events: Events, receiving: () => number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  await events.close();
  const until = Date.now() + DRAIN_MS;
  while (receiving() > 0 && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
  // A finished answer may still be in transit.
  await new Promise((resolve) => setTimeout(resolve, 50));
  if ("closeAllConnections" in server) (server as { closeAllConnections(): void }).closeAllConnections();
  await closed;
}

/** @returns ends it */
function startRetention(
  store: DataStore,
  retention: Retention,
  onRemoved: (removed: Awaited<ReturnType<typeof applyRetention>>["removed"]) => void,
  onError: (error: unknown) => void,
): () => void {
  if (retention.ageMs === undefined && retention.bytes === undefined) return () => {};
  let isRunning = false;
  const look = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      onRemoved((await applyRetention(store, retention)).removed);
    } catch (error) {
      onError(error);
    } finally {
      isRunning = false;
    }
  };
  void look();
  const timer = setInterval(() => void look(), RETENTION_EVERY_MS).unref();
  return () => clearInterval(timer);
}
