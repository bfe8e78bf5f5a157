/**
 * What a correction would do to the whole run and to each of its steps, token by token: the sweep over the recorded Δ.
 *
 * @module
 */

import { configsOf, correctionFigures, Sweep } from "../../../../analyses/sweep/index.ts";
import { orNull, shellCommand } from "../../../../core/base/index.ts";
import {
  EXACT_COUNTS,
  EXACT_FIGURES,
  type ExactAnswer,
  type ExactCount,
  type ExactFigure,
  type ExactQuestion,
  type ExactSteps,
  type ValueGroup,
} from "../../../../results/index.ts";
import { PRESETS } from "../../../../trainers/index.ts";
import type { Correction } from "../../../../trainers/neutral/index.ts";
import type { Preset, Setting, Settings } from "../../../../trainers/shared/index.ts";
import { type DeltaBlock, SharedColumns } from "../pass/delta-blocks.ts";
import { correctionOf } from "./exact-question.ts";

/** After so many the server gets a turn of the event loop for other questions. */
const TOKENS_PER_TURN = 2 ** 18;

export interface ExactContext {
  readonly blocks: AsyncIterable<DeltaBlock>;
  /** What the blocks' groups of rewards are. */
  readonly rewards: readonly ValueGroup[];
  readonly paths: readonly string[];
  readonly flags: readonly string[];
}

/** Both answers to a question, of one pass: the first over the steps that it is about, the other over all. */
export interface ExactAnswers {
  readonly answer: ExactAnswer;
  readonly steps: ExactSteps;
}

export async function answerExactly(
  question: ExactQuestion,
  { blocks, rewards, paths, flags }: ExactContext,
): Promise<ExactAnswers> {
  const correction = correctionOf(question);
  const none = { level: "none", upper: null, lower: null } as const;
  const alone = (part: Partial<ExactQuestion>): Correction =>
    correctionOf({ weights: none, mask: none, veto: null, ...part });
  const settings = [
    { name: "asked", methods: [], correction },
    { name: "mask alone", methods: [], correction: alone({ mask: question.mask }) },
    { name: "veto alone", methods: [], correction: alone({ veto: question.veto }) },
  ];
  /** By step, then by group of rewards: what is asked about are unions of these. */
  const parts = new Map<number, Map<number, Sweep>>();
  const columns = new SharedColumns();
  let sinceTurn = 0;
  for await (const block of blocks) {
    const groups = parts.get(block.step) ?? new Map<number, Sweep>();
    parts.set(block.step, groups);
    const sweep = groups.get(block.rewardGroup) ?? new Sweep(settings);
    groups.set(block.rewardGroup, sweep);
    sweep.add(columns.batchOf(block));
    sinceTurn += block.deltas.length;
    if (sinceTurn < TOKENS_PER_TURN) continue;
    sinceTurn = 0;
    await new Promise(setImmediate);
  }
  const joined = (sweeps: readonly Sweep[]): Sweep => {
    const whole = new Sweep(settings);
    for (const sweep of sweeps) whole.merge(sweep);
    return whole;
  };
  const [from, to] = question.steps ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const asked = [...parts].filter(
    ([step]) => (question.steps ?? null) === null || (step >= from && step <= to),
  );
  const whole = joined(asked.flatMap(([, groups]) => [...groups.values()]));
  const [{ counts, figures }, { dropped }] = [partFigures(whole), correctionFigures(whole, 1)];
  // Steps that are not known come last, as in the report.
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
      configs: Object.fromEntries(
        configsOf(correction, PRESETS).configs.map(({ preset, text }) => [preset, text]),
      ),
      command: commandFor(correction, paths, flagsFor(flags, question)),
    },
    steps: stepAnswer(steps, byStep),
  };
}

interface PartFigures {
  readonly counts: Readonly<Record<ExactCount, number>>;
  readonly figures: Pick<ExactAnswer, ExactFigure>;
}

/** Of some sequences. The first setting of a sweep is the baseline. */
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

function stepAnswer(steps: readonly number[], sweeps: readonly Sweep[]): ExactSteps {
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
    counts: column(EXACT_COUNTS, ({ counts }, name) => counts[name]),
    figures: column(EXACT_FIGURES, ({ figures }, name) => orNull(figures[name] ?? Number.NaN)),
  };
}

/** Steps that are asked for lie within those that the run was opened with. */
function flagsFor(flags: readonly string[], { steps }: ExactQuestion): readonly string[] {
  if (!steps) return flags;
  const at = flags.indexOf("--steps");
  return [...(at < 0 ? flags : flags.toSpliced(at, 2)), "--steps", `${steps[0]}..${steps[1]}`];
}

/** `logratio correct` with the first preset that can do this; without one, the sweep that shows what comes close. */
function commandFor(correction: Correction, paths: readonly string[], flags: readonly string[]): string {
  for (const preset of PRESETS) {
    const settings = preset.express(correction);
    if (settings === undefined) continue;
    return shellCommand("correct", paths, [...flags, "--preset", preset.name, ...setFlags(preset, settings)]);
  }
  return shellCommand("sweep", paths, flags);
}

function setFlags({ parameters }: Preset, settings: Settings): string[] {
  return parameters.flatMap(({ name, fallback }) => {
    const value = settings[name];
    if (value === undefined || String(value) === String(fallback)) return [];
    return ["--set", `${name}=${textOf(value)}`];
  });
}

function textOf(value: Setting): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}
