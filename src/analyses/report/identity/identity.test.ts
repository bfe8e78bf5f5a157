import { describe, expect, it } from "vitest";
import { createRecordBuilder } from "../../../core/schema/builder.ts";
import type { RecordBatch } from "../../../core/schema/record.ts";
import { seededRandom } from "../../../core/statistics/random.ts";
import type { MismatchReport } from "../../../results/report.ts";
import { buildReport } from "../build-report.ts";
import { RunSummary } from "../run-summary.ts";
import type { MeasuredTests } from "./tests.ts";
import { tellParts } from "./words.ts";

const V = 24;
type Random = () => number;
type Distribution = readonly number[];

/** What one token is: both recorded log-probs and the rollout's recorded entropy. */
interface Sampled {
  readonly rollout: number;
  readonly trainer: number;
  readonly entropy: number;
}

type Process = (logits: readonly number[], random: Random, step: number) => Sampled;

function softmax(logits: readonly number[]): number[] {
  const most = Math.max(...logits);
  const total = logits.reduce((sum, z) => sum + Math.exp(z - most), 0);
  return logits.map((z) => Math.exp(z - most) / total);
}

function draw(p: Distribution, random: Random): number {
  let u = random();
  const at = p.findIndex((share) => {
    u -= share;
    return u < 0;
  });
  return at < 0 ? p.length - 1 : at;
}

const entropy = (p: Distribution): number => p.reduce((sum, x) => (x > 0 ? sum - x * Math.log(x) : sum), 0);
const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const disturb = (logits: readonly number[], by: number, random: Random): number[] =>
  logits.map((z) => z + by * normal(random));

/** Two policies that really differ, sampled and recorded as they are. */
const sound =
  (by: number): Process =>
  (logits, random) => {
    const [p, q] = [softmax(logits), softmax(disturb(logits, by, random))];
    const token = draw(p, random);
    return { rollout: Math.log(p[token]!), trainer: Math.log(q[token]!), entropy: entropy(p) };
  };

/** Sampled from the most likely tokens alone, and recorded so; the trainer counts all. */
const renormalize =
  (dropped: number): Process =>
  (logits, random) => {
    const p = softmax(logits);
    const kept = [...p].sort((a, b) => b - a).slice(0, V - dropped);
    const total = kept.reduce((a, b) => a + b, 0);
    const cut = p.map((x) => (x >= kept.at(-1)! ? x / total : 0));
    const token = draw(cut, random);
    return { rollout: Math.log(cut[token]!), trainer: Math.log(p[token]!), entropy: entropy(cut) };
  };
const renormalized = renormalize(6);

/** Sampled at temperature 0.7, recorded at 1 on both sides. */
const raw: Process = (logits, random) => {
  const [p, q] = [softmax(logits), softmax(disturb(logits, 0.05, random))];
  const token = draw(softmax(logits.map((z) => z / 0.7)), random);
  return { rollout: Math.log(p[token]!), trainer: Math.log(q[token]!), entropy: entropy(p) };
};

/** What was recorded is another pass than the one that sampled. */
const rescored: Process = (logits, random) => {
  const token = draw(softmax(disturb(logits, 0.3, random)), random);
  const [p, q] = [softmax(disturb(logits, 0.3, random)), softmax(disturb(logits, 0.3, random))];
  return { rollout: Math.log(p[token]!), trainer: Math.log(q[token]!), entropy: entropy(p) };
};

/** The trainer gives half of its probability to a token that nobody samples. */
const starving: Process = (logits, random) => {
  const p = softmax([...logits.slice(1), -14]);
  const token = draw(p, random);
  const q = softmax(disturb(logits, 0.01, random));
  const isStarved = random() < 0.1;
  const trainer = Math.log(p[token]!) + 0.01 * normal(random) - (isStarved ? 3 : 0);
  return { rollout: Math.log(p[token]!), trainer, entropy: entropy(p) + 0 * q[0]! };
};

interface Shape {
  readonly steps?: number;
  readonly prompts?: number;
  readonly tokens?: number;
  readonly flags?: readonly string[];
}

function report(process: Process, seed: string, shape: Shape = {}): MismatchReport {
  const summary = new RunSummary();
  for (const batch of makeBatches(process, seed, shape)) summary.add(batch);
  return reportSummary(summary, shape.flags);
}

const reportSummary = (summary: RunSummary, flags: readonly string[] = []): MismatchReport =>
  buildReport({ run: "made", paths: ["dump"], flags, summary, parity: [], findings: [], sources: [] });

/** A batch for each step. */
function* makeBatches(process: Process, seed: string, shape: Shape): Generator<RecordBatch> {
  const { steps = 4, prompts = 15, tokens = 40 } = shape;
  const random = seededRandom([...seed].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 1e9, 7));
  const provenance = { file: "memory", format: "json", trainer: "own", alignment: "token" } as const;
  for (let step = 1; step <= steps; step++) {
    const builder = createRecordBuilder({ provenance });
    for (let prompt = 0; prompt < prompts; prompt++)
      for (let sample = 0; sample < 2; sample++) {
        const row = Array.from({ length: tokens }, () =>
          process(
            Array.from({ length: V }, () => 2 * normal(random)),
            random,
            step,
          ),
        );
        builder.push({
          length: tokens,
          responseMask: new Uint8Array(tokens).fill(1),
          rolloutLogprobs: Float32Array.from(row, ({ rollout }) => rollout),
          trainerLogprobs: Float32Array.from(row, ({ trainer }) => trainer),
          entropies: { rollout: Float32Array.from(row, (one) => one.entropy) },
          step,
          rank: sample,
          groupId: `p${prompt}`,
        });
      }
    yield builder.flush();
  }
}

const failed = ({ identity }: MismatchReport): string[] => identity.failures.map(({ test }) => test);

describe("identity tests of a report", () => {
  it("pass where two policies really differ, little or much", () => {
    for (const by of [0.01, 0.1, 0.5])
      for (let seed = 0; seed < 4; seed++)
        expect(failed(report(sound(by), `sound ${by} ${seed}`))).toEqual([]);
  });

  it("fail where one side is normalized over fewer tokens, and say so with the next command", () => {
    const { identity, next } = report(renormalized, "renormalized");
    expect(identity.unit_mean.value).toBeLessThan(0.995);
    expect(identity.half_variance.low).toBeGreaterThan(2);
    const [first, second] = identity.failures;
    expect(first?.test).toBe("unit_mean");
    expect(first?.text).toMatch(
      /^mean ρ is 0\.\d+, but must be 1 whatever the weights are \(z = -[\d.]+\): the rollout log-probs do not describe the distribution that was sampled from, or the columns belong to different tokens$/,
    );
    expect(second?.text).toMatch(
      /^−2·mean Δ\/mean Δ² is [\d.]+ \(95 %: [\d.]+ to [\d.]+\), and about 1 of two policies: one side is normalized over fewer tokens \(top-p, top-k\) or lacks a constant$/,
    );
    expect(next).toEqual({
      command: "logratio doctor dump",
      why: "the log-probs fail a test that any weights must pass: see which cause explains it",
    });
  });

  it("fail of a mean hardly below 1 where no large ratio can have been missed", () => {
    const { identity, trust } = report(renormalize(1), "hardly");
    const { value, tokens } = identity.unit_mean;
    expect(trust.khat_ratio).toBeLessThan(0.5);
    expect(tokens * (1 - value)).toBeLessThan(5);
    expect(failed(report(renormalize(1), "hardly"))).toContain("unit_mean");
  });

  it("find by surprisal what both columns have in common", () => {
    const { identity } = report(raw, "raw");
    expect(identity.failures.map(({ test }) => test)).toEqual(["surprisal"]);
    expect(identity.failures[0]?.text).toMatch(
      /^the sampled tokens are 0\.\d+ nats less surprising than the rollout's entropy says \(z = -[\d.]+\): they were not sampled from the distribution whose log-probs were recorded \(temperature, top-p, penalties, forced tokens\)$/,
    );
  });

  it("tell a recorded re-score by noise that sampling did not see", () => {
    const { identity } = report(rescored, "rescored");
    expect(identity.unit_mean.z).toBeGreaterThan(4);
    // Of ratios that are too large there is no innocent explanation.
    expect(identity.failures[0]).toMatchObject({ test: "unit_mean", part: null });
    const half = identity.failures.find(({ test }) => test === "half_variance");
    expect(half?.text).toContain("the difference is noise added after sampling");
  });

  it("blame no one where the trainer's likely tokens are hardly ever sampled, and take ESS's word for nothing", () => {
    const { identity, trust, verdict } = report(starving, "starving");
    expect(identity.unit_mean.z).toBeLessThan(-5);
    expect(identity.failures).toEqual([]);
    expect(trust.khat_ratio).toBeLessThan(0.7);
    const [ess] = verdict.readings.filter(({ metric }) => metric === "ess");
    expect(ess?.caution === undefined).toBe(!(trust.khat_inverse > 0.7));
  });

  it("name the steps, ranks or turns that fail where the whole does not", () => {
    const onset: Process = (logits, random, step) =>
      step === 8 ? rescored(logits, random, step) : sound(0.3)(logits, random, step);
    const { identity } = report(onset, "onset", { steps: 8, prompts: 40 });
    const parts = identity.failures.filter(({ part }) => part !== null);
    expect(parts.map(({ part }) => part)).toEqual([{ kind: "step", names: ["8"] }]);
    expect(parts[0]?.text).toMatch(
      /^step 8: surprisal is \+0\.\d+ nats off the entropy \(z = \+[\d.]+\): the tokens there were not sampled from the distribution whose log-probs were recorded$/,
    );
    expect(identity.per_step.map(({ step }) => step)).toEqual(Array.from({ length: 8 }, (_, i) => i + 1));
    // 320 prompts are more than a slice keeps apart.
    for (const { unit_mean } of identity.per_rank) {
      expect(unit_mean.clusters).toBeGreaterThan(128);
      expect(unit_mean.clusters).toBeLessThanOrEqual(256);
    }
    expect(identity.per_turn[0]?.unit_mean.value).toBeCloseTo(identity.unit_mean.value, 6);
    expect(identity.per_turn[0]?.unit_mean.z).toBeCloseTo(identity.unit_mean.z, 3);
  });

  it("are the same, to 1e-12, however batches are dealt to threads and in whatever order they come", () => {
    const batches = [...makeBatches(sound(0.2), "threads", { steps: 14, prompts: 30, tokens: 10 })];
    const sum = (threads: number, order: readonly RecordBatch[]): MismatchReport => {
      const parts = Array.from({ length: threads }, () => new RunSummary());
      order.forEach((batch, i) => {
        parts[i % threads]?.add(batch);
      });
      const whole = new RunSummary();
      for (const part of parts) whole.merge(RunSummary.fromJSON(JSON.parse(JSON.stringify(part))));
      return reportSummary(whole);
    };
    const figures = ({ identity, trust, watch }: MismatchReport): number[] => [
      ...[identity.unit_mean.value, identity.unit_mean.z, identity.half_variance.value],
      ...[identity.half_variance.low, identity.surprisal?.value ?? 0, identity.surprisal?.z ?? 0],
      ...identity.per_step.flatMap(({ unit_mean, half_variance }) => [unit_mean.z, half_variance.value]),
      ...identity.per_rank.flatMap(({ unit_mean, surprisal }) => [unit_mean.z, surprisal?.z ?? 0]),
      ...[trust.khat_ratio, trust.khat_inverse, trust.khat_sequence, trust.design_effect],
      ...watch.per_step.flatMap(({ unit_mean, delta_abs_mean }) => [unit_mean, delta_abs_mean]),
    ];
    const wanted = figures(sum(1, batches));
    for (const threads of [2, 7])
      for (const order of [batches, [...batches].reverse()])
        figures(sum(threads, order)).forEach((figure, i) => {
          const most = 1e-12 * Math.max(1e-3, Math.abs(wanted[i]!));
          expect(Math.abs(figure - wanted[i]!), `figure ${i}`).toBeLessThanOrEqual(most);
        });
  });

  it("are not judged of a filter by what was sampled, nor of too little", () => {
    const chosen = report(renormalized, "chosen", { flags: ["--filter", "abs>0.1"] }).identity;
    expect([chosen.not_judged, chosen.failures]).toEqual([
      "--filter 'abs>0.1' selects by the sampled tokens",
      [],
    ]);
    const given = report(renormalized, "given", { flags: ["--filter", "step:2 turn:0"] });
    expect(given.identity.not_judged).toBeNull();
    expect(failed(given)).toContain("unit_mean");
    const few = report(renormalized, "few", { steps: 1, prompts: 3 }).identity;
    expect([few.not_judged, few.failures]).toEqual(["too few tokens or sequences", []]);
    const narrow = report(renormalized, "narrow", { steps: 1, prompts: 9, tokens: 80 }).identity;
    expect(narrow.not_judged).toBe("only 9 prompts or sequences drawn by themselves");
  });
});

describe("parts that fail", () => {
  it("are told in one sentence, the worst by name", () => {
    const test = (z: number) => ({ value: 1.25, z, freedom: 50, tokens: 100, clusters: 60 });
    const part = (name: string, z: number) => ({
      name,
      tests: { unitMean: test(z) } as unknown as MeasuredTests,
    });
    expect(tellParts("step", "unit_mean", [part("3", 6), part("5", -9), part("7", 7)])).toEqual([
      {
        test: "unit_mean",
        part: { kind: "step", names: ["5", "7", "3"] },
        text: "step 5 and 2 more: mean ρ is 1.250 instead of 1 (z = -9.00): the rollout log-probs there do not describe the distribution that was sampled from",
      },
    ]);
    expect(tellParts("rank", "unit_mean", [])).toEqual([]);
    // A part without entropies has no surprisal.
    expect(tellParts("rank", "surprisal", [part("3", 6)])).toEqual([]);
  });
});

it("is not failed by rounding, which may be one-sided: one token in fifty is one float32 too high", () => {
  const rounded: Process = (logits, random) => {
    const p = softmax(logits);
    const rollout = Math.fround(Math.log(p[draw(p, random)]!));
    return { rollout, trainer: random() < 0.02 ? rollout + 1.2e-7 : rollout, entropy: entropy(p) };
  };
  const { identity, metrics } = report(rounded, "rounded");
  expect(metrics.delta_abs_max).toBeGreaterThan(0);
  expect(identity.failures).toEqual([]);
});

describe("trust in ratios", () => {
  it("counts sequences by what they are worth beside their prompt's others", () => {
    const alike: Process = (() => {
      let [calls, offset] = [0, 0];
      return (logits, random) => {
        if (calls++ % 80 === 0) offset = 0.5 * random();
        const one = sound(0.05)(logits, random, 0);
        return { ...one, trainer: one.trainer + offset };
      };
    })();
    const [together, apart] = [report(alike, "alike").trust, report(sound(0.3), "apart").trust];
    expect(together.design_effect).toBeGreaterThan(1.7);
    expect(together.effective_sequences).toBeCloseTo(120 / together.design_effect, 9);
    expect(Math.abs(apart.design_effect - 1)).toBeLessThan(0.4);
    expect(apart.effective_sequences).toBeLessThanOrEqual(120);
  });

  it("says which tail is too heavy in place of a sound reading of ESS", () => {
    const heavy =
      (scale: number): Process =>
      (logits, random, step) => {
        const one = sound(2 * scale)(logits, random, step);
        return { ...one, trainer: one.trainer - scale * Math.max(0, (1 - random()) ** -1.2 - 1) };
      };
    const { trust, verdict } = report(heavy(0.01), "heavy");
    expect(trust.khat_inverse).toBeGreaterThan(0.7);
    const [ess] = verdict.readings.filter(({ metric }) => metric === "ess");
    expect(ess?.caution).toMatch(/^k̂\(1\/ρ\) [\d.]+ > 0\.7: unreliable$/);
    // The same tail of ratios that all but equal 1 decides nothing.
    const small = report(heavy(1e-9), "small");
    expect(small.trust.khat_inverse).toBeGreaterThan(0.7);
    expect(small.verdict.readings.every(({ caution }) => caution === undefined)).toBe(true);
    const sane = report(sound(0.05), "light").verdict.readings;
    expect(sane.every(({ caution }) => caution === undefined)).toBe(true);
  });
});
