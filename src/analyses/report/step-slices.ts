/**
 * Slices by step, of which a run may have a hundred thousand. Most get all they ever get from a few batches; those that
 * are no longer added to are kept as the bytes that they travel as, which take a fifth of their memory or less.
 *
 * @module
 */
import { ByteReader, ByteWriter, NUMBER } from "../../core/base/index.ts";
import { layoutOf, type MismatchSummary, part, Sums } from "../../core/summaries/index.ts";
import { makeSlice, slicesBy } from "./slices.ts";

/** Slices that are kept ready to be added to. */
const MOST_OPEN = 16;
/** Bytes of many slices are one array: an array of its own for each would take more than a small slice. */
const BLOCK_BYTES = 1 << 20;

export class StepSlices extends Sums {
  static readonly layout = layoutOf<StepSlices>(
    {
      steps: part(slicesBy(NUMBER), (slices) => ({
        size: slices.size,
        sorted: () => slices.sorted(),
        get(step) {
          slices.settle();
          return slices.get(step);
        },
      })),
    },
    (slices) => slices.settle(),
  );
  /** In the order in which they were opened. */
  readonly #open = new Map<number, MismatchSummary>();
  /** As bytes, each a part of a block. */
  readonly #settled = new Map<number, Uint8Array>();
  /** Opened again, which takes time, so they stay open: the steps of this run do not come one after the other. */
  readonly #recurring = new Set<number>();
  readonly #mostOpen: number;
  readonly #writer = new ByteWriter();
  /** What is free of the block that is being filled. */
  #free = new Uint8Array(0);

  constructor(mostOpen = MOST_OPEN) {
    super();
    this.#mostOpen = mostOpen;
  }

  get size(): number {
    return this.#open.size + this.#settled.size;
  }

  /** The slice of a step, made when the step first occurs. To be added to until the next {@link settle}. */
  get(step: number): MismatchSummary {
    const known = this.#open.get(step);
    if (known !== undefined) return known;
    const bytes = this.#settled.get(step);
    const slice = bytes === undefined ? makeSlice() : decode(bytes);
    // Its bytes stay in their block, so a slice is settled only once: else a run could fill its memory with these.
    if (this.#settled.delete(step)) this.#recurring.add(step);
    this.#open.set(step, slice);
    return slice;
  }

  /** If many slices are open, settles the older half of them. */
  settle(): void {
    const passing = this.#open.size - this.#recurring.size;
    if (passing <= this.#mostOpen) return;
    let left = passing - Math.ceil(this.#mostOpen / 2);
    for (const [step, slice] of this.#open) {
      if (left === 0) return;
      if (this.#recurring.has(step)) continue;
      this.#settled.set(step, this.#store(slice));
      this.#open.delete(step);
      left--;
    }
  }

  #store(slice: MismatchSummary): Uint8Array {
    this.#writer.clear();
    slice.encode(this.#writer);
    const { size } = this.#writer;
    if (size > this.#free.length) this.#free = new Uint8Array(Math.max(size, BLOCK_BYTES));
    const bytes = this.#free.subarray(0, size);
    this.#free = this.#free.subarray(size);
    this.#writer.finishInto(bytes);
    return bytes;
  }

  /**
   * In ascending order of step; NaN (unknown) last. To be looked at one by one, and once if possible: a settled slice is
   * rebuilt for each look.
   */
  *sorted(): Generator<[step: number, slice: MismatchSummary]> {
    // Typed arrays sort numbers by value, and NaN to the end.
    for (const step of Float64Array.from([...this.#open.keys(), ...this.#settled.keys()]).sort())
      yield [step, this.#open.get(step) ?? decode(this.#settled.get(step)!)];
  }
}

function decode(bytes: Uint8Array): MismatchSummary {
  const slice = makeSlice();
  slice.mergeFrom(new ByteReader(bytes, "a slice"));
  return slice;
}
