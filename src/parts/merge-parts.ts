/**
 * Merges parts into one. Every order and every tree of merges gives the same result.
 *
 * @module
 */
import { dirname } from "node:path";
import { SchemaError, UsageError } from "../core/base/index.ts";
import { FindingLog } from "../core/schema/index.ts";
import { formatCount } from "../core/text/index.ts";
import { compareReports } from "../ingest/index.ts";
import { loadFastUnzstd } from "../input/io/index.ts";
import { PART_KINDS, type SumsByKind } from "./kinds/index.ts";
import type { Part, PartCall, PartInfo, PartKind, PartShard, ShardSums } from "./part.ts";
import { type OpenedPart, openPart } from "./part-bytes.ts";
import { findParts, readPartBytes } from "./part-files.ts";

interface Held {
  readonly shard: PartShard;
  /** The part that contained it. */
  readonly origin: string;
}

/** Merges parts one by one, so that at most one of them is in memory in addition to the sums. */
export class PartMerger {
  #sums: ShardSums | undefined;
  #first: { readonly info: PartInfo; readonly origin: string } | undefined;
  readonly #calls = new Map<string, PartCall>();
  readonly #byName = new Map<string, Held>();
  readonly #byDigest = new Map<string, Held>();
  readonly #failed = new Map<string, PartShard>();
  readonly #notes = new FindingLog();

  /**
   * Adds a part. If all its shards were added before, it is left out and counted.
   *
   * @param origin names the part in messages: its file
   * @throws UsageError when it is for another verb, or was read with other flags, than those before it
   * @throws SchemaError when only some of its shards were added before: they can no longer be separated
   */
  add({ info, sums }: Part, origin: string): void {
    this.addOpened({ info, mergeInto: (into) => into.merge(sums) }, origin);
  }

  /** Like {@link add}: sums go from the bytes directly into the merged sums and never exist separately. */
  addOpened({ info, mergeInto }: OpenedPart, origin: string): void {
    if (this.#first === undefined) this.#first = { info, origin };
    else requireSameFlags(this.#first, { info, origin });
    for (const call of info.calls) this.#addCall(call);
    this.#notes.addData(info.notes);
    for (const shard of info.shards) if (shard.failed) this.#failed.set(shard.name, shard);
    const read = info.shards.filter(({ failed }) => !failed);
    const known = read.flatMap((shard) => this.#find(shard) ?? []);
    if (known.length > 0 && known.length === read.length) {
      for (const { shard } of known) this.#tellRepeated(shard);
      return;
    }
    if (known.length > 0) refuseOverlap(known[0]!, origin);
    for (const shard of read) {
      const held = { shard, origin };
      this.#byName.set(shard.name, held);
      if (shard.digest !== null) this.#byDigest.set(shard.digest, held);
    }
    this.#sums ??= PART_KINDS[info.kind].makeSums();
    mergeInto(this.#sums);
  }

  /** A call made again to resume is the same as the earlier one, which is kept. */
  #addCall(call: PartCall): void {
    const known = this.#calls.get(call.id);
    if (known !== undefined && JSON.stringify(known) <= JSON.stringify(call)) return;
    this.#calls.set(call.id, call);
  }

  /** @throws SchemaError when the file has changed since */
  #find(shard: PartShard): Held | undefined {
    const named = this.#byName.get(shard.name);
    if (named !== undefined && named.shard.digest !== shard.digest) {
      throw new SchemaError(`${shard.name} is in two parts, and is not the same file in both`, {
        at: { file: named.origin },
        likely: "it was written again between the two",
        hint: "remove the older part",
      });
    }
    return named ?? (shard.digest === null ? undefined : this.#byDigest.get(shard.digest));
  }

  #tellRepeated({ name }: PartShard): void {
    this.#notes.add({
      code: "duplicate",
      severity: "warning",
      subject: "shards in several parts",
      count: 1,
      omits: { unit: "file", why: "repeated" },
      at: { file: name },
      likely: "a shard was summarized twice, or copied",
      describe: (count) =>
        count === 1
          ? "1 shard is in two parts: counted once"
          : `${count} shards are in several parts: counted once`,
    });
  }

  /** The merged part. @throws UsageError when nothing was added */
  finish(): Part {
    if (this.#first === undefined) throw new UsageError("no part given", { hint: "give .lrs files" });
    const read = [...this.#byName.values()].map(({ shard }) => shard);
    const failed = [...this.#failed.values()].filter(({ name }) => !this.#byName.has(name));
    return {
      info: {
        ...this.#first.info,
        calls: [...this.#calls.values()].sort((a, b) => compareTexts(a.id, b.id)),
        shards: [...read, ...failed].sort(compareShards),
        notes: this.#notes.toData(),
      },
      sums: this.#sums ?? PART_KINDS[this.#first.info.kind].makeSums(),
    };
  }
}

/** From this number of parts on, loading a faster decompressor pays off. */
const MANY_PARTS = 64;

/** Which of several parts to merge. */
interface Wanted {
  readonly kind: PartKind;
  /** Whether the user named this file, rather than only its directory, where parts for other verbs may lie too. */
  isNamed(path: string): boolean;
}

/**
 * Merges files of parts one after another; while one is added, the next is read.
 *
 * @param paths of `findParts`
 * @param wanted parts for other verbs are left out unless they are named; default all, which must be for one verb
 * @throws LogratioError of `readPart` and `PartMerger.add`
 * @throws UsageError when a named part is for another verb, or all parts are
 */
export async function mergeParts(paths: readonly string[], wanted?: Wanted): Promise<Part> {
  if (paths.length >= MANY_PARTS) await loadFastUnzstd();
  const merger = new PartMerger();
  const others = new Map<PartKind, number>();
  let merged = 0;
  let next = paths.length === 0 ? undefined : readPartBytes(paths[0]!);
  for (const [i, path] of paths.entries()) {
    const bytes = await next!;
    next = i + 1 < paths.length ? readPartBytes(paths[i + 1]!) : undefined;
    // Its error is thrown when it is awaited, which an earlier error would prevent.
    next?.catch(() => {});
    const part = openPart(bytes, path);
    const { kind } = part.info;
    if (wanted === undefined || kind === wanted.kind) {
      merger.addOpened(part, path);
      merged++;
    } else if (wanted.isNamed(path)) refuseKind(`${path} is a part for ${kind}`, path, kind, wanted.kind);
    else others.set(kind, (others.get(kind) ?? 0) + 1);
  }
  const [other] = others;
  if (merged === 0 && other !== undefined) {
    const there = [...others].map(([kind, count]) => `${formatCount(count)} for ${kind}`).join(", ");
    refuseKind(
      `no part for ${wanted!.kind} found; found: ${there}`,
      dirname(paths[0]!),
      other[0],
      wanted!.kind,
    );
  }
  return merger.finish();
}

/** Merges the parts in the given paths, for one verb. @throws LogratioError of `findParts` and `mergeParts` */
export async function mergePaths<Kind extends PartKind>(
  kind: Kind,
  paths: readonly string[],
): Promise<Part<SumsByKind[Kind]>> {
  const named = new Set(paths);
  const part = await mergeParts(await findParts(paths), { kind, isNamed: (path) => named.has(path) });
  return part as Part<SumsByKind[Kind]>;
}

function refuseKind(message: string, file: string, kind: PartKind, wanted: PartKind): never {
  const answered = kind === "report" ? `logratio merge ${file}` : `logratio ${kind} ${file}`;
  throw new UsageError(message, {
    at: { file },
    hint: `${answered} answers from them; logratio summarize ${wanted === "kl" ? "STUDIES" : "DUMPS"} --for ${wanted} --out DIR makes parts for ${wanted}`,
  });
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Sorts shards in the order in which a single process would read them. */
function compareShards(a: PartShard, b: PartShard): number {
  const [ours, theirs] = [a.sources[0], b.sources[0]];
  if (ours === undefined || theirs === undefined) return compareTexts(a.name, b.name);
  return compareReports(ours, theirs) || compareTexts(a.name, b.name);
}

function requireSameFlags(
  first: { readonly info: PartInfo; readonly origin: string },
  other: { readonly info: PartInfo; readonly origin: string },
): void {
  const [ours, theirs] = [first, other].map(({ info }) => info.settings.join(" "));
  if (first.info.kind !== other.info.kind) {
    throw new UsageError(
      `${first.origin} is for ${first.info.kind}, ${other.origin} for ${other.info.kind}: only parts for one verb merge`,
      { at: { file: other.origin }, hint: `name the verb: --for ${first.info.kind}` },
    );
  }
  if (ours === theirs) return;
  const say = (flags: string | undefined): string => (flags === "" ? "no flags" : `${flags}`);
  throw new UsageError(
    `parts were read with different flags: ${first.origin} with ${say(ours)}, ${other.origin} with ${say(theirs)}`,
    {
      at: { file: other.origin },
      hint: "run logratio summarize again for one of them, with the flags of the other",
    },
  );
}

function refuseOverlap({ shard, origin }: Held, other: string): never {
  throw new SchemaError(`${shard.name} is in ${origin} and in ${other}, which also has other shards`, {
    at: { file: other },
    likely: "a merged part was given together with one of its own parts",
    hint: "leave out one of the two parts",
  });
}
