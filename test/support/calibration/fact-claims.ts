/**
 * The facts and the verdict of `logratio report`, on runs in which no step, rank, turn, place or outcome differs.
 *
 * @module
 */
import { buildReport } from "../../../src/analyses/report/build-report.ts";
import { RunSummary } from "../../../src/analyses/report/run-summary.ts";
import { type Comparisons, compareParts, SIGNIFICANT } from "../../../src/analyses/report/standouts/index.ts";
import type { RecordBatch } from "../../../src/core/schema/record.ts";
import { rareRate } from "../../../src/core/statistics/rare-rate.ts";
import type { VerdictLevel } from "../../../src/results/report.ts";
import type { Claim } from "./claim.ts";
import {
  BOTH_EFFECTS,
  batchOfSequences,
  type DrawnSequence,
  HEAVY_T,
  INDEPENDENT,
  PROMPT_EFFECTS,
  type Process,
} from "./processes.ts";

type Random = () => number;

const PROMPTS = 24;
const RANKS = 4;
/** Response tokens with mask 0 split a response into turns. */
const TURN_TOKENS = 20;

/** Alternating ranks, turns of equal length, and answers that are right as often as their prompt is easy. */
function batchWithParts(sequences: readonly DrawnSequence[], random: Random): RecordBatch {
  const batch = batchOfSequences(sequences);
  const ease = new Map<number, number>();
  for (const { prompt } of sequences) if (!ease.has(prompt)) ease.set(prompt, random());
  const responseMask = batch.responseMask.map((_, token) => ((token + 1) % TURN_TOKENS === 0 ? 0 : 1));
  return {
    ...batch,
    responseMask,
    ranks: Float64Array.from(sequences, (_, row) => row % RANKS),
    correctness: Float64Array.from(sequences, ({ prompt }) => (random() < ease.get(prompt)! ? 1 : 0)),
  };
}

function summarizeSequences(sequences: readonly DrawnSequence[], random: Random): RunSummary {
  const summary = new RunSummary();
  summary.add(batchWithParts(sequences, random));
  return summary;
}

const FACTS: Readonly<Record<string, (comparisons: Comparisons) => boolean>> = {
  "a step stands out": ({ steps }) => steps.length > 0,
  "a rank stands out": ({ ranks }) => ranks.length > 0,
  "a turn stands out": ({ turns }) => turns.length > 0,
  "a tenth of the response stands out": ({ deciles }) => deciles.length > 0,
  "right and wrong answers differ": ({ outcome }) => outcome !== undefined && outcome.p <= SIGNIFICANT,
  "Δ grows or falls": ({ trend }) => trend !== undefined && trend.p <= SIGNIFICANT,
};

function saysFalsely(fact: string, process: Process): Claim {
  return {
    method: `fact: ${fact}, ${PROMPTS} prompts`,
    process: process.name,
    rate: "false alarms",
    nominal: 0.05,
    limits: [0, 0.2],
    once: (random) =>
      FACTS[fact]!(compareParts(summarizeSequences(process.draw(random, PROMPTS), random).sample.list())),
  };
}

const ORDER: readonly VerdictLevel[] = ["none", "normal", "elevated", "high", "broken"];

/** Two halves of one run's prompts, each judged alone. */
function halvesDisagree(process: Process): Claim {
  const findRange = (sequences: readonly DrawnSequence[], random: Random): [number, number] => {
    const summary = summarizeSequences(sequences, random);
    const { verdict } = buildReport({ run: "", paths: [], summary, parity: [], findings: [], sources: [] });
    const [mildest, severest] = verdict.level_range;
    return [ORDER.indexOf(mildest), ORDER.indexOf(severest)];
  };
  return {
    method: `verdict: halves by prompt, ${2 * PROMPTS} prompts`,
    process: process.name,
    rate: "halves that cannot both be right",
    nominal: 0.05,
    limits: [0, 0.2],
    once(random) {
      const drawn = process.draw(random, 2 * PROMPTS);
      // Steps follow the prompts' numbers, so every second prompt gives half of each step.
      const half = (odd: number) => drawn.filter(({ prompt }) => prompt % 2 === odd);
      const [a, b] = [findRange(half(0), random), findRange(half(1), random)];
      return a[1] < b[0] || b[1] < a[0];
    },
  };
}

/** How often a sound run is called elevated because of tokens with |Δp| > ½, at this length. */
function elevatedByLength(tokens: number): Claim {
  const poisson = (mean: number, random: Random): number => {
    // Knuth's method underflows beyond 700; a sum of Poisson numbers is Poisson again.
    if (mean > 500) return poisson(mean / 2, random) + poisson(mean / 2, random);
    let k = 0;
    for (let product = random(); product > Math.exp(-mean); product *= random()) k++;
    return k;
  };
  return {
    method: `verdict: |Δp| > ½ by its lower bound, ${tokens.toExponential(0)} tokens`,
    process: "2 such tokens per million",
    rate: "elevated",
    nominal: 0,
    limits: [0, 0.05],
    once: (random) => rareRate(new Array(poisson(2e-6 * tokens, random)).fill(1), tokens).low > 1e-5,
  };
}

/** Prompts whose mismatch lies near the edge between normal and elevated. */
export const AT_THE_EDGE: Process = {
  name: "k3 about 1e-3, prompt spread e^N(0, 0.5²)",
  draw: (random, prompts) =>
    BOTH_EFFECTS.draw(random, prompts).map((sequence) => ({
      ...sequence,
      deltas: sequence.deltas.map((delta) => 2.4 * delta),
    })),
};

export const FACT_CLAIMS: readonly Claim[] = [
  ...Object.keys(FACTS).flatMap((fact) => [
    saysFalsely(fact, PROMPT_EFFECTS),
    saysFalsely(fact, fact.startsWith("right") || fact.startsWith("a rank") ? INDEPENDENT : HEAVY_T),
  ]),
  halvesDisagree(PROMPT_EFFECTS),
  halvesDisagree(AT_THE_EDGE),
  elevatedByLength(1e5),
  elevatedByLength(1e6),
  elevatedByLength(1e7),
];
