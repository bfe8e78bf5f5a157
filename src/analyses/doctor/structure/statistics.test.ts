import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../core/statistics/random.ts";
import { drawToken, logSoftmax, makeNormal } from "../logits.test-data.ts";
import { makeView } from "../sample/view.test-data.ts";
import { LEFT_OUT, type View } from "../sample/view.ts";
import { examineStatistics } from "./statistics.ts";

const LENGTH = 400;
type Statistic = "sampled" | "likeliest" | "entropy";

/** Tokens of 12 words; what the columns hold of them, and whether entropies are recorded. */
function draw(rollout: Statistic, trainer: Statistic, hasEntropies = true): View {
  const random = seededRandom(5);
  const normal = makeNormal(random);
  const columns: Record<Statistic, number[]> = { sampled: [], likeliest: [], entropy: [] };
  for (let t = 0; t < LENGTH; t++) {
    const sureness = 1 + 6 * random();
    const logprobs = logSoftmax(Array.from({ length: 12 }, () => sureness * normal()));
    columns.sampled.push(logprobs[drawToken(logprobs, random())]!);
    columns.likeliest.push(Math.max(...logprobs));
    columns.entropy.push(logprobs.reduce((sum, logprob) => sum + Math.exp(logprob) * logprob, 0));
  }
  const noisy = (values: readonly number[]) => values.map((value) => value * (1 + 0.01 * normal()));
  const entropy = Float64Array.from(columns.entropy, (value) => -value);
  return makeView([
    {
      ...{ rollout: columns[rollout], trainer: noisy(columns[trainer]) },
      ...(hasEntropies && {
        rolloutEntropy: entropy,
        trainerEntropy: trainer === "entropy" ? undefined : entropy,
      }),
    },
  ]);
}

describe("a column that is not about the sampled token", () => {
  it("is minus the entropy of its own side", () => {
    const view = draw("entropy", "sampled");
    const [clue] = examineStatistics(view);
    expect(clue).toMatchObject({ cause: "other_statistic", figures: { side: "rollout" } });
    expect(clue!.sentence).toMatch(
      /^The rollout column is minus the recorded entropy at 100 % of \d+ tokens/,
    );
    expect([...view.left].every((left) => left === LEFT_OUT.claimed)).toBe(true);
  });

  it.each<[string, View, string]>([
    ["rollout", draw("likeliest", "sampled"), "rollout"],
    ["trainer", draw("sampled", "likeliest", false), "trainer"],
  ])("is the likeliest token's log-prob: the %s's", (_, view, side) => {
    const [clue] = examineStatistics(view);
    expect(clue).toMatchObject({ cause: "other_statistic", figures: { side } });
    expect(clue!.sentence).toContain(`The ${side} column is the log-prob of a likelier token`);
  });

  it("is neither beside a placeholder, which any log-prob is above", () => {
    const view = draw("sampled", "sampled");
    for (let i = 0; i < view.tokens; i++) {
      if (view.c[i]! < -1.5) view.claim(i);
      else if (i % 4 === 0) view.a[i] = -9999;
    }
    view.refresh();
    expect(examineStatistics(view)).toEqual([]);
  });

  it("is neither where both sides score what was sampled", () => {
    const view = draw("sampled", "sampled");
    expect(examineStatistics(view)).toEqual([]);
    expect([...view.left]).not.toContain(LEFT_OUT.claimed);
  });

  it("is not told by entropies that belong to no side, or by few tokens", () => {
    expect(examineStatistics(draw("entropy", "sampled", false))).toEqual([]);
    const { rollout, trainer, rolloutEntropy } = draw("entropy", "sampled").rows[0]!;
    const cut = (count: number) =>
      makeView([
        {
          rollout: [...rollout.slice(0, count)],
          trainer: [...trainer.slice(0, count)],
          rolloutEntropy: rolloutEntropy!.slice(0, count),
        },
      ]);
    expect(examineStatistics(cut(15))).toEqual([]);
    expect(examineStatistics(cut(40))).toHaveLength(1);
  });
});
