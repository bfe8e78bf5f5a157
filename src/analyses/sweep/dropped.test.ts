import { expect, it } from "vitest";
import { recordBatch, type SequencePicture } from "../../../test/support/record-batch.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { buildSweep } from "./build-sweep.ts";
import { BASELINE, type NamedCorrection } from "./named-correction.ts";
import { Sweep } from "./sweep.ts";

interface Drawn {
  readonly deltas: string;
  readonly advantage: number;
  readonly reward: number;
  readonly group: string;
}

function makeBatch(drawn: readonly Drawn[]): RecordBatch {
  const batch = recordBatch(drawn.map(({ deltas }, row): SequencePicture => ({ deltas, step: 1, row })));
  return {
    ...batch,
    rewards: Float64Array.from(drawn, ({ reward }) => reward),
    groupIds: drawn.map(({ group }) => group),
    advantages: Float32Array.from(
      drawn.flatMap(({ deltas, advantage }) => deltas.split(" ").map(() => advantage)),
    ),
  };
}

const MASKED: NamedCorrection = {
  name: "masked",
  methods: ["masked"],
  correction: {
    steps: [
      {
        action: "mask",
        measure: { statistic: "ratio", level: "token", aggregation: "sum" },
        lower: 0.5,
        upper: 2,
      },
    ],
  },
};

/** What masking tokens with a ratio outside 1/2 to 2 takes away. */
function findDropped(drawn: readonly Drawn[]) {
  const sweep = new Sweep([BASELINE, MASKED]);
  sweep.add(makeBatch(drawn));
  const report = buildSweep({ run: "drawn", sweep, presets: [], findings: [], sources: [] });
  return report.corrections[1]!;
}

const DRAWN: readonly Drawn[] = [
  { deltas: "2 -2 0 0", advantage: 1, reward: 1, group: "a" },
  { deltas: "2 0 0 0 0 0 0 0 0 0", advantage: -1, reward: 0, group: "a" },
  { deltas: "0 0", advantage: 0, reward: 0.5, group: "b" },
  { deltas: "-3 3", advantage: 0, reward: 0.5, group: "c" },
];

it("says of which advantages tokens are dropped", () => {
  const { dropped, tokens_kept } = findDropped(DRAWN);
  expect([tokens_kept, dropped.tokens]).toEqual([13, 5]);
  expect(dropped.by_advantage).toEqual({ positive: 2 / 4, negative: 1 / 10, zero: 2 / 4 });
  const turned = findDropped(DRAWN.map((one) => ({ ...one, advantage: -one.advantage })));
  expect(turned.dropped.by_advantage).toEqual({ positive: 1 / 10, negative: 2 / 4, zero: 2 / 4 });
});

it("says of which rewards, and to which side the mean moves", () => {
  const { dropped } = findDropped(DRAWN);
  // Kept: 2 tokens of reward 1, 9 of 0, 2 of 0.5; dropped: 2 of 1, 1 of 0, 2 of 0.5.
  expect(dropped.reward_kept).toBeCloseTo(3 / 13, 12);
  expect(dropped.reward_dropped).toBeCloseTo(3 / 5, 12);
  const [mean, squares] = [6 / 18, 5 / 18];
  const deviation = Math.sqrt(squares - mean ** 2);
  expect(dropped.reward_shift).toBeCloseTo((3 / 13 - mean) / deviation, 12);
  const turned = findDropped(DRAWN.map((one) => ({ ...one, reward: 1 - one.reward })));
  expect(turned.dropped.reward_shift).toBeCloseTo((mean - 3 / 13) / deviation, 12);
});

it("counts sequences and groups without a survivor", () => {
  const { dropped } = findDropped(DRAWN);
  expect([dropped.sequences, dropped.sequences_share, dropped.groups_lost]).toEqual([1, 0.25, 1]);
  const mixed = findDropped(DRAWN.map((one) => ({ ...one, group: "a" })));
  expect(mixed.dropped.groups_lost).toBe(0);
});
