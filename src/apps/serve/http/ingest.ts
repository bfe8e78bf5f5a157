/**
 * `PUT api/batches?run=NAME&step=S&rank=R&call=C[&launch=L[&resume=HOW]]`: a batch comes in, and is acknowledged when it is
 * durable.
 *
 * @module
 */
import type { IncomingMessage } from "node:http";
import type { Context, Hono } from "hono";
import { fileSystemError, isLogratioError, isSystemError } from "../../../core/base/index.ts";
import { formatBytes } from "../../../core/text/index.ts";
import type { BatchKey } from "../../../input/batch-log/index.ts";
import type { BatchAnswer } from "../../../results/serve.ts";
import { refuse } from "../../viewer/server/reply.ts";
import { checkPackedBatch } from "../seal/check-packed-batch.ts";
import type { DataStore } from "../store/data-store.ts";
import { type Launch, RESUMES, type Resume, RunLaunches } from "../store/run-launches.ts";
import type { IngestGate } from "./ingest-gate.ts";
import type { Histogram, RequestCounts } from "./metrics.ts";
import { pieceSource } from "./piece-source.ts";
import { BodyError, type ReceivedBody, readBody } from "./read-body.ts";

const RETRY_SECONDS = "1";
/** RFC 9530: `Content-Digest: sha-256=:BASE64:`. */
const DIGEST = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/;
const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

export type IngestContext = Context<{ Bindings: { incoming: IncomingMessage } }>;

export interface IngestOptions {
  readonly store: DataStore;
  readonly gate: IngestGate;
  /** Bytes of one batch. */
  readonly mostBytes: number;
  readonly requests: RequestCounts;
  readonly requestTime: Histogram;
  readonly onReceived: (bytes: number) => void;
  /** Whether the server is shutting down. */
  readonly isDraining: () => boolean;
  readonly onError: (error: unknown) => void;
}

export function ingestAnswers(
  app: Hono<{ Bindings: { incoming: IncomingMessage } }>,
  options: IngestOptions,
): void {
  const launches = new RunLaunches(options.store);
  app.put("/api/batches", async (c) => {
    const from = performance.now();
    const response = await takeBatch(c, options, launches);
    options.requests.add(response.status);
    options.requestTime.add(performance.now() - from);
    return response;
  });
}

async function takeBatch(c: IngestContext, options: IngestOptions, launches: RunLaunches): Promise<Response> {
  const { gate, mostBytes } = options;
  if (options.isDraining()) return later(c, 503, "the server is shutting down");
  const run = c.req.query("run") ?? "";
  const key = readKey(c);
  if (key === undefined)
    return refuse(c, 400, "step, rank and call must be whole numbers: batches?run=NAME&step=3&rank=0&call=0");
  const launch = readLaunch(c, run);
  if (launch === null)
    return refuse(c, 400, `launch must be 32 hexadecimal digits, and resume one of ${RESUMES.join(", ")}`);
  const declared = c.req.header("content-length");
  if (declared === undefined || !/^\d{1,15}$/.test(declared))
    return refuse(c, 411, "content-length is required");
  const bytes = Number(declared);
  if (bytes > mostBytes)
    return refuse(
      c,
      413,
      `the batch has ${formatBytes(bytes)}; at most ${formatBytes(mostBytes)} are accepted`,
    );
  const digest = DIGEST.exec(c.req.header("content-digest") ?? "")?.[1];
  if (digest === undefined) return refuse(c, 400, "a digest is required: content-digest: sha-256=:BASE64:");
  const entry = gate.enter(bytes);
  if (entry === undefined)
    return later(c, 429, `${formatBytes(gate.bytes)} of batches are being received: try again later`);
  try {
    const body = await readBody(c.env.incoming, bytes, { arriving: entry });
    options.onReceived(bytes);
    if (Buffer.from(digest, "base64").toString("hex") !== body.sha256)
      return refuse(c, 400, "the body does not have the digest that content-digest declares");
    return await keep(c, options, { run, key, bytes, body, launch }, launches);
  } catch (error) {
    if (error instanceof BodyError) {
      c.header("connection", "close");
      return refuse(c, error.reason === "slow" ? 408 : 400, error.message);
    }
    throw error;
  } finally {
    entry.leave();
  }
}

interface Received {
  readonly run: string;
  readonly key: BatchKey;
  readonly bytes: number;
  readonly body: ReceivedBody;
  /** Undefined where the run of this name is meant, whoever wrote to it before. */
  readonly launch: Launch | undefined;
}

async function keep(
  c: IngestContext,
  { store, onError }: IngestOptions,
  { run, key, bytes, body: { pieces, sha256 }, launch }: Received,
  launches: RunLaunches,
): Promise<Response> {
  try {
    await checkPackedBatch(pieceSource("the batch", pieces, bytes), key);
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    return refuse(c, 422, error.hint === undefined ? error.message : `${error.message}: ${error.hint}`);
  }
  try {
    const named = launch && (await resolveRun(launches, launch));
    if (named?.refusal !== undefined) return refuse(c, 422, named.refusal);
    const accepted = await store.accept(named?.run ?? run, { key, sha256, body: pieces, bytes });
    if (accepted.outcome === "conflict") {
      c.header("logratio-next-call", String(accepted.nextCall));
      return refuse(
        c,
        409,
        `step ${key.step}, rank ${key.rank}, call ${key.call} holds a different batch; call ${accepted.nextCall} is free`,
      );
    }
    const answer: BatchAnswer = {
      stored: accepted.outcome === "stored",
      sha256,
      call: accepted.call,
      ...(named && { run: named.run }),
    };
    return c.json(answer, answer.stored ? 201 : 200);
  } catch (error) {
    if (isLogratioError(error, "UsageError")) return refuse(c, 400, error.message);
    if (!isSystemError(error) && !isLogratioError(error, "FileSystemError")) throw error;
    const code = isSystemError(error) ? error.code : (error.cause as NodeJS.ErrnoException | undefined)?.code;
    const said = fileSystemError(error, "write", { file: store.directory });
    onError(said);
    return later(c, FULL.has(code ?? "") ? 507 : 503, said.message);
  }
}

/** The run that a launch writes to, or why it has none. */
async function resolveRun(
  launches: RunLaunches,
  launch: Launch,
): Promise<{ readonly run: string; readonly refusal?: string }> {
  try {
    return { run: await launches.resolve(launch) };
  } catch (error) {
    if (!isLogratioError(error, "UsageError")) throw error;
    return { run: launch.run, refusal: error.message };
  }
}

/** Undefined where the request names no launch; null where what it says is not one. */
function readLaunch(c: Context, run: string): Launch | undefined | null {
  const [launch, resume] = [c.req.query("launch"), c.req.query("resume")];
  if (launch === undefined) return resume === undefined ? undefined : null;
  const isKnown = resume === undefined || RESUMES.includes(resume as Resume);
  if (!/^[0-9a-f]{32}$/.test(launch) || !isKnown) return null;
  return { run, launch, resume: resume as Resume | undefined };
}

/** A refusal after which the same request may succeed. */
function later(c: Context, status: 429 | 503 | 507, why: string): Response {
  c.header("retry-after", status === 429 ? RETRY_SECONDS : "5");
  return refuse(c, status, why);
}

function readKey(c: Context): BatchKey | undefined {
  const [step, rank, call] = (["step", "rank", "call"] as const).map((name) => c.req.query(name) ?? "");
  if (!/^-?\d{1,15}$/.test(step!) || !/^\d{1,9}$/.test(rank!) || !/^\d{1,9}$/.test(call!)) return undefined;
  // Adding 0 turns -0 into 0: they would be different keys that look the same.
  return { step: Number(step) + 0, rank: Number(rank), call: Number(call) };
}
