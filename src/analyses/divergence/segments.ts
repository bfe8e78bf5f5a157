/**
 * Consecutive sequences of one step, as far as they were read: one file's part of a training step, to be joined with
 * the next file's part.
 *
 * @module
 */
import { type Codec, NUMBER } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { tokenBlock } from "./debug-metrics.ts";
import { Iteration } from "./iteration.ts";
import { IterationAccuracy } from "./iteration-accuracy.ts";
import type { CheckedOptions } from "./options.ts";
import { recordFacts } from "./record-facts.ts";

/** What decides which tokens are kept. */
export type SegmentOptions = Pick<CheckedOptions, "topK" | "contextWindow">;

export class Segment {
  /** NaN if not known. */
  readonly step: number;
  readonly iteration: Iteration;
  readonly accuracy = new IterationAccuracy();

  constructor(step: number, { topK }: Pick<SegmentOptions, "topK">) {
    this.step = step;
    this.iteration = new Iteration({ topK });
  }

  /** Adds the sequences that follow these. */
  join(next: Segment): void {
    this.iteration.join(next.iteration);
    this.accuracy.merge(next.accuracy);
  }
}

/** Segments of such options. */
export function segmentWith(options: Pick<SegmentOptions, "topK">): Codec<Segment> {
  return {
    text: SEGMENT_TEXT,
    write({ step, iteration, accuracy }, to) {
      NUMBER.write(step, to);
      Iteration.layout.encode(iteration, to);
      accuracy.encode(to);
    },
    read(from) {
      const segment = new Segment(NUMBER.read(from), options);
      Iteration.layout.mergeFrom(segment.iteration, from);
      segment.accuracy.mergeFrom(from);
      return segment;
    },
  };
}

export const SEGMENT_TEXT = `{step: ${NUMBER.text}, iteration: ${Iteration.layout.text}, accuracy: ${IterationAccuracy.layout.text}}`;

/** Batches on their way into segments. */
export interface SegmentSplitter {
  /** Adds a batch; returns the segments that it ended. */
  add(batch: RecordBatch): readonly Segment[];
  /** Sequences in steps that `every` left out. */
  readonly leftOut: number;
  /** Ends the last segment. */
  finish(): readonly Segment[];
}

/** A segment ends when sequences of another step arrive. @param every keep only multiples of this step */
export function createSegmentSplitter(options: SegmentOptions, every: number): SegmentSplitter {
  let open: Segment | undefined;
  let leftOut = 0;
  const batches = new Map<string, number>();

  function end(): Segment[] {
    const ended = open === undefined ? [] : [open];
    open = undefined;
    return ended;
  }

  return {
    add(batch) {
      const block = tokenBlock(batch);
      const readFacts = recordFacts(batch, options.contextWindow);
      const { file } = batch.provenance;
      const number = batches.get(file) ?? 0;
      batches.set(file, number + 1);
      const unit = `${file}\0${String(number).padStart(9, "0")}`;
      const ended: Segment[] = [];
      for (let from = 0, to = 0; from < batch.length; from = to) {
        const step = batch.steps[from]!;
        while (to < batch.length && Object.is(batch.steps[to], step)) to++;
        if (step % every !== 0 && !Number.isNaN(step)) {
          leftOut += to - from;
          continue;
        }
        if (open !== undefined && !Object.is(open.step, step)) ended.push(...end());
        open ??= new Segment(step, options);
        open.accuracy.add(batch, from, to);
        open.iteration.add(block, [from, to], readFacts, { release: true, unit });
      }
      return ended;
    },
    get leftOut() {
      return leftOut;
    },
    finish: end,
  };
}
