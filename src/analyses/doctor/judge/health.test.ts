import { describe, expect, it } from "vitest";
import type { Spread } from "../features/spread.ts";
import { type HealthInput, judgeHealth, judgeNamelessNoise, type NoiseFloor, weighLevel } from "./health.ts";
import { listUnlikeNoise, type Structure } from "./noise.ts";

/** Normal noise of σ on the logits of a policy as sure as the lab's. */
const noise = (sigma: number, more: Partial<Spread> = {}): Spread => ({
  tokens: 5000,
  rows: 80,
  meanAbs: sigma * Math.sqrt(2 / Math.PI) * 0.06,
  mean: 0,
  asymmetry: 0.02,
  halfVariance: 1,
  unitMean: 0,
  unitMeanZ: 0.4,
  inverseMeanZ: 0.4,
  equalShare: 0,
  kurtosis: 40,
  topShare: 0.1,
  unsure: 0.06,
  logitNoise: 1.1 * sigma,
  logitNoiseMean: sigma,
  logitNoiseMedian: sigma,
  logitGap: [0.67 * sigma, 1.64 * sigma, 3 * sigma],
  trainerSurprised: 0,
  rolloutSurprised: 0,
  ...more,
});
const PLAIN: Structure = {
  ...{ zeros: 0, surplus: Number.NaN, byToken: 0.05, byPair: 0.1, sureness: 0.02 },
  ...{ prefixTrainer: -3, prefixRollout: -0.1 },
};
const HEAVY: Partial<Spread> = { logitGap: [0.01, 0.05, 0.1] };
const threshold = (spread: Spread, input?: HealthInput): number => weighLevel(spread, input).threshold;

describe("noise on logits", () => {
  it("is an engine's precision up to σ 0.2, and 7 % of a decade make it ten times as likely or unlikely", () => {
    const odds = (sigma: number): number => weighLevel(noise(sigma), { structure: PLAIN }).logOdds;
    expect(odds(0.2)).toBeCloseTo(0, 9);
    expect(odds(0.2 / 1.2)).toBeCloseTo(31 * Math.log10(1.2), 9);
    expect(odds(0.2 * 1.2)).toBeCloseTo(-31 * Math.log10(1.2), 9);
    expect([odds(0), odds(5)]).toEqual([12, -12]);
  });

  it("may be as large on an unsure policy, where mean |Δ| is many times larger", () => {
    const [sure, unsure] = [noise(0.1), noise(0.1, { unsure: 0.31, meanAbs: 0.03 })];
    expect(weighLevel(unsure)).toEqual(weighLevel(sure));
  });

  it("is held to what the run shows of its own engine", () => {
    const held = (sigma: number, of: NoiseFloor["of"]): number =>
      threshold(noise(0.1), { structure: PLAIN, floor: { sigma, of } });
    expect(held(0.12, "third column")).toBeCloseTo(0.24, 12);
    expect(held(1e-6, "third column")).toBeCloseTo(0.058, 12);
    expect(held(0.08, "own steps")).toBeCloseTo(0.12, 12);
    expect(held(0.15, "own steps")).toBeCloseTo(0.2, 12);
    expect(held(0.02, "own steps")).toBeCloseTo(0.058, 12);
    expect(held(0.08, "freshest weights")).toBeCloseTo(0.12, 12);
    expect(held(0.02, "freshest weights")).toBeCloseTo(0.058, 12);
    // Steps that are all bad are no floor.
    expect(held(3, "own steps")).toBeCloseTo(0.2, 12);
  });

  it("has what storage adds on top, in the same unit", () => {
    const added = threshold(noise(0.1), { roundingAbs: 0.003 }) - threshold(noise(0.1));
    expect(added).toBeCloseTo((Math.sqrt(Math.PI / 2) * 0.003) / 0.06, 12);
    expect(threshold(noise(0, { unsure: 0 }), { roundingAbs: 0.003 })).toBeCloseTo(0.2, 12);
  });
});

describe("what is not like noise", () => {
  it.each<[string, Partial<Spread>, Partial<Structure>, RegExp]>([
    ["a few tokens far off", HEAVY, {}, /^the worst 1 % are 10(\.0)? times the median$/],
    ["one sign", { asymmetry: 0.5 }, {}, /^mean Δ is -0\.500 times mean \|Δ\|$/],
    ["mean ρ", { unitMeanZ: -5 }, {}, /^mean ρ is not 1 \(z -5/],
    ["a surprised trainer", { trainerSurprised: 0.004 }, {}, /sure of surprise the other$/],
    ["a surprised rollout", { rolloutSurprised: 0.004 }, {}, /sure of surprise the other$/],
    ["zeros", {}, { zeros: 0.2 }, /^20.0 % of the log-probs are exactly 0 on one side alone$/],
    ["samples less likely than they should be", {}, { surplus: 12 }, /^mean surprisal is not mean entropy/],
    ["samples likelier than they should be", {}, { surplus: -10 }, /^mean surprisal is not mean entropy/],
    [
      "tokens that differ alike after another",
      {},
      { byToken: 0.2, byPair: 0.51 },
      /^the token's id explains 20.0 % of the difference$/,
    ],
    ["dropout", {}, { prefixTrainer: -0.1, prefixRollout: -2 }, /^the trainer differs from itself/],
    ["scaled logits", {}, { sureness: 0.6 }, /^the difference depends on how sure the policy is$/],
  ])("%s: said, and no more than the lab's engines have is then explained", (_, spread, structure, words) => {
    const given = { structure: { ...PLAIN, ...structure } };
    expect(listUnlikeNoise(noise(0.1, spread), given.structure)).toEqual([expect.stringMatching(words)]);
    expect(threshold(noise(0.1, spread), given)).toBeCloseTo(0.058, 12);
  });

  it("is nothing in noise, nor in what was not measured", () => {
    expect(listUnlikeNoise(noise(0.1), PLAIN)).toEqual([]);
    const unknown = Object.fromEntries(Object.keys(PLAIN).map((name) => [name, Number.NaN]));
    expect(listUnlikeNoise(noise(0.1), unknown as unknown as Structure)).toEqual([]);
  });

  it("is not weights that one side rounds: a token differs alike, whatever comes before it", () => {
    const unlike = (byToken: number, byPair: number) =>
      listUnlikeNoise(noise(0.1), { ...PLAIN, byToken, byPair });
    expect(unlike(0.3, 0.35)).toEqual([]);
    expect(unlike(0.3, 0.61)).toEqual([expect.stringMatching(/^the token's id explains 30\.0 %/)]);
    expect(unlike(0.17, 0.6)).toEqual([]);
    expect(unlike(0.51, 0.55)).toEqual([expect.stringMatching(/^the token's id explains 51\.0 %/)]);
  });

  it("is other weights where a token's id explains a quarter: only less than bfloat16's noise hides them", () => {
    const given = { structure: { ...PLAIN, byToken: 0.33, byPair: 0.7 } };
    expect(threshold(noise(0.04), given)).toBeCloseTo(0.035, 12);
  });
});

describe("health", () => {
  it("says the noise, its kind, and what it is held to", () => {
    const { clue, logOdds } = judgeHealth({ spread: noise(0.1) }, PLAIN);
    expect(clue).toMatchObject({ cause: "healthy", weight: logOdds });
    expect(clue.sentence).toBe(
      "The noise on logits that explains Δ is 0.100 nats over 5,000 tokens (mean |Δ| 0.00479), with light tails, both signs and no structure. The precision of an engine explains up to 0.200.",
    );
    expect(clue.figures).toMatchObject({ logit_noise: 0.1 * 1.1, logit_noise_mean: 0.1, threshold: 0.2 });
    const own = judgeHealth({ spread: noise(0.1) }, PLAIN, { floor: { sigma: 0.09, of: "own steps" } });
    expect(own.clue.sentence).toMatch(/explains up to 0\.135, by the median step of this run\.$/);
  });

  it("says what is not like noise", () => {
    const { clue } = judgeHealth({ spread: noise(0.1, HEAVY) }, { ...PLAIN, zeros: 0.2 });
    expect(clue.sentence).toMatch(
      /, but Δ is not like noise: the worst 1 % are .+; 20\.0 % of .+ alone\. The precision of an engine explains up to 0\.0580 of that kind\.$/,
    );
  });

  it("beyond an engine's leaves noise without a name, and nothing else", () => {
    const nameless = (spread: Spread) =>
      judgeNamelessNoise({ spread }, weighLevel(spread, { structure: PLAIN }));
    expect(nameless(noise(0.3))).toMatchObject({ cause: "cannot_tell", weight: 1 });
    expect(nameless(noise(0.3))?.sentence).toMatch(/^Δ is like noise on logits of 0\.300 nats/);
    expect(nameless(noise(0.1))).toBeUndefined();
    expect(nameless(noise(0.3, HEAVY))).toBeUndefined();
  });
});
