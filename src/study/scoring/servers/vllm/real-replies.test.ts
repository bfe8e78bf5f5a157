import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { REAL, warnIfAbsent } from "../../../../../test/support/shared-data.ts";
import { assembleScores } from "../replies/scores.ts";
import { parsePromptLogprobs } from "./parse.ts";

/** What vLLM's own tests store of a served model: `[ids, text, [{"<id>": {logprob, rank, decoded_token}}]]`. */
const RECORDED = `${REAL}sunnweiwei__verl-vllm-rollout-benchmark/task/vllm-src/tests/models/fixtures/mistral_small_3_chat.json`;
const present = existsSync(RECORDED);
warnIfAbsent("vLLM's recorded log-probs", RECORDED);

type Place = Record<string, { logprob: number; rank: number; decoded_token: string }>;
type Recorded = [ids: number[], text: string, places: Place[]];

describe.skipIf(!present)("log-probs that vLLM has given", () => {
  const asked = { url: "http://localhost", id: "q" };

  it("are read with their ranks, alternatives and text", () => {
    const conversations = JSON.parse(readFileSync(RECORDED, "utf8")) as Recorded[];
    expect(conversations).toHaveLength(3);
    for (const [ids, response, places] of conversations) {
      const text = { id: "q", ids: Int32Array.of(1, ...ids), promptLength: 1 };
      const parsed = parsePromptLogprobs({ prompt_logprobs: [null, ...places] }, text, asked)!;
      expect(parsed.text).toContain(response);
      const scores = assembleScores(text, parsed.tokens, 5, parsed.offers, asked);
      expect([...scores.logprobs]).toEqual(ids.map((id, index) => places[index]![id]!.logprob));
      // vLLM ranks equally probable tokens one after another; here both have the better rank.
      const ranks = ids.map((id, index) => {
        const place = places[index]!;
        return 1 + Object.values(place).filter(({ logprob }) => logprob > place[id]!.logprob).length;
      });
      expect([...scores.ranks]).toEqual(ranks);
      for (const [index, place] of places.entries()) {
        const byRank = Object.values(place).sort((a, b) => a.rank - b.rank);
        // Some lists are shorter; a token ranked beyond its list is not an alternative.
        const known = byRank.filter(({ rank }) => rank <= Math.min(5, byRank.length));
        const expected = known.map(({ logprob }) => Math.fround(logprob));
        const found = scores.topK.logprobs.subarray(5 * index, 5 * index + 5);
        expect([...found].filter((value) => !Number.isNaN(value))).toEqual(expected);
      }
    }
  });
});
