import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  expectedWithout,
  FIXTURES,
  picture,
  readAll,
  readError,
} from "../../../input/adapters/read.test-data.ts";
import { readEveryWay } from "../../files/read-ways.test-data.ts";

const fixture = (folder: string): string => `${FIXTURES}skyrl/${folder}/global_step_12_training_input.pkl`;
const FIGURES = JSON.parse(readFileSync(`${FIXTURES}skyrl/figures.json`, "utf8")) as {
  meanAbs: number;
  tokens: number;
  meanAbsOfResponses: number;
};
/** What SkyRL keeps: no entropies, no alternatives, no environments, no rewards. */
const EXPECTED = expectedWithout("entropy", "topIds", "topLogprobs", "environments", "rewards");

describe("SkyRL's training batches", () => {
  it("hold the sequences without what pads them, however they come", async () => {
    const outcomes = await readEveryWay(fixture("dumped_data"));
    // Prompts are numbered in each file, so the file's name is in theirs.
    const names = ["global_step_12", "file", "-"];
    outcomes.forEach(({ batches }, way) => {
      const groups = ["p0", "p0", "p1"].map((group) => `${names[way]}.${group}`);
      expect(picture(batches[0]!)).toEqual({ ...EXPECTED, groups });
      expect(batches[0]!.provenance).toMatchObject({ trainer: "skyrl", alignment: "token" });
    });
    const [named] = outcomes;
    expect([...named!.batches[0]!.steps]).toEqual([12, 12, 12]);
  });

  it("count what both masks leave, as the trainer's own figure does", async () => {
    const { batches } = await readAll(fixture("dumped_data"));
    const { rolloutLogprobs, trainerLogprobs, responseMask } = batches[0]!;
    let sum = 0;
    let tokens = 0;
    responseMask.forEach((counts, i) => {
      if (counts === 0) return;
      sum += Math.abs(trainerLogprobs![i]! - rolloutLogprobs![i]!);
      tokens++;
    });
    expect(tokens).toBe(FIGURES.tokens);
    expect(sum / tokens).toBeCloseTo(FIGURES.meanAbs, 9);
    expect(sum / tokens).toBeLessThan(FIGURES.meanAbsOfResponses / 100);
  });

  it("say how many rows only fill the batch up", async () => {
    const { findings } = await readAll(fixture("dumped_data"));
    expect(findings.map(({ severity, message }) => [severity, message])).toEqual([
      ["info", "1 padding row (pad_size) is not read: a copy of a sequence with an empty loss mask"],
    ]);
  });

  it("read bfloat16, which SkyRL writes as a file of torch.save", async () => {
    const { batches } = await readAll(fixture("bfloat16"));
    const { rollout, responses } = picture(batches[0]!);
    expect(responses).toEqual(EXPECTED.responses);
    const errors = rollout!.flatMap((row, i) =>
      row.map((value, t) => Math.abs(value - EXPECTED.rollout![i]![t]!)),
    );
    expect(Math.max(...errors)).toBeLessThan(0.01);
    expect(rollout).not.toEqual(EXPECTED.rollout);
  });

  it("explain what was found", async () => {
    const { run } = await readAll(fixture("dumped_data"));
    expect(run.sources[0]).toMatchObject({ trainer: "skyrl", format: "pickle", step: 12, missing: [] });
    expect(run.sources[0]!.found).toContain("rollout log-probs: rollout_logprobs, float32 [4, 5]");
    expect(run.sources[0]!.guessed).toContain("response mask: response_mask AND loss_mask");
  });

  it.each([
    [
      "rollout_absent",
      "holds the trainer policy's log-probs only: the rollout side is missing",
      "logprobs=1",
    ],
    [
      "trainer_absent",
      "holds the rollout policy's log-probs only: the trainer side is missing",
      "tis_ratio_type",
    ],
    ["both_absent", "holds neither policy's log-probs", "tis_ratio_type"],
  ])("%s: says what to switch on", async (folder, message, hint) => {
    const error = await readError(fixture(folder));
    expect([error._tag, error.message]).toEqual(["MissingSideError", `a SkyRL training batch ${message}`]);
    expect(error.hint).toContain(hint);
  });
});
