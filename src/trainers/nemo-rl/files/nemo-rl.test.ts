import { describe, expect, it } from "vitest";
import {
  expectedWithout,
  FIXTURES,
  picture,
  readAll,
  readError,
} from "../../../input/adapters/read.test-data.ts";

const fixture = (name: string): string => `${FIXTURES}nemo-rl/${name}`;
const NOT_THERE = ["reference", "entropy", "topIds", "topLogprobs", "groups", "environments"] as const;

describe("NeMo-RL train_data_step*.jsonl", () => {
  it("unwraps lists of one, cuts padding and prompt, takes the step from the name", async () => {
    const { batches, run, findings } = await readAll(fixture("train_data_step12.jsonl"));
    const [batch] = batches;
    expect(picture(batch!)).toEqual(expectedWithout(...NOT_THERE));
    expect([...batch!.steps]).toEqual([12, 12, 12]);
    expect(batch!.promptTexts).toEqual(["What is 1?", "What?", "Why?"]);
    expect(batch!.responseTexts).toEqual([" 20 21 22 23 2", " 30 31 2", " 40 2"]);
    expect(batch!.provenance.trainer).toBe("nemo-rl");
    expect(run.sources[0]!.missing).toEqual([]);
    expect(findings.map(({ message }) => message)).toEqual([
      "1 sample has sample_loss_mask 0: not trained on, but counted here",
    ]);
  });

  it("names the agent, and does without texts", async () => {
    const { batches } = await readAll(fixture("train_data_step13.jsonl"));
    expect(batches[0]!.environments).toEqual(["maths_agent", "maths_agent", "maths_agent"]);
    expect(batches[0]!.responseTexts).toEqual([undefined, undefined, undefined]);
  });

  it("leaves out a row whose columns differ in length, and the half-written last line", async () => {
    const { batches, findings } = await readAll(fixture("train_data_step14.jsonl"));
    expect(batches[0]!.length).toBe(1);
    expect(findings.map(({ code, severity, message, at }) => ({ code, severity, message, at }))).toEqual([
      {
        code: "bad-row",
        severity: "skipped",
        message: `1 row cannot be read: prev_logprobs has 11 values, generation_logprobs has 12`,
        at: { file: fixture("train_data_step14.jsonl"), row: 1, line: 2 },
      },
      {
        code: "partial-line",
        severity: "skipped",
        message: `1 row cannot be read: the last line is cut off: 400 bytes without a closing brace`,
        at: { file: fixture("train_data_step14.jsonl"), row: 2, line: 3, offset: expect.any(Number) },
      },
    ]);
  });

  it("says what is missing from a distillation log", async () => {
    const error = await readError(fixture("distillation.jsonl"));
    expect(error._tag).toBe("MissingSideError");
    expect(error.message).toBe(
      "a NeMo-RL distillation log holds text only: neither policy's log-probs are in it",
    );
  });
});
