import { expect, it } from "vitest";
import { hasSharedData, REAL, warnIfAbsent } from "../../../../test/support/shared-data.ts";
import { readAll, splitRows } from "../../../input/adapters/read.test-data.ts";

warnIfAbsent("NeMo-RL's loss goldens");

it.runIf(hasSharedData)("reads the inputs of NeMo-RL's loss goldens", async () => {
  const path = `${REAL}NVIDIA-NeMo__RL/tests/unit/algorithms/data/clipped_pg_loss_goldens.json`;
  const { batches, run } = await readAll(path);
  const [batch] = batches;
  expect(run.sources[0]!.trainer).toBe("nemo-rl");
  expect(splitRows(batch!, batch!.responseMask)).toEqual([
    [1, 1, 1, 0],
    [1, 1, 0, 0],
  ]);
  const deltas = [...batch!.trainerLogprobs!].map((value, t) => value - batch!.rolloutLogprobs![t]!);
  const masked = deltas.filter((_, t) => batch!.responseMask[t] === 1);
  const expected = [0.2, 0.4, -0.1, 0.5, -0.3];
  expect(masked).toHaveLength(expected.length);
  for (const [t, value] of masked.entries()) expect(value).toBeCloseTo(expected[t]!, 6);
});
