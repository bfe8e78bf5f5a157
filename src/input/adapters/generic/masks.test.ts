import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeChecks } from "../../../ingest/alignment/describe-checks.ts";
import { EXPECTED, FIXTURES, picture, readAll, readError, withoutRepeats } from "../read.test-data.ts";

const fixture = (name: string): string => `${FIXTURES}masks/${name}`;
/** Computed by numpy in scripts/fixtures/adapters_masks.py. */
const TRUE_FIGURES = JSON.parse(readFileSync(fixture("expected.json"), "utf8")) as {
  readonly tokens: number;
  readonly response_tokens: number;
  readonly delta_abs_mean: number;
};

/** Mean |Δ| over tokens with mask 1, and how many there are. */
function meanDelta({ batches }: Awaited<ReturnType<typeof readAll>>): [number, number] {
  let [sum, count] = [0, 0];
  for (const { responseMask, rolloutLogprobs, trainerLogprobs } of batches) {
    for (const [t, mask] of responseMask.entries()) {
      if (mask === 0) continue;
      sum += Math.abs(trainerLogprobs![t]! - rolloutLogprobs![t]!);
      count++;
    }
  }
  return [sum / count, count];
}

describe("several masks in one file", () => {
  it.each([
    ["skyrl.npz", "response_mask AND loss_mask", "response_mask"],
    ["skyrl.pt", "response_mask AND loss_mask", "response_mask"],
    ["trl.npz", "completion_mask AND tool_mask", "completion_mask"],
    ["trl.pt", "completion_mask AND tool_mask", "completion_mask"],
    ["trl.jsonl", "completion_mask AND env_mask", "completion_mask"],
  ])("%s counts a token where all of them are 1", async (name, masks, first) => {
    const read = await readAll(fixture(name));
    const [mean, tokens] = meanDelta(read);
    expect(tokens).toBe(TRUE_FIGURES.tokens);
    expect(mean).toBeCloseTo(TRUE_FIGURES.delta_abs_mean, 7);
    const { prompts, responses, masks: bits, rollout, trainer } = EXPECTED;
    expect(picture(read.batches[0]!)).toMatchObject({ prompts, responses, masks: bits, rollout, trainer });
    const fewer = TRUE_FIGURES.response_tokens - TRUE_FIGURES.tokens;
    expect(describeChecks(read.run.sources.map(({ checks }) => checks))).toContain(
      `mask: ${masks}, ${fewer} tokens fewer than ${first} alone`,
    );
  });

  it("says so before anything is read", async () => {
    const { run } = await readAll(fixture("trl.npz"));
    expect(run.sources[0]!.guessed).toContain("response mask: completion_mask AND tool_mask");
  });

  it("stand back where the user names one", async () => {
    const read = await readAll(fixture("trl.npz"), { mapping: { mask: "completion_mask" } });
    expect(meanDelta(read)[1]).toBe(TRUE_FIGURES.response_tokens);
  });

  it("that leave no token of each other are refused by name", async () => {
    const error = await readError(fixture("contrary.npz"));
    expect([error._tag, error.message]).toEqual([
      "EmptyInputError",
      "the masks contradict each other: response_mask AND loss_mask AND tool_mask leave no token, response_mask alone has 10 tokens",
    ]);
    expect(error.hint).toBe("name the one mask that counts: --mask response_mask");
  });
});

describe("ids that a file has twice", () => {
  const row = { response_mask: [1, 1, 0], rollout_log_probs: [-1, -2, 0], old_log_probs: [-1, -2, 0] };

  it("are compared where the mask counts them, and said", async () => {
    const folder = await mkdtemp(join(tmpdir(), "ids-"));
    const path = join(folder, "rows.jsonl");
    const write = (...inputIds: number[][]): Promise<void> =>
      writeFile(
        path,
        inputIds
          .map((ids) => `${JSON.stringify({ ...row, responses: [7, 8, 9], input_ids: ids })}\n`)
          .join(""),
      );
    await write([1, 2, 7, 8, 0], [1, 7, 8, 9]);
    const same = await readAll(path);
    expect(withoutRepeats(same.findings)).toEqual([]);
    expect(describeChecks(same.run.sources.map(({ checks }) => checks))).toContain(
      "token ids: all 4 response token ids match the end of the prompt and response ids",
    );
    await write([1, 2, 7, 8, 0], [1, 7, 8, 9, 0]);
    const { findings } = await readAll(path);
    expect(withoutRepeats(findings).map(({ code, message }) => [code, message])).toEqual([
      ["ids-differ", "2 of 4 response token ids differ from the end of the prompt and response ids"],
    ]);
    await rm(folder, { recursive: true });
  });
});
