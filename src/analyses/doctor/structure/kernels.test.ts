import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../core/statistics/random.ts";
import { makeNormal } from "../logits.test-data.ts";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { LEFT_OUT } from "../sample/view.ts";
import { examineKernels } from "./kernels.ts";

const ROWS = 12;
const LENGTH = 60;
const FROM = 50;

/** Prompts of 10 to 21 tokens, so that one position is another place in every response. */
function drawRows(noise: (position: number, normal: () => number) => number): GivenRow[] {
  const random = seededRandom(3);
  const normal = makeNormal(random);
  return Array.from({ length: ROWS }, (_, row) => {
    const prompt = new Int32Array(10 + row);
    const rollout = Array.from({ length: LENGTH }, () => -0.02 - 2 * random());
    const trainer = rollout.map((value, t) => {
      const spread = -Math.expm1(value);
      return Math.min(-1e-6, value + spread * noise(prompt.length + t, normal));
    });
    return { rollout, trainer, prompt };
  });
}

const rounding = (position: number, normal: () => number): number => (position < FROM ? 0 : 0.03 * normal());

describe("a kernel that takes over at a position", () => {
  it("is found where both sides are equal before it and apart by rounding after it", () => {
    const view = makeView(drawRows(rounding));
    const [clue, ...more] = examineKernels(view);
    expect(more).toEqual([]);
    expect(clue).toMatchObject({
      cause: "kernel_boundary",
      figures: { position: FROM, differ_before: 0, differ_after: 1 },
    });
    expect(clue!.weight).toBeGreaterThan(8);
    expect(clue!.sentence).toMatch(
      /^Before position 50 \(prompt included\) the two sides are equal at 100 % of 414 unsure tokens; from there on, 100 % of 306 unsure tokens differ, by rounding: logit noise of 0\.0\d+ nats, with both signs\.$/,
    );
    expect([...view.left].filter((left) => left === LEFT_OUT.claimed)).toHaveLength(306);
  });

  it.each<[string, GivenRow[]]>([
    ["all tokens are equal", drawRows(() => 0)],
    ["all tokens are apart", drawRows((_, normal) => 0.03 * normal())],
    ["more than rounding follows", drawRows((at, normal) => (at < FROM ? 0 : 0.4 * normal()))],
    ["all that follows has one sign", drawRows((at) => (at < FROM ? 0 : 0.03))],
    ["too few tokens come before", drawRows((at, normal) => (at < 20 ? 0 : 0.03 * normal()))],
    ["the prompts are unknown", drawRows(rounding).map((row) => ({ ...row, prompt: undefined }))],
    ["too few sequences reach it", drawRows(rounding).slice(0, 7)],
  ])("is not where %s", (_, rows) => {
    const view = makeView(rows);
    expect(examineKernels(view)).toEqual([]);
    expect([...view.left]).not.toContain(LEFT_OUT.claimed);
  });
});
