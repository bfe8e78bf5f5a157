import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { LEFT_OUT } from "../sample/view.ts";
import { examinePlaces } from "./places.ts";

const LENGTH = 20;
const values = Array.from({ length: LENGTH }, (_, t) => -0.5 - (t % 3) / 10);
/** Rows whose trainer column is off by so much at the tokens of a set, and by a hundredth elsewhere. */
const off = (isOff: (t: number, row: number) => boolean, by = 2, count = 6, more: Partial<GivenRow> = {}) =>
  makeView(
    Array.from({ length: count }, (_, row) => ({
      rollout: values,
      trainer: values.map((value, t) => value - (isOff(t, row) ? by : 0.01)),
      ...more,
    })),
  );
const causes = (view: ReturnType<typeof off>) => examinePlaces(view).map(({ cause }) => cause);

describe("a single place where all that is off stands", () => {
  it.each([
    [0, "first_token_wrong", "first response token"],
    [LENGTH - 1, "last_token_wrong", "last response token"],
  ])("token %i: %s, with the means there and elsewhere", (at, cause, place) => {
    const view = off((t) => t === at);
    const [clue] = examinePlaces(view);
    expect(clue).toMatchObject({
      cause,
      figures: {
        mean_there: expect.closeTo(2, 9),
        mean_elsewhere: expect.closeTo(0.01, 9),
        delta_there: expect.closeTo(-2, 9),
        tokens: 6,
        off_there: 1,
        off_elsewhere: 0,
      },
    });
    expect(clue!.sentence).toBe(
      `Mean |Δ| is 2.00 nats at the ${place} (6 tokens) and 0.0100 elsewhere. It accounts for 91.3 % of Σ|Δ|.`,
    );
    expect(clue!.picture).toMatchObject({ x: [place, "elsewhere"] });
    expect(clue!.handles).toHaveLength(5);
    expect([...view.left].filter((left) => left === LEFT_OUT.claimed)).toHaveLength(6);
  });

  it("is the first of the policy's own tokens, whatever is masked before it", () => {
    const mask = values.map((_, t) => Number(t > 3));
    expect(causes(off((t) => t === 4, 2, 6, { mask }))).toEqual(["first_token_wrong"]);
    const end = values.map((_, t) => Number(t < 15));
    expect(causes(off((t) => t === 14, 2, 6, { mask: end }))).toEqual(["last_token_wrong"]);
  });

  it("needs three tokens off, a quarter of those that stand there, and few elsewhere", () => {
    expect(causes(off((t) => t === 0, 2, 2))).toEqual([]);
    expect(causes(off((t) => t === 0, 2, 3))).toEqual(["first_token_wrong"]);
    const some = (share: number) => causes(off((t, row) => t === 0 && row < share, 2, 16));
    expect([some(4), some(5)]).toEqual([[], ["first_token_wrong"]]);
    expect(causes(off((t) => t === 0 || t === 7 || t === 9 || t === 11))).toEqual([]);
    expect(causes(off(() => false))).toEqual([]);
  });

  it("behind tool output is another token, not a choice, where it is far off", () => {
    const mask = values.map((_, t) => Number(t < 8 || t > 10));
    expect(causes(off((t) => t === 11, 1.6, 6, { mask }))).toEqual(["retokenized_turns"]);
    expect(causes(off((t) => t === 11, 1.4, 6, { mask }))).toEqual([]);
  });
});

describe("starts of chunks", () => {
  const prompt = new Int32Array(4);

  it("are told with the size of the chunk: positions count the prompt", () => {
    const view = off((t) => (t + 4) % 8 === 0, 2, 6, { prompt });
    const found = examinePlaces(view).find(({ cause }) => cause === "cp_boundary")!;
    expect(found.figures).toEqual({ chunk: 8, starts: 12, off_at_starts: 12, off_elsewhere: 0 });
    expect(found.sentence).toMatch(
      /^Of 12 tokens at positions that are multiples of 8 \(prompt included\), 12 have \|Δ\| above 0\.25 nats; of all others, 0\. Labels are off by one where a chunk of 8 tokens begins\.$/,
    );
    expect(found.handles).toEqual(["s1.q0.t4", "s1.q0.t12", "s1.q1.t4", "s1.q1.t12", "s1.q2.t4"]);
    expect([...view.left].filter((left) => left === LEFT_OUT.claimed)).toHaveLength(12);
  });

  it("are not told without prompts, of few, or where as many are off elsewhere", () => {
    const isStart = (t: number) => (t + 4) % 8 === 0;
    expect(causes(off(isStart))).toEqual([]);
    expect(causes(off(isStart, 2, 2, { prompt }))).toEqual([]);
    expect(causes(off(isStart, 2, 3, { prompt }))).toEqual(["cp_boundary"]);
    expect(causes(off((t) => isStart(t) || t === 5 || t === 13, 2, 6, { prompt }))).toEqual([]);
  });
});

describe("one value at a place, however near the truth it is", () => {
  const EOS = 3;
  /** Rows of which the first so many end with a token that a program wrote, at this log-prob. */
  const ended = (count: number, value: number, of = count) =>
    makeView(
      Array.from({ length: of }, (_, row) => ({
        rollout: values.map((own, t) =>
          t < LENGTH - 1 ? own - row / 50 : row < count ? value : own - row / 50,
        ),
        trainer: values.map((own, t) => (t < LENGTH - 1 ? own - row / 50 : -0.01 - row / 100)),
        ids: Int32Array.from(values, (_, t) => (t < LENGTH - 1 ? 10 + t : row < count ? EOS : 7 + row)),
      })),
    );

  it("is told at the last token, as 0 in all rows that end", () => {
    const view = ended(12, 0);
    const [clue] = examinePlaces(view);
    expect(clue).toMatchObject({
      cause: "last_token_wrong",
      figures: { side: "rollout", value: 0, sequences: 12, of: 12 },
    });
    expect(clue!.sentence).toBe(
      "The rollout log-prob of the last response token is exactly 0 in 12 sequences of 12, whatever the other side has there, and hardly anywhere else.",
    );
    expect([...view.left].filter((left) => left === LEFT_OUT.claimed)).toHaveLength(12);
  });

  it("is told of the rows that end, where as many were cut off", () => {
    expect(examinePlaces(ended(12, 0, 24))[0]).toMatchObject({
      figures: { value: 0, sequences: 12, of: 12 },
    });
  });

  it("is not told of few rows, of a value that stands elsewhere, too, or where both sides have one", () => {
    const told = (view: ReturnType<typeof ended>) =>
      examinePlaces(view).some(({ figures }) => figures.sequences !== undefined);
    expect([told(ended(7, 0)), told(ended(8, 0))]).toEqual([false, true]);
    const everywhere = ended(12, 0);
    for (let i = 0; i < everywhere.tokens; i += 5) everywhere.a[i] = 0;
    expect(told(everywhere)).toBe(false);
    const both = ended(12, 0);
    for (let i = LENGTH - 1; i < both.tokens; i += LENGTH) both.c[i] = -1e-5;
    expect(told(both)).toBe(false);
  });

  it("is not told after few prompts: the same context gives the same number", () => {
    const [few, several] = [ended(12, 0), ended(12, 0)];
    for (const [prompts, { rows }] of [
      [3, few],
      [4, several],
    ] as const)
      for (const [r, row] of rows.entries()) Object.assign(row, { group: r % prompts });
    expect([examinePlaces(few), examinePlaces(several)].map(({ length }) => length)).toEqual([0, 1]);
  });
});
