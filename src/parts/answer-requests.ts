/**
 * A long-lived worker for programs in other languages: requests arrive as lines of JSON; each reply is a line of JSON,
 * followed by as many bytes as that line says. docs/larger-than-one-machine.md describes the protocol.
 *
 * @module
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { parseParity } from "../analyses/runs/parity-option.ts";
import { isLogratioError, isObject, resultJson, UsageError } from "../core/base/index.ts";
import { writeWholeFile } from "../input/io/index.ts";
import { parsePartKind } from "./kinds/index.ts";
import { mergeParts, mergePaths, PartMerger } from "./merge-parts.ts";
import type { Part, PartKind } from "./part.ts";
import { encodePart } from "./part-bytes.ts";
import { findParts } from "./part-files.ts";
import { reportPart } from "./report-part.ts";
import type { SummarizeOptions as RunOptions, ShardReader, ShardToRead } from "./summarize-shards.ts";

type SummarizeOptions = RunOptions<PartKind>;

/** Finds the shards in the paths: `openShardReader`, or a function that knows other shards too. */
export type OpenShards = (paths: readonly string[], options: SummarizeOptions) => Promise<ShardReader>;

/** One line of standard input. Exactly one of `plan`, `summarize`, `merge` and `report` is set. */
interface WorkerRequest {
  /** Returned with the reply. */
  readonly id?: unknown;
  /** Paths of dumps; the reply is a part without shards that names all of them, and the list of the shards. */
  readonly plan?: readonly string[];
  /** Paths of dumps; the reply is their part. */
  readonly summarize?: readonly string[];
  /** Whether the paths are shards that `plan` named; its part lists what is expected, so theirs do not. */
  readonly planned?: boolean;
  /** Flags of `logratio summarize`, named as in `reportRun`. */
  readonly options?: SummarizeOptions;
  /** Paths of parts; the reply is one part that merges them. */
  readonly merge?: readonly string[];
  /** Paths of parts; the reply is what `logratio merge --json` prints. */
  readonly report?: readonly string[];
  readonly parity?: readonly string[];
  /** Writes the reply's bytes to this file instead. */
  readonly out?: string;
}

interface Answer {
  readonly bytes: Uint8Array;
  /** Figures that describe the bytes. */
  readonly of: Readonly<Record<string, unknown>>;
}

/** Answers requests in order until the input ends. A request that fails is answered with its error. */
export async function answerRequests(input: Readable, output: Writable, open: OpenShards): Promise<void> {
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    let id: unknown = null;
    try {
      const request = parseRequest(line);
      id = request.id ?? null;
      const { bytes, of } = await answer(request, open);
      if (request.out === undefined) await send(output, { id, ok: true, ...of }, bytes);
      else {
        await writeWholeFile(request.out, bytes);
        await send(output, { id, ok: true, ...of, out: request.out });
      }
    } catch (error) {
      await send(output, { id, ok: false, error: describeError(error) });
    }
  }
}

async function send(output: Writable, head: object, bytes: Uint8Array = new Uint8Array(0)): Promise<void> {
  const line = `${JSON.stringify({ ...head, bytes: bytes.length })}\n`;
  const isTaken = output.write(Buffer.concat([Buffer.from(line), bytes]));
  if (!isTaken) await once(output, "drain");
}

function parseRequest(line: string): WorkerRequest {
  let request: unknown;
  try {
    request = JSON.parse(line);
  } catch (cause) {
    throw new UsageError("the request is not JSON", { hint: "write one JSON object on one line", cause });
  }
  if (!isObject(request)) throw new UsageError("the request is not a JSON object");
  return request as WorkerRequest;
}

async function answer(request: WorkerRequest, open: OpenShards): Promise<Answer> {
  const { plan, summarize, planned = false, options, merge, report, parity = [] } = request;
  if (plan !== undefined) return makePlan(open, readPaths("plan", plan), options);
  if (summarize !== undefined)
    return packPart(await summarizeAll(open, readPaths("summarize", summarize), planned, options));
  if (merge !== undefined) return packPart(await mergeAll(readPaths("merge", merge)));
  if (report !== undefined) {
    const part = await mergePaths("report", readPaths("report", report));
    const result = reportPart(part, { parity: await parseParity(parity) });
    return { bytes: new TextEncoder().encode(`${resultJson(result)}\n`), of: count(part) };
  }
  throw new UsageError("the request has no task", {
    hint: "give plan, summarize, merge or report with a list of paths",
  });
}

function readPaths(name: string, paths: unknown): readonly string[] {
  if (Array.isArray(paths) && paths.length > 0 && paths.every((path) => typeof path === "string"))
    return paths;
  throw new UsageError(`${name} must be a list of paths`);
}

function openReader(
  open: OpenShards,
  paths: readonly string[],
  options: SummarizeOptions,
): Promise<ShardReader> {
  if (paths.includes("-"))
    throw new UsageError("requests arrive on standard input, so - cannot be read: give a path");
  return open(paths, { ...options, for: parsePartKind(options.for ?? "report") });
}

async function makePlan(
  open: OpenShards,
  paths: readonly string[],
  options: SummarizeOptions = {},
): Promise<Answer> {
  const reader = await openReader(open, paths, options);
  const shards: object[] = [];
  for (let at = 0; at < reader.shards.length; at += DIGESTS_AT_ONCE)
    shards.push(...(await Promise.all(reader.shards.slice(at, at + DIGESTS_AT_ONCE).map(describeShard))));
  return { bytes: await encodePart(reader.emptyPart()), of: { shards } };
}

/** Computing a digest is mostly waiting for files, which may be remote. */
const DIGESTS_AT_ONCE = 16;

/** The digest is the one stored in a part; it shows whether an existing part is of these files or of older ones. */
async function describeShard(shard: ShardToRead): Promise<object> {
  return {
    name: shard.name,
    paths: shard.paths,
    bytes: shard.sources.reduce((sum, { bytes }) => sum + bytes, 0),
    digest: (await shard.digest()) ?? null,
  };
}

async function summarizeAll(
  open: OpenShards,
  paths: readonly string[],
  planned: boolean,
  options: SummarizeOptions = {},
): Promise<Part> {
  const reader = await openReader(open, paths, options);
  const merger = new PartMerger();
  merger.add(reader.emptyPart(), "the request");
  for (const shard of reader.shards) merger.add(await reader.summarize(shard), shard.name);
  const part = merger.finish();
  return planned ? { ...part, info: { ...part.info, calls: [] } } : part;
}

async function mergeAll(paths: readonly string[]): Promise<Part> {
  return mergeParts(await findParts(paths));
}

async function packPart(part: Part): Promise<Answer> {
  return { bytes: await encodePart(part), of: count(part) };
}

function count({ info, sums }: Part): Record<string, number> {
  return {
    shards: info.shards.filter(({ failed }) => !failed).length,
    failed: info.shards.filter(({ failed }) => failed).length,
    sequences: sums.sequences,
    tokens: sums.tokens,
  };
}

function describeError(error: unknown): object {
  if (!isLogratioError(error))
    return { tag: "bug", message: error instanceof Error ? error.message : String(error) };
  const { _tag: tag, message, at, likely, hint } = error;
  return { tag, message, at, likely, hint };
}
