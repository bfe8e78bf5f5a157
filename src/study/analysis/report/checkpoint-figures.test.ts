import { describe, expect, test } from "vitest";
import type { CheckpointFigures } from "../../results/checkpoints.ts";
import type { TextSpike, TextSummary } from "../summary.ts";
import { checkpointFigures, pairFigures } from "./checkpoint-figures.ts";
import { makeCheckpoint, makeStudy, studyText } from "./report.test-data.ts";
import { type KlStudy, viewStudy } from "./report-input.ts";

const texts = [
  studyText("a1", ["x", "1"], { problem: "a" }),
  studyText("a2", ["2"], { problem: "a" }),
  studyText("b", ["y", "z", "3"]),
];
const kl = [[0.2, 0.6], [1.6], [0.1, 1.3, 0.4]];
const close = (value: number) => expect.closeTo(value, 12);

function view(change: (text: TextSummary, i: number) => object = () => ({})): KlStudy {
  const plain = makeCheckpoint(texts, { name: "c", step: 7, stage: "rl", kl });
  const input = makeStudy(texts, [{ name: "c", kl }]);
  return viewStudy({
    ...input,
    checkpoints: [{ ...plain, texts: plain.texts.map((text, i) => ({ ...text, ...change(text, i) })) }],
  });
}

function figuresOf(study: KlStudy): CheckpointFigures {
  return checkpointFigures(study, study.checkpoints[0]!);
}

describe("a checkpoint's figures", () => {
  test("of three texts to two problems", () => {
    // The texts have means 0.4, 1.6 and 0.6, so the problems have 1.0 and 0.6; 6 tokens, 4.2 nats, spikes 1.6 and 1.3.
    const study = view();
    expect(figuresOf(study)).toEqual({
      role: "checkpoint",
      step: 7,
      stage: "rl",
      exact: true,
      problems: 2,
      texts: 3,
      tokens: 6,
      texts_missing: 0,
      mean_kl: close(0.8),
      std_kl: close(0.2),
      median_kl: close(0.8),
      min_kl: close(0.6),
      max_kl: close(1),
      mean_kl_interval: null,
      mean_reverse_kl: close(0.4),
      mean_js: close(0.2),
      mean_total_variation: close(0.1),
      mean_kl_lower: null,
      mean_kl_upper: null,
      upper_infinite_share: null,
      token_mean_kl: close(4.2 / 6),
      token_max_kl: 1.6,
      argmax_changed: close(2 / 6),
      mean_delta: close(-0.8),
      mean_entropy: close(0.08),
      std_entropy: close(0.02),
      mean_entropy_normalized: close(0.08 / Math.log(8)),
      mean_reference_entropy: 0.5,
      entropy_by_region: { early: close(0.08), mid: close(0.08), late: close(0.08) },
      spikes_total: 2,
      spikes_mean: 1,
      spikes_shuffled: 0.5,
      spikes_median: 1,
      spikes_per_100_tokens: close(200 / 6),
      spike_mean_value: close(1.45),
      spike_mean_zscore: 3,
      spike_share_of_kl: close(2.9 / 4.2),
      spike_regions: {
        early: { spikes: 1, density: 0 },
        mid: { spikes: 1, density: 0 },
        late: { spikes: 0, density: close((1 + 1 / 3) / 3) },
      },
      rl_probe: null,
    });
    expect(study.absentLines()).toEqual(
      ["mean_kl_interval (fewer than six problems)"].map((l) => `no ${l} (c)`),
    );
  });

  test("where only bounds are known", () => {
    const bounds = view((_, i) => ({
      exact: i !== 0,
      meanKlLower: i,
      meanKlUpper: 10 + i,
      upperInfinite: 1,
      meanReverseKl: Number.NaN,
    }));
    expect(figuresOf(bounds)).toMatchObject({
      exact: false,
      mean_kl_lower: 1.25,
      mean_kl_upper: 11.25,
      upper_infinite_share: 0.5,
      mean_reverse_kl: null,
    });
    expect(bounds.absentLines()).toContain(
      "no mean_reverse_kl and mean_js (only the most probable tokens are known) (c)",
    );
    expect(bounds.absentLines().join("\n")).not.toContain("mean_kl_upper");

    const open = view((_, i) => ({ exact: false, meanKlUpper: i === 2 ? Number.POSITIVE_INFINITY : 3 }));
    expect(figuresOf(open).mean_kl_upper).toBeNull();
    expect(open.absentLines().join("\n")).toContain(
      "no mean_kl_upper (where the reference's known tokens leave out",
    );
    const exact = view(() => ({ meanKlUpper: Number.POSITIVE_INFINITY }));
    expect(figuresOf(exact).mean_kl_upper).toBeNull();
    expect(exact.absentLines().join("\n")).not.toContain("mean_kl_upper");
  });

  test("where top tokens and entropies are not known", () => {
    const study = view(() => ({ argmaxKnown: 0, meanEntropy: Number.NaN }));
    expect(figuresOf(study)).toMatchObject({ argmax_changed: null, mean_entropy: null, std_entropy: null });
    expect(study.absentLines()).toContain("no mean_entropy (c)");
    const known = view((_, i) => ({ argmaxKnown: i === 0 ? 4 : 0 }));
    expect(figuresOf(known).argmax_changed).toBe(0.5);
  });

  test("spikes with no z-score are in no mean of them", () => {
    const spiked = view(({ spikes }, i) => ({
      spikes: spikes.map((one) => ({ ...one, zscore: i === 1 ? Number.POSITIVE_INFINITY : 5 })),
    }));
    expect(figuresOf(spiked).spike_mean_zscore).toBe(5);
    const none = figuresOf(view(() => ({ spikes: [] })));
    expect(none).toMatchObject({ spikes_total: 0, spike_mean_value: null, spike_mean_zscore: null });
    expect(none.spike_share_of_kl).toBe(0);
  });

  test.each([
    [{ infiniteKl: 1 }, "1 token has an infinite KL and is in no mean and no spike (c)"],
    [{ infiniteKl: 2 }, "2 tokens have an infinite KL and are in no mean and no spike (c)"],
    [{ infiniteReverseKl: 1 }, "1 token has an infinite reverse KL and is in no mean of it (c)"],
    [{ infiniteReverseKl: 4 }, "4 tokens have an infinite reverse KL and are in no mean of it (c)"],
    [{ tokens: 0 }, "1 text has no finite mean KL and is in no figure (c)"],
  ])("count what is in no figure: %j", (change, line) => {
    const study = view((_, i) => (i === 0 ? change : {}));
    figuresOf(study);
    expect(study.absentLines()).toContain(line);
    expect(study.absentLines().filter((one) => /in no/.test(one))).toHaveLength(1);
  });

  test("count texts that are in none, more than one", () => {
    const study = view((_, i) => (i === 0 ? {} : { meanKl: Number.NaN }));
    expect(figuresOf(study)).toMatchObject({ texts: 1, texts_missing: 2, problems: 1 });
    expect(study.absentLines()).toContain("2 texts have no finite mean KL and are in no figure (c)");
  });
});

describe("figures in RL-Probe's alignment", () => {
  const probe = (i: number) => ({
    rlProbe: { meanKl: 1 + i, spikes: 2 + i, spikePositions: i === 1 ? [0] : [2] },
  });

  test("are means over problems, with the share of our spikes that are theirs", () => {
    // Our spikes are token 0 of a2 and token 1 of b; theirs include only the first.
    expect(figuresOf(view((_, i) => probe(i))).rl_probe).toEqual({
      mean_kl: 2.25,
      std_kl: 0.75,
      spikes_total: 9,
      spikes_mean: 4.5,
      same_spikes: 0.5,
    });
    expect(figuresOf(view((_, i) => ({ ...probe(i), spikes: [] }))).rl_probe?.same_spikes).toBeNull();
  });

  test("are null where a text lacks them", () => {
    expect(figuresOf(view((_, i) => (i === 1 ? {} : probe(i)))).rl_probe).toBeNull();
    const unknown = { rlProbe: { meanKl: Number.NaN, spikes: 0, spikePositions: [] } };
    expect(figuresOf(view(() => unknown)).rl_probe).toBeNull();
    expect(figuresOf(view(() => ({ ...unknown, tokens: 0 }))).rl_probe).toBeNull();
  });
});

test("two policies are compared as a checkpoint and the reference are", () => {
  const found = pairFigures({ p: "c", q: "d", texts: view().checkpoints[0]!.texts });
  expect(found).toEqual({
    p: "c",
    q: "d",
    problems: 2,
    tokens: 6,
    mean_kl: close(0.8),
    std_kl: close(0.2),
    mean_reverse_kl: close(0.4),
    mean_js: close(0.2),
    spikes_mean: 1,
  });
  expect(pairFigures({ p: "c", q: "d", texts: [] })).toMatchObject({ mean_kl: null, spikes_mean: 0 });
});

test("a spike is counted in the region in which it lies", () => {
  const late = view(({ spikes }) => ({
    spikes: spikes.map((one): TextSpike => ({ ...one, region: "late" })),
  }));
  const regions = figuresOf(late).spike_regions;
  expect([regions.early.spikes, regions.mid.spikes, regions.late.spikes]).toEqual([0, 0, 2]);
});
