/**
 * What a correction would do to the whole run and to each of its steps, token by token: the sweep over the cache.
 *
 * @module
 */

import { correctionFigures, Sweep, writeConfigs } from "../../../../analyses/sweep/index.ts";
import { orNull, shellCommand, UsageError } from "../../../../core/base/index.ts";
import {
  CORRECT_COUNTS,
  CORRECT_FIGURES,
  type CorrectAnswer,
  type CorrectCount,
  type CorrectFigure,
  type CorrectSteps,
  type ValueGroup,
} from "../../../../results/view.ts";
import { NEWEST_PRESETS } from "../../../../trainers/index.ts";
import {
  type Correction,
  describeCorrection,
  formatCorrection,
  needsAdvantages,
} from "../../../../trainers/neutral/index.ts";
import type { SweepBatch } from "./batches.ts";
import type { Question } from "./question.ts";

/** After this many tokens, the event loop gets a turn for other requests. */
const TOKENS_PER_TURN = 2 ** 18;

export interface CorrectContext {
  readonly batches: AsyncIterable<SweepBatch>;
  /** The reward groups of the batches. */
  readonly rewards: readonly ValueGroup[];
  readonly paths: readonly string[];
  readonly flags: readonly string[];
}

/** Both answers to a question, from one pass: one over the chosen steps, one step by step. */
export interface CorrectAnswers {
  readonly answer: CorrectAnswer;
  readonly steps: CorrectSteps;
}

/** @throws UsageError if the correction cannot be evaluated for this run, or not from sums */
export async function answerCorrection(
  question: Question,
  { batches, rewards, paths, flags }: CorrectContext,
): Promise<CorrectAnswers> {
  const { correction } = question;
  const swept = [
    { name: "this correction", correction },
    { name: "its rejections", correction: keepSteps(correction, ["truncate", "zero", "mask"]) },
    { name: "its vetoes", correction: { steps: correction.steps.filter(({ action }) => action === "veto") } },
  ].map((named) => ({ ...named, methods: [] }));
  /** By step, then by reward group: the answers are unions of these. */
  const parts = new Map<number, Map<number, Sweep>>();
  let sinceTurn = 0;
  for await (const { step, rewardGroup, batch } of batches) {
    const groups = parts.get(step) ?? new Map<number, Sweep>();
    parts.set(step, groups);
    const sweep = groups.get(rewardGroup) ?? new Sweep(swept);
    groups.set(rewardGroup, sweep);
    sweep.add(batch);
    if (!sweep.hasAdvantages && needsAdvantages(correction))
      throw new UsageError("this correction looks at the sign of advantages, and the run has none");
    sinceTurn += batch.responseMask.length;
    if (sinceTurn < TOKENS_PER_TURN) continue;
    sinceTurn = 0;
    await new Promise(setImmediate);
  }
  const joined = (sweeps: readonly Sweep[]): Sweep => {
    const whole = new Sweep(swept);
    for (const sweep of sweeps) whole.merge(sweep);
    return whole;
  };
  const { steps: range } = question;
  const asked = [...parts].filter(([step]) => range === null || (step >= range[0] && step <= range[1]));
  const whole = joined(asked.flatMap(([, groups]) => [...groups.values()]));
  const [{ counts, figures }, { dropped }] = [partFigures(whole), correctionFigures(whole, 1)];
  // Unknown steps come last, as in the report.
  const steps = [...parts.keys()].sort((a, b) => (Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b));
  const byStep = steps.map((step) => joined([...parts.get(step)!.values()]));
  return {
    answer: {
      ...counts,
      ...figures,
      dropped_by_length: dropped.by_length.map(({ from, to, tokens, dropped_share }) => {
        return { from, to: to ?? from, tokens, dropped: dropped_share };
      }),
      dropped_by_reward: rewards.flatMap((group, at) => {
        const own = joined(asked.flatMap(([, groups]) => groups.get(at) ?? []));
        const { tokens } = own.totals;
        return tokens === 0 ? [] : [{ ...group, tokens, dropped: 1 - own.sums[1]!.keptTokens / tokens }];
      }),
      words: describeCorrection(correction),
      configs: Object.fromEntries(
        writeConfigs(correction, NEWEST_PRESETS).configs.map(({ preset, text }) => [preset, text]),
      ),
      command: shellCommand("correct", paths, [
        ...flagsFor(flags, question),
        "--correction",
        formatCorrection(correction),
      ]),
    },
    steps: stepAnswer(steps, byStep),
  };
}

function keepSteps({ steps, ...rest }: Correction, actions: readonly string[]): Correction {
  return { ...rest, steps: steps.filter(({ action }) => actions.includes(action)) };
}

interface PartFigures {
  readonly counts: Readonly<Record<CorrectCount, number>>;
  readonly figures: Pick<CorrectAnswer, CorrectFigure>;
}

/** Figures of some sequences. The first correction of a sweep is the baseline. */
function partFigures(sweep: Sweep): PartFigures {
  const [asked, masked, vetoed] = [1, 2, 3].map((index) => correctionFigures(sweep, index));
  const { correctness, tokens } = sweep.totals;
  const { correctnessTokens, correctnessSum } = sweep.sums[1]!;
  const [right, wrong] = [correctness.sum, correctness.count - correctness.sum];
  return {
    counts: {
      kept_tokens: asked!.tokens_kept,
      kept_sequences: asked!.sequences_kept,
      clipped: Math.round(asked!.truncated_share * tokens) || 0,
      masked: masked!.dropped.tokens,
      vetoed: vetoed!.dropped.sequences,
    },
    figures: {
      ess: asked!.ess_tokens,
      mean_weight: asked!.weight_mean,
      dropped_right: right > 0 ? 1 - correctnessSum / right : null,
      dropped_wrong: wrong > 0 ? 1 - (correctnessTokens - correctnessSum) / wrong : null,
    },
  };
}

function stepAnswer(steps: readonly number[], sweeps: readonly Sweep[]): CorrectSteps {
  const parts = sweeps.map(partFigures);
  const column = <Name extends string, T>(
    names: readonly Name[],
    of: (part: PartFigures, name: Name) => T,
  ): Record<Name, T[]> =>
    Object.fromEntries(names.map((name) => [name, parts.map((part) => of(part, name))])) as Record<Name, T[]>;
  return {
    steps: steps.map(orNull),
    tokens: sweeps.map(({ totals }) => totals.tokens),
    sequences: sweeps.map(({ totals }) => totals.sequences - totals.sequencesEmpty),
    counts: column(CORRECT_COUNTS, ({ counts }, name) => counts[name]),
    figures: column(CORRECT_FIGURES, ({ figures }, name) => orNull(figures[name] ?? Number.NaN)),
  };
}

/** Requested steps are within those that the run was opened with. */
function flagsFor(flags: readonly string[], { steps }: Question): readonly string[] {
  if (!steps) return flags;
  const at = flags.indexOf("--steps");
  return [...(at < 0 ? flags : flags.toSpliced(at, 2)), "--steps", `${steps[0]}..${steps[1]}`];
}
