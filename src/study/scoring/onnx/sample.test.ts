import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LogitsPolicy, Sampled, SampleOptions } from "../policy.ts";
import { allRows, failure, furthest, IDS, MODELS, withPolicy } from "./fixtures.test-data.ts";
import { pickToken } from "./pick-token.ts";
import { seededRandom } from "./random.ts";

const OPTIONS: SampleOptions = { n: 3, temperature: 3, topP: 0.95, maxTokens: 12, seed: 5, stopIds: [] };
const PROMPT = IDS.subarray(0, 5);

const sample = (
  policy: LogitsPolicy,
  options: Partial<SampleOptions> = {},
  prompt = PROMPT,
): Promise<Sampled[]> => policy.sample!(prompt, { ...OPTIONS, ...options });

const texts = (samples: readonly Sampled[]): number[][] => samples.map(({ ids }) => [...ids]);

describe("sampling", () => {
  test("is the same with a cache, on whole texts and with the head apart", async () => {
    const of = (model: string, maxBlockBytes: number): Promise<Sampled[]> =>
      withPolicy(join(MODELS, model), { maxBlockBytes }, (policy) => sample(policy, { stopIds: [7, 9] }));
    const [cache, merged, whole, split] = [
      await of("cache", 400),
      await of("merged", 400),
      await of("plain", 2 ** 20),
      await of("plain", 400),
    ];
    expect(texts(cache)).toEqual(texts(whole));
    expect(texts(merged)).toEqual(texts(whole));
    expect(texts(split)).toEqual(texts(whole));
    for (const [i, { logprobs }] of cache.entries())
      expect(furthest(logprobs, whole[i]!.logprobs)).toBeLessThan(1e-5);
  });

  test("gives raw log-probs: those of the logits of the same text", () =>
    withPolicy(join(MODELS, "cache"), {}, async (policy) => {
      const [{ ids, logprobs } = { ids: new Int32Array(), logprobs: new Float64Array() }] = await sample(
        policy,
        {
          temperature: 0.7,
        },
      );
      const { values } = await allRows(policy, Int32Array.of(...PROMPT, ...ids), PROMPT.length);
      const forced = Array.from(ids, (id, t) => {
        const row = values.slice(t * 48, (t + 1) * 48);
        return row[id]! - Math.log(row.reduce((sum, logit) => sum + Math.exp(logit), 0));
      });
      expect(furthest(logprobs, forced)).toBeLessThan(1e-5);
    }));

  test("depends on seed and place alone", () =>
    withPolicy(join(MODELS, "cache"), {}, async (policy) => {
      const three = texts(await sample(policy));
      expect(texts(await sample(policy))).toEqual(three);
      expect(texts(await sample(policy, { n: 1 }))).toEqual(three.slice(0, 1));
      expect(texts(await sample(policy, { seed: 6 }))).not.toEqual(three);
      expect(new Set(three.map(String)).size).toBe(3);
    }));

  test("at temperature 0 takes the most probable token, however often", () =>
    withPolicy(join(MODELS, "cache"), {}, async (policy) => {
      const samples = await sample(policy, { temperature: 0, n: 2, stopIds: [48] });
      expect(samples[0]).toEqual(samples[1]);
      const { ids } = samples[0]!;
      const { values } = await allRows(policy, Int32Array.of(...PROMPT, ...ids), PROMPT.length);
      for (const [t, id] of ids.entries())
        expect(values[t * 48 + id]).toBe(Math.max(...values.slice(t * 48, (t + 1) * 48)));
    }));

  test("stops at a stop id, which is kept", () =>
    withPolicy(join(MODELS, "plain"), {}, async (policy) => {
      const [free] = await sample(policy, { n: 1, stopIds: [48] });
      const stop = free!.ids[3]!;
      const [stopped] = await sample(policy, { n: 1, stopIds: [stop] });
      expect(stopped?.finishReason).toBe("stop");
      expect([...stopped!.ids]).toEqual([...free!.ids.slice(0, free!.ids.indexOf(stop) + 1)]);
      expect(free).toMatchObject({ finishReason: "length" });
      expect(free!.ids).toHaveLength(12);
    }));

  test("stops at the ids of generation_config.json when none are given", () =>
    withPolicy(join(MODELS, "plain"), {}, async (policy) => {
      const samples = await sample(policy, { n: 40, temperature: 3, topP: 1, maxTokens: 30 });
      const stopped = samples.filter(({ finishReason }) => finishReason === "stop");
      expect(new Set(stopped.map(({ ids }) => ids.at(-1)))).toEqual(new Set([7, 9]));
      for (const { ids } of samples)
        expect([...ids.slice(0, -1)].some((id) => id === 7 || id === 9)).toBe(false);
    }));

  test("ends where the context does", () =>
    withPolicy(join(MODELS, "cache"), {}, async (policy) => {
      const [one] = await sample(policy, { n: 1, maxTokens: 1000, stopIds: [48] });
      expect(one!.ids).toHaveLength(40 - PROMPT.length);
      expect(await failure(sample(policy, {}, new Int32Array(40).fill(1)))).toMatchObject({
        reason: "context-length",
        message: expect.stringContaining("41 tokens; the model's limit is 40"),
      });
    }));

  test.each([
    [{ n: 0 }, /n is 0/],
    [{ temperature: -1 }, /temperature is -1/],
    [{ topP: 0 }, /topP is 0/],
    [{ maxTokens: 0.5 }, /maxTokens is 0.5/],
    [{ seed: 0.5 }, /seed is 0.5/],
  ])("refuses %o", (options, message) =>
    withPolicy(join(MODELS, "plain"), {}, async (policy) => {
      const error = await failure(sample(policy, options));
      expect(error).toMatchObject({ _tag: "UsageError", message: expect.stringMatching(message) });
    }),
  );

  test("refuses a prompt of no tokens", () =>
    withPolicy(join(MODELS, "plain"), {}, async (policy) => {
      expect(await failure(sample(policy, {}, new Int32Array()))).toMatchObject({ _tag: "TextRefusedError" });
    }));
});

describe("picking a token", () => {
  const logits = Float32Array.from([0.5, 0.3, 0.15, 0.05].map(Math.log));
  const frequencies = (temperature: number, topP: number): number[] => {
    const random = seededRandom(1, 0);
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 20_000; i++) counts[pickToken(logits, temperature, topP, random).id]! += 1 / 20_000;
    return counts;
  };

  // 5 standard errors of 20,000 draws are below 0.018.
  test.each([
    [1, 1, [0.5, 0.3, 0.15, 0.05]],
    [0.5, 1, [0.25, 0.09, 0.0225, 0.0025].map((p) => p / 0.365)],
    [1, 0.8, [0.5 / 0.8, 0.3 / 0.8, 0, 0]],
    [1, 0.81, [0.5 / 0.95, 0.3 / 0.95, 0.15 / 0.95, 0]],
    [1, 0.01, [1, 0, 0, 0]],
  ])("at temperature %d and top-p %d has the right frequencies", (temperature, topP, expected) => {
    expect(furthest(frequencies(temperature, topP), expected)).toBeLessThan(0.018);
  });

  test("never takes a token of probability 0, and the smaller id of two alike", () => {
    const masked = Float32Array.of(-Infinity, 2, 2, -Infinity);
    expect(pickToken(masked, 0, 1, () => 0)).toEqual({ id: 1, logprob: -Math.log(2) });
    expect(pickToken(masked, 1, 1, () => 0).id).toBe(1);
    expect(pickToken(masked, 1, 1, () => 1 - 2 ** -53).id).toBe(2);
    expect(pickToken(masked, 1, 0.5, () => 1 - 2 ** -53).id).toBe(1);
  });
});

test("streams of random numbers are uniform, reproducible and apart", () => {
  const first = (seed: number, stream: number, count: number): number[] =>
    Array.from({ length: count }, seededRandom(seed, stream));
  expect(first(3, 0, 5)).toEqual(first(3, 0, 5));
  const starts = [0, 1, 2].flatMap((seed) => [0, 1, 2].map((stream) => first(seed, stream, 1)[0]));
  expect(new Set([...starts, first(2 ** 32, 0, 1)[0], first(-1, 0, 1)[0]]).size).toBe(11);
  const many = first(0, 0, 50_000);
  const mean = many.reduce((sum, x) => sum + x, 0) / many.length;
  const square = many.reduce((sum, x) => sum + x * x, 0) / many.length;
  // Standard errors 0.0013 and 0.0013.
  expect(Math.abs(mean - 1 / 2)).toBeLessThan(0.006);
  expect(Math.abs(square - 1 / 3)).toBeLessThan(0.006);
  expect(many.every((x) => x >= 0 && x < 1)).toBe(true);
});
