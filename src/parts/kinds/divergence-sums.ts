import {
  checkOptions,
  createSegmentSplitter,
  Segment,
  type SegmentOptions,
} from "../../analyses/divergence/index.ts";
import { type ByteReader, type ByteWriter, UsageError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { ShardSums } from "../part.ts";
import type { KindOptions, RunKind } from "./kind.ts";
import { decodeCounts, encodeCounts, mergeCounts } from "./sequence-counts.ts";

/** Settings that decide which tokens of a shard are kept. */
interface Kept extends SegmentOptions {
  readonly every: number;
}

/**
 * The steps of each shard with the tokens whose policies are furthest apart. Shards are kept separate: which of them
 * share a step, one after another, is known only when all are there.
 */
export class DivergenceSums implements ShardSums {
  #kept: Kept | undefined;
  /** Segments by the name of their shard. */
  readonly #segments = new Map<string, readonly Segment[]>();
  readonly sequencesByFile = new Map<string, number>();
  /** Sequences of steps that `every` left out. */
  leftOut = 0;

  constructor(kept?: Kept) {
    this.#kept = kept;
  }

  /** Undefined if nothing was summed. */
  get kept(): Kept | undefined {
    return this.#kept;
  }

  get sequences(): number {
    return this.#sum(({ iteration }) => iteration.sequences);
  }

  get tokens(): number {
    return this.#sum(({ iteration }) => iteration.tokens);
  }

  #sum(read: (segment: Segment) => number): number {
    return [...this.#segments.values()].flat().reduce((sum, segment) => sum + read(segment), 0);
  }

  async addShard(name: string, batches: AsyncIterable<RecordBatch>, kept: Kept): Promise<void> {
    const splitter = createSegmentSplitter(kept, kept.every);
    const segments: Segment[] = [];
    for await (const batch of batches) {
      mergeCounts(this.sequencesByFile, [[batch.provenance.file, batch.length]]);
      segments.push(...splitter.add(batch));
    }
    segments.push(...splitter.finish());
    this.#segments.set(name, segments);
    this.leftOut += splitter.leftOut;
  }

  /**
   * The steps of all shards, joined as one process would join them that reads the shards in this order.
   *
   * @param shards their names, which may include shards without steps
   */
  *steps(shards: readonly string[]): Generator<Segment> {
    let open: Segment | undefined;
    for (const segment of shards.flatMap((name) => this.#segments.get(name) ?? [])) {
      if (open !== undefined && !Object.is(open.step, segment.step)) {
        yield open;
        open = undefined;
      }
      // Joining changes the segment, so this copy keeps the shards' own unchanged.
      open ??= new Segment(segment.step, this.#kept!);
      open.join(segment);
    }
    if (open !== undefined) yield open;
  }

  merge(other: DivergenceSums): void {
    this.#kept ??= other.#kept;
    for (const [name, segments] of other.#segments) this.#segments.set(name, segments);
    mergeCounts(this.sequencesByFile, other.sequencesByFile);
    this.leftOut += other.leftOut;
  }

  encode(to: ByteWriter): void {
    to.byte(this.#kept === undefined ? 0 : 1);
    if (this.#kept === undefined) return;
    const { topK, contextWindow, every } = this.#kept;
    for (const value of [topK, contextWindow, every, this.leftOut]) to.whole(value);
    encodeCounts(this.sequencesByFile, to);
    const sorted = [...this.#segments].sort(([a], [b]) => (a < b ? -1 : 1));
    to.whole(sorted.length);
    for (const [name, segments] of sorted) {
      to.name(name);
      to.whole(segments.length);
      for (const segment of segments) segment.encode(to);
    }
  }

  mergeFrom(from: ByteReader): void {
    if (from.byte() === 0) return;
    const [topK, contextWindow, every, leftOut] = [from.whole(), from.whole(), from.whole(), from.whole()];
    if (topK === 0 || every === 0) from.fail("a setting is 0");
    this.#kept ??= { topK, contextWindow, every };
    this.leftOut += leftOut;
    mergeCounts(this.sequencesByFile, decodeCounts(from));
    for (let left = from.count(2); left > 0; left--) {
      const name = from.name();
      const segments = Array.from({ length: from.count() }, () => Segment.decode(from, { topK }));
      this.#segments.set(name, segments);
    }
  }
}

function readKept({ topK, context, every = 1 }: KindOptions): Kept {
  const given = (name: string, value: number | string): number => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < (name === "--context" ? 0 : 1))
      throw new UsageError(
        `${name} must be a ${name === "--context" ? "" : "positive "}whole number, not "${value}"`,
      );
    return number;
  };
  const checked = checkOptions({
    ...(topK !== undefined && { divergenceTopK: given("--top-k", topK) }),
    ...(context !== undefined && { contextWindow: given("--context", context) }),
  });
  return { topK: checked.topK, contextWindow: checked.contextWindow, every: given("--every", every) };
}

export const DIVERGENCE_PARTS: RunKind = {
  version: 1,
  reads: { keepDetails: true },
  flags: ["topK", "context", "every"],
  makeSums: () => new DivergenceSums(),
  prepare(options) {
    const kept = readKept(options);
    return async (batches, run) => {
      const sums = new DivergenceSums(kept);
      await sums.addShard(run.sources[0]!.file, batches, kept);
      return sums;
    };
  },
};
