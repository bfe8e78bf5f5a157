/**
 * How the files of a prime-rl run combine: traces, annotations of them, and an index beside each.
 *
 * ```
 * traces/stream/00000.jsonl.zst                 traces, sealed once the chunk is full
 * traces/stream/00001.jsonl                     … and still growing
 * traces/stream.index.jsonl
 * traces/annotations/PRODUCER/00000.jsonl       the same of each producer: the orchestrator, the trainer
 * traces/annotations/PRODUCER.index.jsonl
 * ```
 *
 * Before chunks the files were `traces/stream.jsonl` and `traces/annotations/PRODUCER.jsonl` (prime-rl pull request
 * 3444; chunks came with 3465).
 *
 * @module
 */
import { plural } from "../../../core/text/index.ts";
import type { Joined, PartFile } from "../../../input/adapters/adapter.ts";

export interface TracesPart {
  readonly kind: "traces" | "annotations" | "index";
  /** Whether its first rows have the trainer's log-probs. */
  readonly hasTrainer: boolean;
}

/** A stream and the number of its chunk, as indexes name them. */
export interface ChunkName {
  /** Path without the chunk: `…/traces/stream`. */
  readonly stream: string;
  readonly chunk: number;
}

/** `…/stream/00002.jsonl.zst` is chunk 2 of `…/stream`; `…/trainer.jsonl`, from before chunks, is all of `…/trainer`. */
export function nameChunk(file: string): ChunkName {
  const path = file.replaceAll("\\", "/").replace(/\.jsonl(?:\.(?:zst|zstd|gz))?$/, "");
  const [, stream, chunk] = /^(.*)\/(\d+)$/.exec(path) ?? [];
  return stream === undefined ? { stream: path, chunk: 0 } : { stream, chunk: Number(chunk) };
}

/** The stream that an index is of. */
export function indexedStream(file: string): string {
  return nameChunk(file).stream.replace(/\.index$/, "");
}

/** What reading traces must know about the other files. */
export interface SharedFacts {
  /** How many files of traces the annotations belong to. */
  readonly traceFiles: number;
}

interface Member {
  readonly place: number;
  /** With slashes, whatever the system has. */
  readonly path: string;
  readonly part: TracesPart;
}

/** The cast is safe: this adapter's `detect` made all parts of its files. */
function toMember({ file, facts }: PartFile, place: number): Member {
  return { place, path: file.replaceAll("\\", "/"), part: facts as TracesPart };
}

/** The folder whose traces a file of annotations is about: the one that has the folder `annotations`. */
function scopeOf({ path }: Member): string {
  const folders = path.split("/").slice(0, -1);
  const at = folders.lastIndexOf("annotations");
  return (at < 0 ? folders : folders.slice(0, at)).map((folder) => `${folder}/`).join("");
}

/** By producer, then by chunk: the order in which prime-rl's own reader applies them. */
function compareMembers(a: Member, b: Member): number {
  const [left, right] = [a.path.split("/"), b.path.split("/")];
  const at = left.findIndex((part, i) => part !== right[i]);
  return at < 0 ? 0 : left[at]! < (right[at] ?? "") ? -1 : 1;
}

/** While a chunk is being sealed it exists twice. The plain file counts. */
function isTwin({ path }: Member, all: readonly Member[]): boolean {
  const plain = path.replace(/\.zstd?$/, "");
  return plain !== path && all.some((other) => other.path === plain);
}

function annotate(
  { problem }: PartFile,
  files: readonly Member[],
  indexes: readonly Member[],
  traceFiles: number,
): Joined & { readonly shared: SharedFacts } {
  const hasTrainer = files.some(({ part }) => part.hasTrainer);
  const what = hasTrainer ? "trainer log-probs, entropies and advantages" : "advantages";
  return {
    as: "read",
    companions: [...files, ...indexes].map(({ place }) => place),
    problem: hasTrainer ? undefined : problem,
    found: [`${what}: from ${plural(files.length, "file")} of annotations, the newest of each node`],
    ...(hasTrainer && { missing: [] }),
    shared: { traceFiles },
  };
}

/** Joins files of traces with the annotations in the same folder. */
export function joinTraces(parts: readonly PartFile[]): readonly Joined[] {
  const joined: Joined[] = parts.map(({ problem }) => ({ as: "read", problem }));
  const members = parts.map(toMember);
  for (const member of members.filter((one) => isTwin(one, members)))
    joined[member.place] = { as: "repeated", problem: undefined, repeats: "chunks that are being sealed" };
  const ofKind = (kind: TracesPart["kind"]): Member[] =>
    members.filter((one) => one.part.kind === kind && joined[one.place]!.as === "read").sort(compareMembers);
  const [traces, annotations, indexes] = [ofKind("traces"), ofKind("annotations"), ofKind("index")];
  for (const scope of new Set(annotations.map(scopeOf))) {
    const files = annotations.filter((one) => scopeOf(one) === scope);
    const own = traces.filter(({ path }) => path.startsWith(scope));
    const ofScope = indexes.filter(({ path }) => path.startsWith(scope));
    for (const { place } of own) joined[place] = annotate(parts[place]!, files, ofScope, own.length);
    if (own.length > 0)
      for (const { place } of files) joined[place] = { as: "companion", problem: undefined };
  }
  if (traces.length > 0)
    for (const { place } of indexes) joined[place] = { as: "companion", problem: undefined };
  return joined;
}
