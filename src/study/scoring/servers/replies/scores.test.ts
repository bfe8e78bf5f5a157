import { describe, expect, it } from "vitest";
import type { Offer } from "../../../../input/replies/alternatives.ts";
import { assembleScores, fewestGiven, ownIsExtra, type TokenReply } from "./scores.ts";

const asked = { url: "http://localhost", id: "q" };
const TEXT = { id: "q", ids: Int32Array.of(1, 7), promptLength: 1 };

function token(logprob: unknown, alternatives: [number, unknown][], rank = -1): TokenReply {
  return { logprob, rank, alternatives: alternatives.map(([id, value]) => ({ id, logprob: value })) };
}

function offer(entries: number, ownIsLast: boolean, rank = -1): Offer {
  return { entries, ownIsLast, rank };
}

describe("the sampled token's own entry", () => {
  it.each<[string, Offer[], boolean[]]>([
    ["longer than asked for", [offer(4, true), offer(3, false)], [true, false]],
    ["as long as asked for", [offer(3, true), offer(3, false)], [false, false]],
    ["from a server that gives fewer", [offer(2, false), offer(3, true)], [false, true]],
    ["last in every list", [offer(3, true), offer(3, true)], [true, true]],
    ["of a known rank", [offer(3, true, 40), offer(3, true, 3), offer(2, true, 2)], [true, false, false]],
  ])("of lists %s", (_name, offers, extra) => {
    expect(ownIsExtra(offers, 3)).toEqual(extra);
  });

  it("is not counted where it is extra", () => {
    expect(fewestGiven([offer(2, false), offer(3, true)], 5)).toBe(2);
    expect(fewestGiven([offer(6, true), offer(5, false)], 5)).toBe(5);
  });
});

describe("scores", () => {
  it("put the most probable first, the smaller id among equals, and count strictly for ranks", () => {
    const reply = token(-1.5, [
      [9, -1.5],
      [7, -1.5],
      [3, -0.7],
    ]);
    const scores = assembleScores(TEXT, [reply], 4, undefined, asked);
    expect([...scores.topK.ids]).toEqual([3, 7, 9, -1]);
    expect([...scores.topK.logprobs]).toEqual([-0.7, -1.5, -1.5, Number.NaN].map(Math.fround));
    expect([...scores.ranks]).toEqual([2]);
  });

  it("take the server's rank for a token beyond the alternatives", () => {
    const scores = assembleScores(
      TEXT,
      [
        token(
          -9,
          [
            [3, -0.1],
            [7, -9],
          ],
          33,
        ),
      ],
      1,
      [offer(2, true, 33)],
      asked,
    );
    expect([...scores.topK.ids, ...scores.ranks]).toEqual([3, 33]);
  });

  it.each<[TokenReply, string, RegExp]>([
    [token(null, []), "no-logprobs", /1 null of 1/],
    [token("NaN", []), "non-finite", /1 NaN of 1/],
    [token("-Infinity", []), "no-logprobs", /1 -9999 or -inf/],
    [token(-1, [[3, "NaN"]]), "non-finite", /1 of 1 alternatives/],
    [
      token(-1, [
        [3, -0.1],
        [4, -0.1],
      ]),
      "no-logprobs",
      /probabilities that add up to 1\.8/,
    ],
  ])("refuse %o", (reply, reason, message) => {
    expect(() => assembleScores(TEXT, [reply], 2, undefined, asked)).toThrow(
      expect.objectContaining({ reason, message: expect.stringMatching(message) }),
    );
  });
});
