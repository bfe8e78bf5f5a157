import {
  checkOptions,
  createSegmentSplitter,
  SEGMENT_TEXT,
  Segment,
  type SegmentOptions,
  segmentWith,
} from "../../analyses/divergence/index.ts";
import { type Codec, listOf, mapOf, recordOf, UsageError, WHOLE } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { addCount, contents, KERNEL_REVISION, layoutOf, Sums } from "../../core/summaries/index.ts";
import type { ShardSums } from "../part.ts";
import type { KindOptions, RunKind } from "./kind.ts";

/** Settings that decide which tokens of a shard are kept. */
interface Kept extends SegmentOptions {
  readonly every: number;
}

interface Settings extends Kept {
  readonly leftOut: number;
}

/** What there is of shards; undefined of sums of nothing. */
type Content =
  | {
      readonly settings: Settings;
      readonly sequences: ReadonlyMap<string, number>;
      readonly segments: Segments;
    }
  | undefined;
/** By the name of the shard. */
type Segments = ReadonlyMap<string, readonly Segment[]>;

const SETTINGS = recordOf<Settings>({ topK: WHOLE, contextWindow: WHOLE, every: WHOLE, leftOut: WHOLE });
const SEQUENCES = mapOf(WHOLE);

/** By hand, since segments are read with the settings before them. */
const CONTENT: Codec<Content> = {
  text: `{settings: ${SETTINGS.text}, sequences: ${SEQUENCES.text}, segments: lists of ${SEGMENT_TEXT} by name} or none`,
  write(content, to) {
    to.byte(content === undefined ? 0 : 1);
    if (content === undefined) return;
    const { settings, sequences, segments } = content;
    SETTINGS.write(settings, to);
    SEQUENCES.write(sortNames(sequences), to);
    mapOf(listOf(segmentWith(settings))).write(sortNames(segments), to);
  },
  read(from) {
    if (from.byte() === 0) return undefined;
    const settings = SETTINGS.read(from);
    if (settings.topK === 0 || settings.every === 0) from.fail("a setting is 0");
    const sequences = SEQUENCES.read(from);
    return { settings, sequences, segments: mapOf(listOf(segmentWith(settings))).read(from) };
  },
};

function sortNames<V>(byName: ReadonlyMap<string, V>): Map<string, V> {
  return new Map([...byName].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The steps of each shard with the tokens whose policies are furthest apart. Shards are kept separate: which of them
 * share a step, one after another, is known only when all are there.
 */
export class DivergenceSums extends Sums implements ShardSums {
  static readonly layout = layoutOf<DivergenceSums>({
    content: contents(
      CONTENT,
      (sums) => sums.#content(),
      (sums, content) => sums.#addContent(content),
    ),
  });
  #kept: Kept | undefined;
  /** Segments by the name of their shard. */
  readonly #segments = new Map<string, readonly Segment[]>();
  readonly sequencesByFile = new Map<string, number>();
  /** Sequences of steps that `every` left out. */
  leftOut = 0;

  constructor(kept?: Kept) {
    super();
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
      addCount(this.sequencesByFile, batch.provenance.file, batch.length);
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

  #content(): Content {
    if (this.#kept === undefined) return undefined;
    const settings = { ...this.#kept, leftOut: this.leftOut };
    return { settings, sequences: this.sequencesByFile, segments: this.#segments };
  }

  #addContent(content: Content): void {
    if (content === undefined) return;
    const { leftOut, ...kept } = content.settings;
    this.#kept ??= kept;
    this.leftOut += leftOut;
    for (const [file, count] of content.sequences) addCount(this.sequencesByFile, file, count);
    for (const [name, segments] of content.segments) this.#segments.set(name, segments);
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
  version: 1 + KERNEL_REVISION,
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
