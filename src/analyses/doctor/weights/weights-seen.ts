import { listOf, NUMBER, nullable, recordOf, TEXT, WHOLE } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import { contents, layoutOf, Sums } from "../../../core/summaries/index.ts";

/** Sequences of one step that state the same weights. */
export interface StatedWeights {
  /** NaN if unknown. */
  readonly step: number;
  /** As the record has them; null if it does not say. */
  readonly rollout: string | null;
  readonly trainer: string | null;
  readonly sequences: number;
}

const STATED = listOf(
  recordOf<StatedWeights>({
    step: NUMBER,
    rollout: nullable(TEXT),
    trainer: nullable(TEXT),
    sequences: WHOLE,
  }),
);

/** Pairs of a step that are kept, those first in order: a run has one, or one for each engine; a file may hold any. */
const MOST_PAIRS = 64;

/** Which weights the record states for each side, step by step. */
export class WeightsSeen extends Sums {
  static readonly layout = layoutOf<WeightsSeen>({
    stated: contents(
      STATED,
      (seen) => seen.list(),
      (seen, stated) => {
        for (const each of stated) seen.#count(each);
      },
    ),
  });
  readonly #steps = new Map<number, Map<string, StatedWeights>>();

  add({ sides, steps, length }: RecordBatch): void {
    const [rollout, trainer] = [sides?.rollout?.weights ?? null, sides?.trainer?.weights ?? null];
    if (rollout === null && trainer === null) return;
    for (let i = 0; i < length; ) {
      const step = steps[i]!;
      const from = i;
      while (i < length && Object.is(steps[i], step)) i++;
      this.#count({ step, rollout, trainer, sequences: i - from });
    }
  }

  /** By step, unknown ones last; then by weights. */
  list(): StatedWeights[] {
    const steps = [...this.#steps].sort(([a], [b]) => compareSteps(a, b));
    return steps.flatMap(([, pairs]) => inOrder(pairs).map(([, stated]) => stated));
  }

  #count(stated: StatedWeights): void {
    const pairs = this.#steps.get(stated.step) ?? new Map<string, StatedWeights>();
    this.#steps.set(stated.step, pairs);
    const key = JSON.stringify([stated.rollout, stated.trainer]);
    const known = pairs.get(key)?.sequences ?? 0;
    pairs.set(key, { ...stated, sequences: known + stated.sequences });
    // What is dropped once can never come back among the first, so the kept counts are whole in any order of merging.
    if (pairs.size > MOST_PAIRS) pairs.delete(inOrder(pairs).at(-1)![0]);
  }
}

function inOrder(pairs: ReadonlyMap<string, StatedWeights>): [string, StatedWeights][] {
  return [...pairs].sort(([a], [b]) => (a < b ? -1 : 1));
}

function compareSteps(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a - b;
}
