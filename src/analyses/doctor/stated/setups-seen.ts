import { listOf, NUMBER, nullable, recordOf, TEXT, WHOLE } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import { contents, layoutOf, Sums } from "../../../core/summaries/index.ts";

/** Sequences of which the record states the same. Null is what it does not say. */
export interface StatedSetup {
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly topK: number | null;
  readonly minP: number | null;
  readonly repetitionPenalty: number | null;
  readonly presencePenalty: number | null;
  readonly frequencyPenalty: number | null;
  readonly logprobsMode: string | null;
  /** Number type of the rollout engine's weights, and of the trainer's: `bfloat16`, `fp8`. */
  readonly rolloutPrecision: string | null;
  readonly trainerPrecision: string | null;
  readonly sequences: number;
}

const SETUPS = listOf(
  recordOf<StatedSetup>({
    temperature: nullable(NUMBER),
    topP: nullable(NUMBER),
    topK: nullable(NUMBER),
    minP: nullable(NUMBER),
    repetitionPenalty: nullable(NUMBER),
    presencePenalty: nullable(NUMBER),
    frequencyPenalty: nullable(NUMBER),
    logprobsMode: nullable(TEXT),
    rolloutPrecision: nullable(TEXT),
    trainerPrecision: nullable(TEXT),
    sequences: WHOLE,
  }),
);

/** Setups that are kept, those first in order: a run has one or a few; a file may hold any. */
const MOST_SETUPS = 64;

/** What the record states of how the rollout sampled, and of both sides' precision. */
export class SetupsSeen extends Sums {
  static readonly layout = layoutOf<SetupsSeen>({
    setups: contents(
      SETUPS,
      (seen) => seen.list(),
      (seen, setups) => {
        for (const setup of setups) seen.#count(setup);
      },
    ),
  });
  readonly #setups = new Map<string, StatedSetup>();

  add({ sampling, sides, length }: RecordBatch): void {
    const number = (value: number | undefined): number | null =>
      value === undefined || Number.isNaN(value) ? null : value;
    const setup: StatedSetup = {
      temperature: number(sampling.temperature),
      topP: number(sampling.topP),
      topK: number(sampling.topK),
      minP: number(sampling.minP),
      repetitionPenalty: number(sampling.repetitionPenalty),
      presencePenalty: number(sampling.presencePenalty),
      frequencyPenalty: number(sampling.frequencyPenalty),
      logprobsMode: sampling.logprobsMode ?? null,
      rolloutPrecision: sides?.rollout?.precision ?? null,
      trainerPrecision: sides?.trainer?.precision ?? null,
      sequences: length,
    };
    const { sequences: _, ...stated } = setup;
    if (Object.values(stated).some((value) => value !== null)) this.#count(setup);
  }

  /** By what is stated. */
  list(): StatedSetup[] {
    return this.#inOrder().map(([, setup]) => setup);
  }

  #inOrder(): [string, StatedSetup][] {
    return [...this.#setups].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #count(setup: StatedSetup): void {
    const { sequences, ...stated } = setup;
    const key = JSON.stringify(Object.values(stated));
    this.#setups.set(key, { ...setup, sequences: (this.#setups.get(key)?.sequences ?? 0) + sequences });
    // What is dropped once can never come back among the first, so the kept counts are whole in any order of merging.
    if (this.#setups.size > MOST_SETUPS) this.#setups.delete(this.#inOrder().at(-1)![0]);
  }
}
