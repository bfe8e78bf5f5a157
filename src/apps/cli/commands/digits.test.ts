import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTokenizer } from "../../../input/tokens/open-tokenizer.ts";
import type { DigitsReport } from "../../../results/digits.ts";
import { EXIT } from "../exit-status.ts";
import { type Captured, captured } from "./captured.test-data.ts";
import { type DigitsOptions, digits } from "./digits.ts";

const TOKENIZER = fileURLToPath(new URL("../../../../test/fixtures/tokenizer/byte-level", import.meta.url));
const RESPONSES = ["4+4=8 ####8", "so ####17", "none"];
const TRUTHS = ["8", 19, "x"];
let directory = "";
const path = (name: string): string => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "logratio-digits-"));
  const { encode } = await openTokenizer(TOKENIZER);
  const rows = RESPONSES.map((text, i) => {
    const ids = encode(text);
    const rollout = ids.map((_, t) => -0.25 - t / 64);
    const row = { sample_id: `r${i}`, step: 3, completion_ids: ids, vllm_logprobs: rollout };
    return {
      ...row,
      old_logprobs: rollout.map((x) => x - 0.125),
      reward_model: { ground_truth: TRUTHS[i] },
    };
  });
  const lines = (objects: readonly object[]): string =>
    objects.map((row) => `${JSON.stringify(row)}\n`).join("");
  await writeFile(path("run.jsonl"), lines(rows));
  await writeFile(path("one.jsonl"), lines(rows.map(({ old_logprobs: _, ...row }) => row)));
  const truths = TRUTHS.map((answer, i) => ({ id: `r${i}`, answer })).reverse();
  const record = rows.map(
    ({ completion_ids: ids, vllm_logprobs: rollout, old_logprobs: trainer, ...row }, i) => ({
      ...row,
      ...{ row: 2 - i, response_token_ids: ids, rollout_logprobs: rollout, trainer_logprobs: trainer },
    }),
  );
  await writeFile(path("record.jsonl"), lines(record));
  await writeFile(path("truth.jsonl"), lines(truths));
  await writeFile(path("map.json"), JSON.stringify({ r0: "8", r1: { ground_truth: "19" } }));
});
afterAll(() => rm(directory, { recursive: true }));

const run = (options: DigitsOptions, file = "run.jsonl"): Promise<Captured> =>
  captured((terminal) => digits([path(file)], options, terminal));

const runReport = async (options: DigitsOptions, file?: string): Promise<DigitsReport> =>
  JSON.parse((await run({ ...options, json: true }, file)).out) as DigitsReport;

describe("digits", () => {
  it("prints figures of both policies as JSON", async () => {
    const report = await runReport({ tokenizer: TOKENIZER });
    expect(report).toMatchObject({
      schemaVersion: 1,
      kind: "digits",
      vocabulary: { tokenizer: TOKENIZER, multi_digit_entries: 4 },
      metrics: { sequences: 3, sequences_with_digits: 2, total_digits: 6, numbers: 5 },
      truth: null,
      per_step: [{ step: 3, digits: 6 }],
    });
    expect(report.metrics.trainer_ntl_loss! - report.metrics.ntl_loss!).toBeCloseTo(0.125, 6);
    expect(report.comparison!.digits.delta_mean).toBeCloseTo(-0.125, 6);
    expect(report.sources).toMatchObject([{ sequences: 3 }]);
  });

  it("lists each sequence's digits, truth and rewards as number-token loss keeps them", async () => {
    const { per_sequence: listed } = await runReport({
      tokenizer: TOKENIZER,
      truth: "reward_model.ground_truth",
    });
    const near = (value: number) => expect.closeTo(value, 6) as number;
    const [first, second, third] = listed!;
    expect(listed).toHaveLength(3);
    expect(first).toMatchObject({
      handle: "s3.q0",
      digit_positions: [0, 2, 4, 10],
      digit_ground_truth: [4, 4, 8, 8],
      digit_log_probs_selected: [0, 2, 4, 10].map((t) => near(-0.25 - t / 64)),
      trainer_log_probs_selected: [0, 2, 4, 10].map((t) => near(-0.375 - t / 64)),
      total_digits: 4,
      avg_digit_log_prob: near(-0.3125),
      ntl_loss: near(0.3125),
      truth: "8",
      answer: "8",
      answer_right: true,
      reward: null,
      confidence_reward: near(0.5 + 0.5 * Math.exp(-0.3125)),
      bonus_reward: 1.1,
    });
    expect(second).toMatchObject({ truth: "19", answer: "17", answer_right: false });
    expect(third).toMatchObject({ digit_positions: [], avg_digit_log_prob: null, confidence_reward: 1 });
    expect(third!.answer_right).toBeNull();
    expect((await runReport({ tokenizer: TOKENIZER, sequences: "1" })).per_sequence).toHaveLength(1);
    expect((await runReport({ tokenizer: TOKENIZER, sequences: "all" })).per_sequence).toHaveLength(3);
    await expect(run({ tokenizer: TOKENIZER, sequences: "2" })).rejects.toThrow("--sequences needs --json");
    await expect(run({ tokenizer: TOKENIZER, sequences: "x", json: true })).rejects.toThrow(
      '--sequences must be a whole number or all, not "x"',
    );
  });

  it("says how many sequences it did not list", async () => {
    const row = { completion_ids: [7], vllm_logprobs: [-1], old_logprobs: [-1], reward: 2 };
    await writeFile(path("many.jsonl"), `${JSON.stringify(row)}\n`.repeat(1002));
    const options = { digitIds: "0,1,2,3,4,5,6,7,8,9", json: true };
    const { out, err } = await run(options, "many.jsonl");
    const { per_sequence: listed } = JSON.parse(out) as DigitsReport;
    expect(listed).toHaveLength(1000);
    expect(listed![999]).toMatchObject({ reward: 2, confidence_reward: 1 + Math.exp(-1), bonus_reward: 2 });
    expect(err).toContain(
      "per_sequence lists the first 1,000 sequences: 2 sequences more are in the figures only",
    );
    expect(err).toContain("--sequences all");
  });

  it("takes ids instead of a tokenizer", async () => {
    const { encode } = await openTokenizer(TOKENIZER);
    const ids = [..."0123456789"].map((digit) => encode(digit)[0]);
    const own = await runReport({ digitIds: ids.join(",") });
    const whole = await runReport({ tokenizer: TOKENIZER });
    expect(own.vocabulary.tokenizer).toBeNull();
    expect(own.metrics).toEqual(whole.metrics);
  });

  it.each(["reward_model.ground_truth", "truth.jsonl", "map.json"])(
    "compares with ground truth from %s",
    async (given) => {
      const truth = given.includes("reward") ? given : path(given);
      const report = await runReport({ tokenizer: TOKENIZER, truth });
      expect(report.truth).toMatchObject({
        source: truth,
        numbers: 2,
        numbers_right: 1,
        distance_mean: 1,
        digits: 3,
        digits_right: 2,
      });
      expect(report.truth!.truth_not_a_number).toBe(given === "map.json" ? 0 : 1);
    },
  );

  it("finds the rows of a record by the numbers they carry", async () => {
    const report = await runReport(
      { tokenizer: TOKENIZER, truth: "reward_model.ground_truth" },
      "record.jsonl",
    );
    expect(report.truth).toMatchObject({ numbers: 2, numbers_right: 1, truth_not_a_number: 1 });
  });

  it("reads one policy, by its well-known name or named once or twice", async () => {
    const column = "vllm_logprobs";
    const report = await runReport({ tokenizer: TOKENIZER, rollout: column, trainer: column }, "one.jsonl");
    expect(report).toMatchObject({ comparison: null, metrics: { total_digits: 6, trainer_ntl_loss: null } });
    for (const options of [{}, { rollout: column }])
      expect(await runReport({ tokenizer: TOKENIZER, ...options }, "one.jsonl")).toMatchObject({
        policy: "rollout",
        metrics: report.metrics,
      });
  });

  it("prints a page and Markdown with the command", async () => {
    const { status, out } = await run({ tokenizer: TOKENIZER, truth: "reward_model.ground_truth" });
    expect(status).toBe(EXIT.fine);
    expect(out).toContain("Against reward_model.ground_truth: 1 of 2 answers right");
    const markdown = (await run({ tokenizer: TOKENIZER, markdown: true })).out;
    expect(markdown).toContain("logratio digits");
    expect(markdown).toContain("--tokenizer");
  });

  it.each([
    [{}, "UsageError", /needs the model's tokenizer/],
    [{ tokenizer: "a", digitIds: "1" }, "UsageError", /cannot be combined/],
    [{ digitIds: "1,2,x" }, "UsageError", /ten different token ids/],
    [{ tokenizer: "/nonexistent" }, "NotFoundError", /no tokenizer at/],
    [{ tokenizer: TOKENIZER, truth: "nope" }, "SchemaError", /no column nope, only .*reward_model/],
    [{ digitIds: "900,901,902,903,904,905,906,907,908,909" }, "EmptyInputError", /none of \d+ tokens/],
  ] as const)("refuses %j", async (options, tag, message) => {
    await expect(run(options)).rejects.toMatchObject({
      _tag: tag,
      message: expect.stringMatching(message) as string,
    });
  });
});
