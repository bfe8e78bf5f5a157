import { listOf, NUMBER, recordOf, TEXT } from "../../core/base/index.ts";
import type { Finding, RecordBatch } from "../../core/schema/index.ts";
import { contents, layoutOf, part, Sums } from "../../core/summaries/index.ts";
import type { Diagnosis, DoctorCause, Evidence, Fix } from "../../results/diagnosis.ts";
import { type ClusterKeys, clusterKeys } from "../report/cluster-keys.ts";
import { CAUSES } from "./causes/catalog.ts";
import type { Clue } from "./clue.ts";
import { ColumnsSeen } from "./columns/columns-seen.ts";
import { type Ranking, rankSample } from "./diagnose.ts";
import { ErrorSums } from "./errors/own-errors.ts";
import { chooseExperiment } from "./experiments.ts";
import { findAlike, putAlikeFirst } from "./judge/alike.ts";
import { Legs } from "./legs/legs.ts";
import type { RankedCause } from "./rank.ts";
import { type SampledRow, takeRow } from "./sample/row.ts";
import { ROWS } from "./sample/row-bytes.ts";
import { compareRows, RowSample, stepFirstKey } from "./sample/row-sample.ts";
import { RunSums } from "./sample/run-sums.ts";
import { SetupsSeen } from "./stated/setups-seen.ts";
import { giveVerdict } from "./verdict.ts";
import { relateSides } from "./weights/relate.ts";
import { WeightsSeen } from "./weights/weights-seen.ts";

export interface DiagnoseOptions {
  /**
   * The trainer whose flags the fixes name first, named as adapters do (`verl`, `slime`, …); default: that of the
   * batches.
   */
  readonly trainer?: string;
  /** Findings from reading; contradictions between joined files are evidence. */
  readonly findings?: readonly Finding[];
  /** Largest number of response tokens to examine; default all that are kept. Fewer take less time and show less. */
  readonly sampleTokens?: number;
}

/** Minimum number of causes listed, and the probability from which all are listed. */
const FEWEST_LISTED = 5;
const WORTH_LISTING = 0.01;
/** Facts per cause; the weakest are dropped. */
const MOST_EVIDENCE = 8;
const MOST_HANDLES = 5;

/** Takes batches in any order and says at the end what is wrong with the run. Memory does not grow with the run. */
export class Doctor extends Sums {
  static readonly layout = layoutOf<Doctor>({
    sums: part(RunSums.layout, (doctor) => doctor.#sums),
    columns: part(ColumnsSeen.layout, (doctor) => doctor.#columns),
    legs: part(Legs.layout, (doctor) => doctor.#legs),
    errors: part(ErrorSums.layout, (doctor) => doctor.#errors),
    weights: part(WeightsSeen.layout, (doctor) => doctor.#weights),
    setups: part(SetupsSeen.layout, (doctor) => doctor.#setups),
    trainers: contents(
      listOf(TEXT),
      (doctor) => [...doctor.#trainers].sort(),
      (doctor, trainers) => {
        for (const trainer of trainers) doctor.#trainers.add(trainer);
      },
    ),
    bounds: contents(
      recordOf<{ spread: number; steps: number }>({ spread: NUMBER, steps: NUMBER }),
      (doctor) => ({ spread: doctor.#spread.bound, steps: doctor.#steps.bound }),
      (doctor, { spread, steps }) => {
        doctor.#spread.dropFrom(spread);
        doctor.#steps.dropFrom(steps);
      },
    ),
    // Most of the sequences of a sample are in the other, too.
    rows: contents(
      ROWS,
      (doctor) => doctor.#rows().sort(compareRows),
      (doctor, rows) => {
        for (const row of rows) doctor.#keep(row);
      },
      (doctor) => doctor.#rows(),
    ),
  });
  readonly #sums = new RunSums();
  readonly #columns = new ColumnsSeen();
  readonly #legs = new Legs();
  readonly #errors = new ErrorSums();
  readonly #weights = new WeightsSeen();
  readonly #setups = new SetupsSeen();
  /** Groups from the entire run. */
  readonly #spread = new RowSample();
  /** Steps kept as whole as the limit allows: rows are swapped and copied within a step. */
  readonly #steps = new RowSample();
  readonly #trainers = new Set<string>();

  /**
   * A batch that lacks one of the two sides only adds to the counts.
   *
   * @param known the cluster keys of the rows, if the caller has them
   */
  add(batch: RecordBatch, known?: ClusterKeys): void {
    this.#sums.add(batch);
    this.#trainers.add(batch.provenance.trainer);
    this.#columns.add(batch);
    this.#weights.add(batch);
    this.#setups.add(batch);
    if (batch.rolloutLogprobs === undefined || batch.trainerLogprobs === undefined) return;
    const clusters = known ?? clusterKeys(batch);
    this.#legs.add(batch, clusters);
    this.#errors.add(batch, clusters);
    const { keys, arePrompts } = clusters;
    for (let i = 0; i < batch.length; i++) {
      const group = keys[i]!;
      const stepKey = stepFirstKey(batch.steps[i]!, group);
      if (!this.#spread.wants(group) && !this.#steps.wants(stepKey)) continue;
      const row = takeRow(batch, i, group, arePrompts[i] === 1);
      this.#keep(row);
    }
  }

  #rows(): SampledRow[] {
    return [...new Set([...this.#spread.rows(), ...this.#steps.rows()])];
  }

  #keep(row: SampledRow): void {
    this.#spread.add(row.group, row);
    this.#steps.add(stepFirstKey(row.step, row.group), row);
  }

  /** Number of sequences added, and of their tokens that can be compared. */
  get sequences(): number {
    return this.#sums.sequences;
  }

  get tokens(): number {
    return this.#sums.all.tokens;
  }

  /**
   * Whole sequences of prompts from the entire run, ordered independently of the input.
   *
   * @param most response tokens
   */
  sample(most?: number): SampledRow[] {
    return this.#spread.list(most);
  }

  diagnose(options: DiagnoseOptions = {}): Diagnosis {
    const { engineNoise, ...legs } = this.#legs.result();
    const { sampleTokens: most } = options;
    const weights = relateSides(this.#weights.list());
    const ranking = rankSample(this.sample(most), {
      ...(!this.#spread.isWhole(most) && { steps: this.#steps.list(most) }),
      guiltyLeg: legs.guilty_leg,
      ...(engineNoise !== null && { engineNoise }),
      ...(options.findings && { findings: options.findings }),
      weights,
      setups: this.#setups.list(),
      sequences: this.sequences,
    });
    const trainer = options.trainer ?? (this.#trainers.size === 1 ? [...this.#trainers][0] : undefined);
    const describe = (ranked: RankedCause): DoctorCause => describeCause(ranked, trainer);
    const causes = putAlikeFirst(ranking.causes.filter(({ coexists }) => !coexists)).map(describe);
    const beside = ranking.causes.filter(({ coexists }) => coexists).map(describe);
    const metrics = { ...this.#sums.metrics(), ...extraMetrics(ranking) };
    const alike = findAlike(causes);
    const family = causes[0]?.family;
    const { verdict, sentence } = giveVerdict(causes, {
      tokens: this.#sums.all.tokens + this.#sums.all.rolloutMissing + this.#sums.all.trainerMissing,
      sequences: this.#sums.all.sequences,
      meanAbs: metrics.delta_abs_mean ?? null,
      alike,
      beside,
      familyProbability: causes.reduce(
        (sum, { family: own, probability }) => sum + (own === family ? probability : 0),
        0,
      ),
    });
    return {
      verdict,
      sentence,
      causes: [
        ...causes.slice(0, 1),
        ...beside,
        ...causes
          .slice(1)
          .filter(({ probability }, k) => k + 1 < FEWEST_LISTED || probability >= WORTH_LISTING),
      ],
      alike,
      ...legs,
      own_errors: this.#errors.result(),
      weights,
      next_experiment:
        verdict === "too_few"
          ? null
          : chooseExperiment(new Map(causes.map(({ id, probability }) => [id, probability]))),
      untested: this.#columns.untested(),
      metrics,
      excluded: this.#sums.excluded(),
    };
  }
}

function describeCause(
  { id, probability, clues, explains, coexists }: RankedCause,
  trainer: string | undefined,
): DoctorCause {
  const cause = CAUSES.get(id);
  return {
    id,
    family: cause?.family ?? "healthy",
    title: cause?.title ?? id,
    description: cause?.description ?? "",
    probability,
    explains,
    coexists,
    evidence: listEvidence(clues),
    handles: [...new Set(clues.flatMap(({ handles }) => handles ?? []))].slice(0, MOST_HANDLES),
    fix: orderFixes(cause?.fix ?? [], trainer),
  };
}

/** Strongest first, each sentence once. */
function listEvidence(clues: readonly Clue[]): Evidence[] {
  const seen = new Set<string>();
  return clues
    .filter(({ sentence }) => !seen.has(sentence) && seen.add(sentence))
    .slice(0, MOST_EVIDENCE)
    .map(({ sentence, weight, figures, picture, profile }) => ({
      sentence,
      weight,
      figures: Object.fromEntries(
        Object.entries(figures).map(([name, value]) => [
          name,
          typeof value === "number" && !Number.isFinite(value) ? null : value,
        ]),
      ),
      ...(picture && { picture }),
      ...(profile && { profile }),
    }));
}

/** Flags of the requested trainer first, then those of engines and general advice; other trainers' last. */
function orderFixes(fixes: readonly Fix[], trainer: string | undefined): Fix[] {
  const place = (fix: Fix): number =>
    fix.trainer === trainer ? 0 : fix.trainer === null || ENGINES.has(fix.trainer) ? 1 : 2;
  return fixes
    .map((fix, k) => ({ fix, k }))
    .sort((x, y) => place(x.fix) - place(y.fix) || x.k - y.k)
    .map(({ fix }) => fix);
}

const ENGINES = new Set(["vllm", "sglang"]);

function extraMetrics({ examined }: Ranking): Record<string, number | null> {
  const { spread, confidence } = examined.figures;
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    sampled_tokens: spread.tokens,
    unit_mean: finite(1 + spread.unitMean),
    unit_mean_z: finite(spread.unitMeanZ),
    half_variance: finite(spread.halfVariance),
    logit_noise_median: finite(spread.logitNoiseMedian),
    logit_slope: finite(confidence.slope),
    surprisal_z: confidence.rolloutSurplus.tokens > 0 ? finite(confidence.rolloutSurplus.z) : null,
  };
}
