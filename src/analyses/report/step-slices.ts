/**
 * Slices by step, of which a run may have a hundred thousand. A few batches supply most of them completely; slices that
 * are no longer added to are kept encoded, which takes at most a fifth of their memory.
 *
 * @module
 */
import { ByteReader, ByteWriter, NUMBER } from "../../core/base/index.ts";
import { layoutOf, type MismatchSummary, part, Sums } from "../../core/summaries/index.ts";
import { makeSlice, slicesBy } from "./slices.ts";

/** Number of slices kept ready for additions. */
const MOST_OPEN = 16;
/** The bytes of many slices share one array: a separate array for each would take more than a small slice. */
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
  /** Encoded slices, each a part of a block. */
  readonly #settled = new Map<number, Uint8Array>();
  /** Steps that had to be reopened, which takes time, so they stay open: this run's steps are not contiguous. */
  readonly #recurring = new Set<number>();
  readonly #mostOpen: number;
  readonly #writer = new ByteWriter();
  /** The free part of the current block. */
  #free = new Uint8Array(0);

  constructor(mostOpen = MOST_OPEN) {
    super();
    this.#mostOpen = mostOpen;
  }

  get size(): number {
    return this.#open.size + this.#settled.size;
  }

  /** The slice of a step, created when the step first occurs. May be added to until the next {@link settle}. */
  get(step: number): MismatchSummary {
    const known = this.#open.get(step);
    if (known !== undefined) return known;
    const bytes = this.#settled.get(step);
    const slice = bytes === undefined ? makeSlice() : decode(bytes);
    // Its bytes stay in their block, so a slice is settled only once: otherwise a run could fill its memory with them.
    if (this.#settled.delete(step)) this.#recurring.add(step);
    this.#open.set(step, slice);
    return slice;
  }

  /** Settles the older half of the open slices if there are many. */
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
   * In ascending order of step; NaN (unknown) last. Iterate once if possible: a settled slice is decoded each time.
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
