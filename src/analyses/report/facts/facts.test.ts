import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../core/statistics/random.ts";
import type { SampledCluster, SampledSequence } from "../../../core/summaries/sampled-clusters.ts";
import type { Fact } from "../../../results/report.ts";
import { compareParts } from "../standouts/index.ts";
import { comparisonFacts } from "./comparisons.ts";
import { ordinal } from "./words.ts";

interface Place {
  readonly step: number;
  readonly rank: number;
  readonly environment: string;
  readonly correct: number;
  readonly turn: number;
  readonly decile: number;
  readonly prompt: number;
}

/** 12 steps of 12 prompts of 4 responses of 3 turns, mean |Δ| 0.01 with some noise, times what `by` says. */
function drawRun(by: (place: Place) => number): SampledCluster[] {
  const random = seededRandom(4);
  const noise = (): number => 0.8 + 0.4 * random();
  return Array.from({ length: 144 }, (_, prompt) => {
    const step = 10 * (1 + Math.floor(prompt / 12));
    const level = 0.01 * (0.5 + random());
    const sequences = [0, 1, 2, 3].map((rank): SampledSequence => {
      const correct = (prompt + rank) % 2;
      const environment = prompt % 3 === 0 ? "maths" : "code";
      const place = { step, rank, environment, correct, prompt };
      const cells = (count: number, at: (index: number) => number): number[] =>
        Array.from({ length: count }, (_, index) => [30, 30 * level * noise() * at(index)]).flat();
      return {
        handle: `s${step}.r${rank}.q${prompt}`,
        step,
        rank,
        correct,
        environment,
        engine: `replica-${rank % 3}`,
        finish: correct === 1 ? "stop" : "length",
        staleness: prompt % 4,
        turns: cells(3, (turn) => by({ ...place, turn, decile: 0 })),
        excess: [],
        deciles: cells(10, (decile) => by({ ...place, turn: 0, decile })),
        jumps: 0,
        reward: Number.NaN,
        tokens: 10,
      };
    });
    return { cluster: prompt, sequences };
  });
}

function findFact(kind: string, by: (place: Place) => number): Fact | undefined {
  const clusters = drawRun(by);
  return comparisonFacts(compareParts(clusters), clusters).find((fact) => fact.kind === kind);
}

const factors = (text: string): number[] => [...text.matchAll(/[\d.]+(?:e-?\d+)?/g)].map(Number);

describe("comparisonFacts", () => {
  it("names the step, rank, environment, turn or place that is three times as far off, and no other", () => {
    const cases: [kind: string, by: (place: Place) => boolean, start: string, where: string][] = [
      ["worst-step", ({ step }) => step === 80, "Step 80 stands out", "in the other steps"],
      ["rank", ({ rank }) => rank === 2, "Rank 2 stands out", "on the other ranks"],
      [
        "environment",
        ({ environment }) => environment === "maths",
        "Environment maths stands out",
        "in the other environments",
      ],
      ["engine", ({ rank }) => rank === 2, "Engine replica-2 stands out", "on the other engines"],
      [
        "finish-reason",
        ({ correct }) => correct === 0,
        "Finish reason length stands out",
        "in responses that ended otherwise",
      ],
      [
        "staleness",
        ({ prompt }) => prompt % 4 === 3,
        "Staleness 3 stands out",
        "in responses from weights of another age",
      ],
      ["turn", ({ turn }) => turn === 1, "Turn 1 stands out", "in the other turns of the same responses"],
      [
        "position",
        ({ decile }) => decile === 8,
        "The 9th tenth of the response stands out",
        "in the rest of it",
      ],
    ];
    for (const [kind, isFar, start, where] of cases) {
      const { text, evidence, weight } = findFact(kind, (place) => (isFar(place) ? 3 : 1)) as Fact;
      expect(text.startsWith(`${start}: mean |Δ| `)).toBe(true);
      expect(text).toContain(` ${where}, `);
      expect(text).toMatch(/\(95 % [\d.]+ to [\d.]+\)$|with any one prompt left out\)$/);
      expect(evidence?.p).toBeLessThan(0.05);
      expect(evidence?.factor).toBeGreaterThan(2.5);
      expect(evidence?.factor).toBeLessThan(3.6);
      expect(weight).toBeCloseTo(Math.log2(evidence?.factor as number), 10);
      const [mean, others] = factors(text.slice(text.indexOf("|Δ|"))) as [number, number];
      expect(mean / others).toBeCloseTo(evidence?.factor as number, 1);
      const nearer = findFact(kind, (place) => (isFar(place) ? 1 / 3 : 1));
      expect(nearer?.text.startsWith(start) ?? false).toBe(false);
    }
  });

  it("names none of them in a run in which nothing differs", () => {
    const clusters = drawRun(() => 1);
    expect(comparisonFacts(compareParts(clusters), clusters)).toEqual([]);
  });

  it("says which answers are further off, and what it is within the same prompt", () => {
    const wrong = findFact("correctness", ({ correct }) => (correct === 1 ? 1 : 2)) as Fact;
    expect(wrong.text).toMatch(
      /^Incorrect responses differ (2\.0|1\.9|2\.1) times as much as correct ones: mean \|Δ\| /,
    );
    expect(wrong.text).toMatch(/; (2\.0|1\.9|2\.1) within the same prompt, over 144 prompts\)$/);
    expect(wrong.evidence?.subject).toBe("incorrect");
    const right = findFact("correctness", ({ correct }) => (correct === 1 ? 2 : 1)) as Fact;
    expect(right.text).toMatch(
      /^Correct responses differ (2\.0|1\.9|2\.1) times as much as incorrect ones: mean \|Δ\| /,
    );
    expect(right.text).toMatch(/; (2\.0|1\.9|2\.1) within the same prompt, over 144 prompts\)$/);
    expect(right.evidence?.subject).toBe("correct");
    for (const { text, evidence } of [wrong, right]) {
      const [high, low] = factors(text.slice(text.indexOf("|Δ|"))) as [number, number];
      expect(high / low).toBeCloseTo(evidence?.factor as number, 1);
      const { low: from, high: to } = evidence?.interval ?? { low: 0, high: 0 };
      expect(from).toBeLessThan(evidence?.factor as number);
      expect(to).toBeGreaterThan(evidence?.factor as number);
    }
  });

  it("names the step without which right and wrong answers hardly differ", () => {
    const { text } = findFact("correctness", ({ step, correct }) =>
      step === 50 && correct === 0 ? 30 : correct === 0 ? 1.3 : 1,
    ) as Fact;
    expect(text).toMatch(/; 1\.3 without step 50\)$/);
  });

  it("names the prompt that makes much of what stands out", () => {
    const { text } = findFact("worst-step", ({ step, prompt }) =>
      step === 80 ? (prompt === 90 ? 25 : 3) : 1,
    ) as Fact;
    expect(text).toMatch(
      /with any one prompt left out; the prompt of s80\.r0\.q90 accounts for \d\d(\.\d)? % of it, [23]\.?\d* without it\)$/,
    );
  });

  it("says whether Δ grows or falls, from where to where", () => {
    const grows = findFact("drift", ({ step }) => 1.02 ** step) as Fact;
    expect(grows.text).toMatch(
      /^Mean \|Δ\| grows over the run, from [\d.]+ in the first third of the steps to [\d.]+ in the last: a factor of [\d.]+ \(95 % [\d.]+ to [\d.]+\)$/,
    );
    const [early, late] = factors(grows.text) as [number, number];
    expect(late).toBeGreaterThan(3 * early);
    const falls = findFact("drift", ({ step }) => 1.02 ** -step) as Fact;
    const [first, last] = factors(falls.text) as [number, number];
    expect(falls.text).toContain("Mean |Δ| falls over the run");
    expect(first).toBeGreaterThan(3 * last);
    expect(falls.evidence?.factor).toBeGreaterThan(3);
  });
});

it("writes places as people count them", () => {
  expect([1, 2, 3, 4, 11, 12, 21].map(ordinal)).toEqual(["1st", "2nd", "3rd", "4th", "11th", "12th", "21st"]);
});
