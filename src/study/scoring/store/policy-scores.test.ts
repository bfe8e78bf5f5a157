import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makeStudyDirectory, paths } from "./manifest.ts";
import { openPolicyScores } from "./policy-scores.ts";
import { readScores, type ScoreRow, type ScoresLayout } from "./scores-file.ts";

const MODEL = { fingerprint: "model" };
const LAYOUT: ScoresLayout = { entropies: true, topK: 2, partners: ["ref"] };

/** A text of `length` tokens whose values all contain its number. */
function row(number: number, length = 3): ScoreRow {
  const fill = (value: number): Float32Array => new Float32Array(length).fill(value);
  return {
    text: `text ${number}`,
    key: `k${number}`,
    logprobs: fill(-number),
    entropies: fill(number),
    ranks: new Int32Array(length).fill(number),
    topK: {
      k: 2,
      ids: new Int32Array(2 * length).fill(number),
      logprobs: new Float32Array(2 * length).fill(-1),
    },
    pairs: {
      ref: {
        forwardKl: fill(number / 2),
        reverseKl: fill(number / 4),
        jsDivergence: fill(number / 8),
        totalVariation: fill(0.5),
        forwardKlAfterEnd: number === 1 ? Number.NaN : number,
        excludedP: 0,
        excludedQ: 0.25,
      },
    },
  };
}

async function rows(path: string): Promise<ScoreRow[]> {
  const all: ScoreRow[] = [];
  for await (const one of readScores(path)) all.push(one);
  return all;
}

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "policy-scores-"));
  await makeStudyDirectory(dir);
});
afterEach(() => rm(dir, { recursive: true }));

describe("openPolicyScores", () => {
  test("keeps every value of every row, an empty text's too", async () => {
    const given = [row(1), row(2, 0), row(3, 5)];
    const file = await openPolicyScores(dir, "p", LAYOUT, MODEL);
    for (const one of given) await file.add(one);
    await file.finish(["k1", "k2", "k3"]);
    const read = await rows(paths.scores(dir, "p"));
    expect(read.map((one) => ({ ...one, topK: { ...one.topK, k: 2 } }))).toEqual(given);
    expect(await readdir(join(dir, "scores"))).toEqual(["p.parquet"]);
  });

  test("goes on after it was left without a word, and puts texts into the study's order", async () => {
    const killed = await openPolicyScores(dir, "p", LAYOUT, MODEL);
    for (let i = 0; i < 64; i++) await killed.add(row(2 * i));
    await killed.add(row(1000));

    const next = await openPolicyScores(dir, "p", LAYOUT, MODEL);
    expect(next.done.size).toBe(64);
    expect(next.done.has("k1000")).toBe(false);
    for (let i = 0; i < 64; i++) await next.add(row(2 * i + 1));
    await next.finish(Array.from({ length: 128 }, (_, i) => `k${i}`));
    expect((await rows(paths.scores(dir, "p"))).map(({ key }) => key)).toEqual(
      Array.from({ length: 128 }, (_, i) => `k${i}`),
    );
  });

  test("keeps what is added while a part is written", async () => {
    const file = await openPolicyScores(dir, "p", LAYOUT, MODEL);
    const numbers = Array.from({ length: 200 }, (_, i) => i);
    await Promise.all(numbers.map((number) => file.add(row(number))));
    await file.finish(numbers.map((number) => `k${number}`));
    expect((await rows(paths.scores(dir, "p"))).map(({ key }) => key)).toEqual(
      numbers.map((number) => `k${number}`),
    );
  });

  test("adds texts to a finished policy, in another order, and leaves out those that are gone", async () => {
    const first = await openPolicyScores(dir, "p", LAYOUT, MODEL);
    for (const number of [1, 2, 3]) await first.add(row(number));
    await first.finish(["k1", "k2", "k3"]);
    const second = await openPolicyScores(dir, "p", LAYOUT, MODEL);
    expect([...second.done]).toEqual(["k1", "k2", "k3"]);
    await second.add(row(4));
    await second.finish(["k4", "k3", "k1"]);
    expect((await rows(paths.scores(dir, "p"))).map(({ key }) => key)).toEqual(["k4", "k3", "k1"]);
  });

  test("keeps attention, and throws away what lacks it or is about another error", async () => {
    const attention = { heads: 3, hiding: ["ref"] };
    const layout = { ...LAYOUT, attention };
    const values = Float32Array.of(Number.NaN, 0.25, 0.5);
    const looking: ScoreRow = {
      ...row(1),
      attention: {
        error: { from: 0, token: 0 },
        toError: values,
        toControl: values.map((value) => value / 2),
        heads: { layers: 2, shares: Float32Array.from([1, 2, 3, 4, 5, 6]) },
      },
      pairs: { ref: { ...row(1).pairs.ref!, klWithoutError: values, klWithoutControl: values } },
    };
    const nothing = new Float32Array(3).fill(Number.NaN);
    const none: ScoreRow = {
      ...row(2),
      attention: {
        error: undefined,
        toError: nothing,
        toControl: nothing,
        heads: { layers: 0, shares: new Float32Array() },
      },
      pairs: { ref: { ...row(2).pairs.ref!, klWithoutError: nothing, klWithoutControl: nothing } },
    };
    const errors = new Map([
      ["k1", { from: 0, token: 0 }],
      ["k2", undefined],
    ]);
    const first = await openPolicyScores(dir, "p", layout, { ...MODEL, errors });
    for (const one of [looking, none]) await first.add(one);
    await first.finish(["k1", "k2"]);
    expect(await rows(paths.scores(dir, "p"))).toEqual([looking, none]);
    const kept = async (asked: ScoresLayout, about: typeof errors): Promise<number> =>
      (await openPolicyScores(dir, "p", asked, { ...MODEL, errors: about })).done.size;
    expect(await kept(layout, errors)).toBe(2);
    expect(await kept(LAYOUT, errors)).toBe(2);
    expect(await kept(layout, new Map([["k2", undefined]]))).toBe(2);
    expect(await kept(layout, new Map([["k1", { from: 0, token: 1 }]]))).toBe(0);

    const plain = await openPolicyScores(dir, "p", LAYOUT, MODEL);
    await plain.add(row(1));
    await plain.finish(["k1"]);
    expect(await kept(layout, errors)).toBe(0);
  });

  test("throws away what lacks a partner that is wanted now, and what must not be kept", async () => {
    const alone = { ...LAYOUT, partners: [] };
    const first = await openPolicyScores(dir, "p", alone, MODEL);
    await first.add({ ...row(1), pairs: {} });
    await first.finish(["k1"]);
    expect((await openPolicyScores(dir, "p", alone, MODEL)).done.size).toBe(1);
    expect((await openPolicyScores(dir, "p", LAYOUT, MODEL)).done.size).toBe(0);

    const again = await openPolicyScores(dir, "p", LAYOUT, MODEL);
    await again.add(row(1));
    await again.pause();
    expect((await openPolicyScores(dir, "p", LAYOUT, { fingerprint: "another" })).done.size).toBe(0);
  });
});
