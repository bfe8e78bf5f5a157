/**
 * The server of `logratio serve`.
 *
 * @module
 */
import type { Server as NetServer } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { fileSystemError, isSystemError, UsageError } from "../../core/base/index.ts";
import type { RunsEvent } from "../../results/serve.ts";
import { checkChannels } from "../alerts/alert-watch.ts";
import { Events } from "../viewer/server/events.ts";
import { listen } from "../viewer/server/listen.ts";
import { isLoopback } from "../viewer/server/security.ts";
import { builtPage, staticFiles } from "../viewer/server/static-files.ts";
import { type AppOptions, type AppParts, createApp, DEFAULT_HOST } from "./http/app.ts";
import { limitConnections } from "./http/connection-room.ts";
import { IngestGate } from "./http/ingest-gate.ts";
import { Histogram, RequestCounts } from "./http/metrics.ts";
import { Viewers } from "./http/viewers.ts";
import { DataStore, type UnsealedRun } from "./store/data-store.ts";
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
/** The time limit for batches in transit. What has not been received by then is not acknowledged. */
const DRAIN_MS = 10_000;

export interface ServeOptions extends AppOptions {
  readonly directory: string;
  /** Default 8270, or the next free port. */
  readonly port?: number | undefined;
  /** The most bytes of batches received at once; default 512 MiB. */
  readonly bufferBytes?: number | undefined;
  readonly retention?: Retention;
  /** Flags of `logratio view` for the viewer of each run. */
  readonly viewFlags?: readonly string[];
  readonly segmentAgeMs?: number | undefined;
  /** Alert rules for every run that is written to, and where notices go. */
  readonly alerts?: RunAlertsOptions | undefined;
  /** Receives lines for the terminal. */
  readonly onNotice: (message: string) => void;
}

export interface Serving {
  readonly url: string;
  readonly port: number;
  readonly runs: number;
  /** Batches that are not in the record yet. */
  readonly waiting: number;
  /**
   * Accepts no more batches, finishes those being received, and makes all of them part of the record.
   *
   * @param signal gives up on all but the current segment
   * @returns what remains in the log for the next start: batches that could not be added, or everything after the
   * signal
   */
  close(signal?: AbortSignal): Promise<readonly UnsealedRun[]>;
}

/**
 * Opens the data directory and listens.
 *
 * @throws UsageError for an address off loopback without a token, a missing variable that the alert rules need, a port
 * in use, or a directory that is already served
 * @throws FileSystemError if the directory cannot be written
 */
export async function startServing(options: ServeOptions): Promise<Serving> {
  const { directory, host = DEFAULT_HOST, onNotice, onError } = options;
  checkExposure(options);
  if (options.alerts !== undefined) checkChannels(options.alerts.rules);
  const files = await staticFiles(builtPage());
  const parts = await openParts(directory, options);
  const { store, state } = parts;
  const server = createAdaptorServer({
    fetch: createApp(options, parts, files).fetch,
    serverOptions: SLOW_CLIENTS,
  }) as NetServer;
  limitConnections(server, MOST_CONNECTIONS);
  const retain = startRetention(
    store,
    options.retention ?? {},
    (removed) => {
      state.removed += removed.length;
      for (const one of removed) onNotice(describeRemoved(one));
    },
    onError,
  );
  try {
    state.port = await listen(server as ReturnType<typeof createAdaptorServer>, host, options.port);
  } catch (error) {
    // The directory stays locked until the store is closed.
    retain();
    await store.close(AbortSignal.abort());
    throw error;
  }
  const shown = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${shown}:${state.port}/`,
    port: state.port,
    runs: store.list().length,
    get waiting() {
      return store.waiting.batches;
    },
    close: (signal) => stop(server, parts, retain, signal),
  };
}

async function openParts(directory: string, options: ServeOptions): Promise<AppParts> {
  const events = new Events();
  const syncTime = new Histogram();
  const sealTime = new Histogram();
  const store = await DataStore.open(directory, {
    onNotice: options.onNotice,
    onChange: (run) => events.send("run", { run: run ?? null } satisfies RunsEvent),
    alerts: options.alerts,
    onCommit: (ms) => syncTime.add(ms),
    onSealed: (ms) => sealTime.add(ms),
    ...(options.segmentAgeMs !== undefined && { segmentAgeMs: options.segmentAgeMs }),
  });
  return {
    store,
    events,
    syncTime,
    sealTime,
    viewers: new Viewers(options.viewFlags ?? []),
    gate: new IngestGate(options.bufferBytes ?? 512 << 20),
    requests: new RequestCounts(),
    requestTime: new Histogram(),
    state: { received: 0, removed: 0, port: 0, isDraining: false },
  };
}

/** Batches in transit are received completely; everything received then becomes part of the record. */
async function stop(
  server: NetServer,
  { store, events, viewers, gate, state }: AppParts,
  retain: () => void,
  signal?: AbortSignal,
): Promise<readonly UnsealedRun[]> {
  state.isDraining = true;
  retain();
  await drain(server, events, () => gate.bytes);
  const [left] = await Promise.all([store.close(signal), viewers.close()]);
  return left;
}

function checkExposure({ host = DEFAULT_HOST, token, allowedHosts: names = [] }: ServeOptions): void {
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

/** @returns a function that ends it */
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
      onRemoved((await applyRetention(store, retention, { onFailed: onError })).removed);
    } catch (error) {
      onError(isSystemError(error) ? fileSystemError(error, "read", { file: store.directory }) : error);
    } finally {
      isRunning = false;
    }
  };
  void look();
  const timer = setInterval(() => void look(), RETENTION_EVERY_MS).unref();
  return () => clearInterval(timer);
}
