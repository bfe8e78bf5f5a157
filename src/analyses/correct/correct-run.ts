/**
 * Applies one trainer's correction to a run, batch by batch: the weights and masks to write, what the trainer would
 * have logged per step, and what the correction does to the data (the same figures as a row of a sweep).
 *
 * @module
 */
import type { FloatArray } from "../../core/base/index.ts";
import { MissingSideError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { CorrectedGradient } from "../../results/correct.ts";
import type { Discrepancy } from "../../trainers/index.ts";
import {
  applyCorrection,
  type Correction,
  type CorrectionBlock,
  type Normalize,
  needsAdvantages,
  normalizerSums,
  validateCorrection,
} from "../../trainers/neutral/index.ts";
import type { BatchMetrics, Preset, Settings } from "../../trainers/shared/index.ts";
import { unsweepable } from "../sweep/evaluate.ts";
import { BASELINE, type NamedCorrection } from "../sweep/named-correction.ts";
import { Sweep } from "../sweep/sweep.ts";
import { GradientEffect } from "./gradient-effect.ts";

/** A trainer's correction under its own names. */
export interface TrainerSettings {
  readonly preset: Preset;
  /** Every setting of the preset, defaults filled in. */
  readonly settings: Settings;
}

/** Packed columns of one batch, `[tokens]`. */
export interface CorrectedColumns {
  readonly weights?: Float64Array;
  readonly mask: Uint8Array;
}

type Figures = Readonly<Record<string, number>>;

export interface CorrectRunMetrics {
  readonly pooled: Figures;
  readonly perStep: readonly { readonly step: number | null; readonly metrics: Figures }[];
  /** Discrepancies of the pooled figures. */
  readonly discrepancies: readonly Discrepancy[];
}

interface StepState {
  /** Metrics of the trainer that defines the correction. */
  readonly metrics: BatchMetrics | undefined;
  /** False until a token with mask 1 is added: trainers have no figures, or fail, on an empty batch. */
  hasTokens: boolean;
  /** Sum of the weights before they are normalized. */
  sum: number;
  count: number;
}

export class CorrectRun {
  readonly correction: Correction;
  /** Two corrections, none and this one; undefined, with a reason, if a sweep cannot evaluate it. */
  readonly sweep: Sweep | undefined;
  readonly unswept: string | undefined;
  readonly #trainer: TrainerSettings | undefined;
  readonly #steps = new Map<number, StepState>();
  readonly #pooled: BatchMetrics | undefined;
  readonly #normalize: Normalize | undefined;
  readonly #gradient = new GradientEffect();

  /**
   * @param what a trainer's settings, whose metrics are then computed too; or a correction in the neutral form
   * @throws UsageError if the trainer refuses the settings or the correction contradicts itself, before anything is
   * read
   */
  constructor(what: TrainerSettings | Correction) {
    this.#trainer = "preset" in what ? what : undefined;
    this.correction = "preset" in what ? what.preset.correction(what.settings) : what;
    this.#normalize = this.correction.steps.find((step) => step.action === "normalize");
    this.#pooled = this.#openMetrics();
    validateCorrection(this.correction);
    this.unswept = unsweepable(this.correction);
    if (this.unswept === undefined) this.sweep = new Sweep([BASELINE, this.#named()]);
  }

  #openMetrics(): BatchMetrics | undefined {
    return this.#trainer?.preset.metrics(this.#trainer.settings);
  }

  /**
   * The row after the baseline; its own name keeps a correction that does nothing from being merged with the baseline.
   */
  #named(): NamedCorrection {
    const { correction } = this;
    if (this.#trainer === undefined) return { name: "this correction", methods: [], correction };
    const { preset, settings } = this.#trainer;
    return { name: preset.name, methods: [preset.name], correction, preset: { name: preset.name, settings } };
  }

  /** True if weights are divided by a mean over a step, which is known only after all of it was added. */
  get needsSecondPass(): boolean {
    return this.#normalize !== undefined;
  }

  get looksAtAdvantages(): boolean {
    return needsAdvantages(this.correction);
  }

  /** Effect of the final weights; null without advantages, and while a second pass is needed. */
  get gradient(): CorrectedGradient | null {
    return this.#gradient.finish();
  }

  /** Adds a batch to all figures; returns its weights and mask, which are final unless a second pass is needed. */
  add(batch: RecordBatch): CorrectedColumns {
    this.sweep?.add(batch);
    return this.#map(batch, (block, step, pack) => {
      const state = this.#findState(step);
      const applied = applyCorrection(block, this.correction);
      state.hasTokens ||= block.mask.includes(1);
      state.metrics?.add(block, applied, pack);
      this.#pooled?.add(block, applied, pack);
      if (!this.needsSecondPass) this.#gradient.add(block, applied);
      if (this.#normalize && applied.weights) {
        const factor = applied.steps.find((outcome) => outcome.step === this.#normalize)?.factor ?? 1;
        const sums = normalizerSums(block, applied.weights, this.#normalize.over);
        state.sum += sums.sum * factor;
        state.count += sums.count;
      }
      return applied;
    });
  }

  /** Final weights and mask, using what all batches together say; call after everything was added. */
  correct(batch: RecordBatch): CorrectedColumns {
    return this.#map(batch, (block, step) => {
      const { sum, count } = this.#findState(step);
      const applied = applyCorrection(block, this.correction, count > 0 ? { factor: sum / count } : {});
      if (this.needsSecondPass) this.#gradient.add(block, applied);
      return applied;
    });
  }

  /**
   * What the trainer would have logged for each step, and for everything as if it were one step. Empty without a
   * trainer.
   */
  metrics(): CorrectRunMetrics {
    if (this.#pooled === undefined) return { pooled: {}, discrepancies: [], perStep: [] };
    const steps = [...this.#steps].sort(([a], [b]) => placeStep(a) - placeStep(b));
    return {
      pooled: this.#pooled.finish(),
      discrepancies: this.#pooled.discrepancies?.() ?? [],
      perStep: steps.map(([step, { metrics, hasTokens }]) => ({
        step: Number.isNaN(step) ? null : step,
        metrics: hasTokens && metrics ? metrics.finish() : {},
      })),
    };
  }

  #findState(step: number): StepState {
    const known = this.#steps.get(step);
    if (known) return known;
    const state = { metrics: this.#openMetrics(), hasTokens: false, sum: 0, count: 0 };
    this.#steps.set(step, state);
    return state;
  }

  /** Calls `correct` for each run of sequences of the same step and pack, and concatenates the results. */
  #map(
    batch: RecordBatch,
    correct: (block: CorrectionBlock, step: number, pack: string) => CorrectedColumns,
  ): CorrectedColumns {
    const { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask, offsets } = batch;
    if (!rollout || !trainer) {
      throw new MissingSideError(
        `cannot weigh tokens: the ${rollout ? "trainer" : "rollout"} log-probs are missing`,
        { at: { file: batch.provenance.file } },
      );
    }
    const tokens = offsets[batch.length]!;
    const weights = new Float64Array(tokens);
    const mask = new Uint8Array(tokens);
    let weighted = false;
    for (let first = 0, end = 0; first < batch.length; first = end) {
      while (end < batch.length && sameUnit(batch, first, end)) end++;
      const [from, to] = [offsets[first]!, offsets[end]!];
      const cut = <A extends FloatArray>(column: A): A => column.subarray(from, to) as A;
      const corrected = correct(
        {
          rollout: cut(rollout),
          trainer: cut(trainer),
          mask: responseMask.subarray(from, to),
          offsets: offsets.subarray(first, end + 1).map((offset) => offset - from),
          ...(batch.advantages && { advantages: cut(batch.advantages) }),
        },
        batch.steps[first]!,
        `${batch.provenance.file}\n${batch.packs[first]}`,
      );
      if (corrected.weights) {
        weights.set(corrected.weights, from);
        weighted = true;
      }
      mask.set(corrected.mask, from);
    }
    return { ...(weighted && { weights }), mask };
  }
}

/** Puts sequences without a step (NaN) last: subtracting NaN would leave the order to chance. */
function placeStep(step: number): number {
  return Number.isNaN(step) ? Number.POSITIVE_INFINITY : step;
}

function sameUnit({ steps, packs }: RecordBatch, a: number, b: number): boolean {
  return Object.is(steps[a], steps[b]) && packs[a] === packs[b];
}
