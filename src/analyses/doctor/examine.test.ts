/** What a run's figures and marks add up to, where they disagree. */
import { expect, it } from "vitest";
import { examineView } from "./examine.ts";
import { type ModelledRun, modelRun, type Side } from "./modelled-run.test-data.ts";
import { rankCauses } from "./rank.ts";
import { takeRow } from "./sample/row.ts";
import { View } from "./sample/view.ts";

function rank(run: ModelledRun) {
  const batch = modelRun(run);
  const rows = Array.from({ length: batch.length }, (_, i) => takeRow(batch, i, Math.floor(i / 4), true));
  return rankCauses(examineView(new View(rows)).odds);
}

/** Position ids that start again with the second turn, behind a tool's tokens. */
const byTurn: ModelledRun = {
  isTool: (token) => token >= 16 && token < 20,
  record: ({ length }) => ({ positionIds: Int32Array.from({ length }, (_, t) => (t < 20 ? 8 + t : t - 20)) }),
};

it.each<[string, Side]>([
  ["everywhere", { weights: () => 0.3 }],
  ["at the beginning", { weights: ({ token }) => (token < 8 ? 0.3 : 0) }],
  ["from the second turn on", { weights: ({ token }) => (token >= 20 ? 0.5 : 0) }],
])("position ids that restart at a turn are named, though weights differ %s", (_, trainer) => {
  const [first] = rank({ ...byTurn, trainer, rows: 32 });
  expect(first).toMatchObject({ id: "position_ids_wrong" });
  expect(first!.probability).toBeGreaterThan(0.6);
  // Without the recorded ids it is not certain.
  const plain = rank({ isTool: byTurn.isTool!, trainer, rows: 32 });
  expect(plain.find(({ id }) => id === "position_ids_wrong")?.probability ?? 0).toBeLessThan(0.5);
});

it("columns in each other's place are named by what the samples fit", () => {
  const older: ModelledRun = { rollout: { weights: () => 0.1 }, rows: 48 };
  const swapped = rank({
    ...older,
    record: ({ rollout, trainer }) => ({ rolloutLogprobs: trainer, trainerLogprobs: rollout }),
  });
  expect(swapped[0]).toMatchObject({ id: "columns_swapped" });
  expect(rank(older).map(({ id }) => id)).not.toContain("columns_swapped");
});
