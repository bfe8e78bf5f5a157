/**
 * All corrections of a grid over record batches, in one read.
 *
 * @module
 */
import { FLAG, MissingSideError, NAME } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { addCount, contents, eachOf, layoutOf, part, Sums, tally } from "../../core/summaries/index.ts";
import { needsAdvantages } from "../../trainers/neutral/index.ts";
import { accumulate, type SequenceColumns } from "./accumulate.ts";
import { lengthBucket } from "./buckets.ts";
import { type CoreRegion, coreRegion } from "./core-region.ts";
import { CorrectionSums } from "./correction-sums.ts";
import { Evaluator, type Slots } from "./evaluate.ts";
import { GroupSurvivors } from "./group-survivors.ts";
import { MeasuredBatch } from "./measured.ts";
import { checkCorrections, type NamedCorrection } from "./named-correction.ts";
import { prepare } from "./prepare.ts";
import type { Prepared } from "./prepared.ts";
import { RunCorrectionSums } from "./run-sums.ts";
import { Totals } from "./totals.ts";

/**
 * Sums of every correction, filled batch by batch. Each batch is passed over once (`prepare`), then each correction is
 * evaluated on sums per turn and on the few tokens that some correction singles out. `normalize` steps divide by the
 * mean over a training step, or over everything if the source has no steps. Memory grows with steps and, by a tenth of
 * a kilobyte each, with groups, but not with tokens. Any order and tree of merging gives the same bits.
 */
export class Sweep extends Sums {
  static readonly layout = layoutOf<Sweep>({
    sequencesByFile: part(tally(NAME), (sweep) => sweep.sequencesByFile),
    hasAdvantages: contents(
      FLAG,
      (sweep) => sweep.hasAdvantages,
      (sweep, others) => {
        sweep.hasAdvantages &&= others;
      },
    ),
    totals: part(Totals.layout, (sweep) => sweep.totals),
    corrections: part(eachOf(RunCorrectionSums.layout), (sweep) => sweep.#sums),
    groups: part(GroupSurvivors.layout, (sweep) => sweep.groups),
  });
  readonly corrections: readonly NamedCorrection[];
  readonly totals = new Totals();
  readonly #sums: readonly RunCorrectionSums[];
  readonly groups: GroupSurvivors;
  /** Sequences read, by file. */
  readonly sequencesByFile = new Map<string, number>();
  /** False once a batch without advantages was added: corrections that depend on them are then unknown. */
  hasAdvantages = true;
  readonly #region: CoreRegion;

  /** @throws UsageError if a correction contradicts itself or cannot be swept; nothing has been read then. */
  constructor(corrections: readonly NamedCorrection[]) {
    super();
    this.corrections = checkCorrections(corrections);
    this.#sums = this.corrections.map(
      ({ correction: { steps } }) =>
        new RunCorrectionSums(steps.filter(({ action }) => action === "normalize").length),
    );
    this.groups = new GroupSurvivors(this.corrections.length);
    // Totals count tokens outside [1/2, 2], so those are always examined individually.
    const outside = { action: "mask", lower: 0.5, upper: 2 } as const;
    const measure = { statistic: "ratio", level: "token", aggregation: "sum" } as const;
    this.#region = coreRegion([
      ...this.corrections.map(({ correction }) => correction),
      { steps: [{ ...outside, measure }] },
    ]);
  }

  /** @throws MissingSideError if the batch lacks either policy's log-probs. */
  add(batch: RecordBatch): void {
    const { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask, offsets } = batch;
    if (!rollout || !trainer) {
      throw new MissingSideError(
        `cannot weigh tokens: the ${rollout ? "trainer" : "rollout"} log-probs are missing`,
        { at: { file: batch.provenance.file } },
      );
    }
    const { advantages } = batch;
    const { file } = batch.provenance;
    addCount(this.sequencesByFile, file, batch.length);
    if (!advantages) this.hasAdvantages = false;
    const prepared = prepare(
      { rollout, trainer, mask, offsets, ...(advantages && { advantages }) },
      this.#region,
    );
    const measured = new MeasuredBatch(prepared);
    const columns = buildColumns(batch, prepared);
    this.totals.add(measured, columns, advantages !== undefined);
    const groups = this.#groupSlots(batch, prepared);
    const evaluator = new Evaluator(measured, columns.slots);
    this.corrections.forEach(({ correction }, index) => {
      if (!this.hasAdvantages && needsAdvantages(correction)) return;
      const sums = new CorrectionSums();
      accumulate(sums, measured, evaluator.run(correction), columns, {
        weighted: correction.weight !== undefined,
        normalized: correction.steps.some(({ action }) => action === "normalize"),
        onSequence: (sequence, kept) => {
          if (kept && groups[sequence]! >= 0) this.groups.keep(groups[sequence]!, index);
        },
      });
      this.#sums[index]!.add(sums);
    });
    this.groups.close();
  }

  /** One per correction, over everything added. */
  get sums(): readonly CorrectionSums[] {
    return this.#sums.map((sums) => sums.fold());
  }

  #groupSlots({ steps, groupIds }: RecordBatch, { rows, sequences }: Prepared): Int32Array {
    return Int32Array.from({ length: sequences }, (_, i) => {
      const row = rows[i]!;
      const group = groupIds[row];
      return group === undefined ? -1 : this.groups.slotOf(steps[row]!, group);
    });
  }
}

function buildColumns(batch: RecordBatch, prepared: Prepared): SequenceColumns {
  const { rows, lengths, sequences } = prepared;
  const ofRows = (column: Float64Array): Float64Array =>
    Float64Array.from({ length: sequences }, (_, i) => column[rows[i]!]!);
  const batches: number[] = [];
  const slotByStep = new Map<number, number>();
  const slot = (step: number): number => {
    const known = slotByStep.get(step);
    if (known !== undefined) return known;
    slotByStep.set(step, batches.length);
    return batches.push(step) - 1;
  };
  const of = Int32Array.from({ length: sequences }, (_, i) => slot(batch.steps[rows[i]!]!));
  const emptySlots = prepared.emptyRows.map((row) => slot(batch.steps[row]!));
  const emptyRows = new Float64Array(batches.length);
  for (const empty of emptySlots) emptyRows[empty]!++;
  const slots: Slots = { count: batches.length, of, emptyRows };
  return {
    rewards: ofRows(batch.rewards),
    correctness: ofRows(batch.correctness),
    lengthBuckets: Int32Array.from(lengths.subarray(0, sequences), lengthBucket),
    slots,
    batches,
  };
}
