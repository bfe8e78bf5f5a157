/** Studies made from a few numbers per text, for tests. */

import type { PolicyRole } from "../../results/names.ts";
import type { KlPolicy } from "../../results/report.ts";
import type { Category } from "../categories/categories.ts";
import type { StudyText } from "../study.ts";
import type { CheckpointSummary, TextSpike, TextSummary, TextUnderCheckpoints } from "../summary.ts";
import type { KlStudyInput } from "./report-input.ts";

export const CATEGORIES: readonly Category[] = [{ name: "number", words: [], patterns: [/^\d+$/] }];

export function studyText(id: string, tokens: readonly string[], more: Partial<StudyText> = {}): StudyText {
  return {
    id,
    problem: id,
    source: "ref",
    promptText: undefined,
    promptLength: 1,
    tokenIds: Int32Array.from(tokens, (_, i) => i),
    tokens,
    mask: new Uint8Array(tokens.length).fill(1),
    correct: undefined,
    level: undefined,
    subject: undefined,
    answer: undefined,
    errorToken: undefined,
    ...more,
  };
}

/**
 * A summary from a text's KL per token; spikes are where it is above 1. Entropy is a tenth of the KL, the reference's
 * 0.5.
 */
export function makeSummary(text: StudyText, index: number, kl: readonly number[]): TextSummary {
  const own = kl.flatMap((value, position) => (text.mask[position] === 0 ? [] : [{ value, position }]));
  const sum = own.reduce((total, { value }) => total + value, 0);
  const mean = sum / own.length;
  const region = (position: number) =>
    position < kl.length / 3 ? "early" : position < (2 * kl.length) / 3 ? "mid" : "late";
  const categoryAt = (position: number): string =>
    /^\d+$/.test(text.tokens[position]!) ? "number" : "other";
  const spikes = own
    .filter(({ value }) => value > 1)
    .map(
      ({ value, position }): TextSpike => ({
        position,
        token: text.tokens[position]!,
        tokenId: text.tokenIds[position]!,
        value,
        zscore: 3,
        region: region(position),
        category: categoryAt(position),
        alternatives: [],
        referenceAlternatives: [],
        probability: 0.1,
        referenceProbability: 0.9,
      }),
    );
  const categories: Record<string, TextSummary["categories"][string]> = {};
  const byToken = new Map<string, NonNullable<ReturnType<TextSummary["byToken"]["get"]>>>();
  for (const { value, position } of own) {
    const category = categoryAt(position);
    const spike = value > 1 ? 1 : 0;
    const known = categories[category];
    categories[category] = {
      count: (known?.count ?? 0) + 1,
      sum: (known?.sum ?? 0) + value,
      sumOfSquares: (known?.sumOfSquares ?? 0) + value ** 2,
      max: Math.max(known?.max ?? 0, value),
      min: Math.min(known?.min ?? value, value),
      spikes: (known?.spikes ?? 0) + spike,
    };
    const token = text.tokens[position]!;
    const sums = byToken.get(token) ?? { category, count: 0, spikes: 0, klSum: 0, deltaSum: 0 };
    byToken.set(token, {
      category,
      count: sums.count + 1,
      spikes: sums.spikes + spike,
      klSum: sums.klSum + value,
      deltaSum: sums.deltaSum - value,
    });
  }
  const error = text.errorToken;
  const atError = own.filter(({ position }) => error !== undefined && Math.abs(position - error) <= 2);
  return {
    index,
    text: text.id,
    problem: text.problem,
    tokens: own.length,
    exact: true,
    meanKl: mean,
    maxKl: Math.max(...own.map(({ value }) => value)),
    meanReverseKl: mean / 2,
    meanJs: mean / 4,
    meanTotalVariation: mean / 8,
    meanKlLower: Number.NaN,
    meanKlUpper: Number.NaN,
    upperInfinite: 0,
    meanEntropy: mean / 10,
    meanReferenceEntropy: 0.5,
    entropyByRegion: { early: mean / 10, mid: mean / 10, late: mean / 10 },
    meanDelta: -mean,
    argmaxChanged: spikes.length,
    argmaxKnown: own.length,
    spikes,
    spikesShuffled: spikes.length / 2,
    spikeDensity: { early: 0, mid: 0, late: spikes.length / own.length },
    categories,
    byToken,
    goodKl: text.correct === false ? sum : text.correct === true ? 0 : Number.NaN,
    badKl: text.correct === true ? sum : text.correct === false ? 0 : Number.NaN,
    error: error === undefined ? undefined : { from: error, token: error },
    errorKl:
      error === undefined
        ? undefined
        : { sum: atError.reduce((total, { value }) => total + value, 0), tokens: atError.length },
    rlProbe: null,
  };
}

export interface NamedKl {
  readonly name: string;
  readonly step?: number;
  readonly stage?: string;
  readonly role?: PolicyRole;
  /** `[texts][tokens]`. */
  readonly kl: readonly (readonly number[])[];
  readonly outcomes?: ReadonlyMap<string, boolean>;
}

export function makeCheckpoint(texts: readonly StudyText[], named: NamedKl): CheckpointSummary {
  return {
    name: named.name,
    role: named.role ?? "checkpoint",
    step: named.step ?? null,
    stage: named.stage ?? null,
    texts: named.kl.map((kl, index) => makeSummary(texts[index]!, index, kl)),
    outcomes: named.outcomes ?? new Map(),
  };
}

export function makeStudy(texts: readonly StudyText[], checkpoints: readonly NamedKl[]): KlStudyInput {
  return {
    study: "study",
    reference: "ref",
    policies: Object.fromEntries(
      ["ref", ...checkpoints.map(({ name }) => name)].map((name) => [name, POLICY]),
    ),
    settings: {
      spikes: { method: "zscore", threshold: 2, min_distance: 1, percentile: 95 },
      categories: ["number", "other"],
      alpha: 0.05,
      bootstrap_replicates: 200,
      seed: 7,
      alignment: "predicted-token",
    },
    categories: CATEGORIES,
    texts,
    vocabularySize: 8,
    maskedOutTokens: 0,
    checkpoints: checkpoints.map((one) => makeCheckpoint(texts, one)),
    pairs: [],
    findings: [],
  };
}

const POLICY: KlPolicy = {
  role: "checkpoint",
  step: null,
  stage: null,
  backend: "logits",
  location: "file",
  model: null,
  logprobs: "raw",
  temperature: 1,
  notes: [],
};

/** The texts as a caller that revisits them gets them. */
export function lookedAt(
  texts: readonly StudyText[],
  checkpoints: readonly NamedKl[],
  indices: readonly number[],
): TextUnderCheckpoints[] {
  return indices.map((index) => ({
    text: texts[index]!,
    index,
    kl: new Map(checkpoints.map(({ name, kl }) => [name, kl[index]!])),
    delta: new Map(checkpoints.map(({ name, kl }) => [name, kl[index]!.map((x) => -x)])),
  }));
}

/** 8 problems of 6 tokens at 3 checkpoints and a baseline: KL grows with the step, spikes at token 4 from step 20 on. */
export function growingStudy(): { texts: StudyText[]; checkpoints: NamedKl[] } {
  const texts = Array.from({ length: 8 }, (_, i) =>
    studyText(`p${i}`, ["2", " *", " 3", " =", "7", "."], {
      level: i % 3,
      correct: i % 2 !== 0,
    }),
  );
  const at = (scale: number, peak: number): number[][] =>
    texts.map((_, i) => [0.1, 0.1, 0.1, 0.1, peak, 0.1].map((x) => scale * x * (1 + i / 10)));
  return {
    texts,
    checkpoints: [
      { name: "c30", step: 30, kl: at(1, 3) },
      { name: "c10", step: 10, kl: at(0.1, 3) },
      { name: "sft", role: "baseline", kl: at(0.5, 1) },
      { name: "c20", step: 20, kl: at(0.9, 3) },
    ],
  };
}
