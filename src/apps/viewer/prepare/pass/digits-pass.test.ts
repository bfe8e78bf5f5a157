import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTruth } from "../../../../analyses/runs/ground-truth.ts";
import { openTokenizer } from "../../../../input/tokens/open-tokenizer.ts";
import type { DigitsReport } from "../../../../results/digits.ts";
import { captured } from "../../../cli/commands/captured.test-data.ts";
import { type DigitsOptions, digits } from "../../../cli/commands/digits.ts";
import type { PrepareOptions } from "../cache/options.ts";
import { prepareRun } from "../cache/prepare-run.ts";
import type { PreparedRun } from "../cache/prepared-run.ts";
import { DEMO, DEMO_TOKENIZER, type Workspace, workspace } from "../made-run.test-data.ts";

let work: Workspace;
const opened: PreparedRun[] = [];
beforeEach(async () => {
  work = await workspace();
});
afterEach(async () => {
  for (const run of opened.splice(0)) await run.close();
  await work.remove();
});

async function prepared(path: string, options: PrepareOptions): Promise<PreparedRun> {
  const run = await prepareRun([path], { cache: work.path("cache"), ...options });
  opened.push(run);
  return run;
}

async function shown(run: PreparedRun): Promise<DigitsReport> {
  return JSON.parse(Buffer.from((await run.digits())!).toString()) as DigitsReport;
}

function shortened(report: DigitsReport): DigitsReport {
  const [least_sure, widest_gaps] = [report.least_sure.slice(0, 5), report.widest_gaps.slice(0, 5)];
  return { ...report, least_sure, widest_gaps };
}

/** The page lists sequences elsewhere. */
async function printed(path: string, options: DigitsOptions): Promise<DigitsReport> {
  const { out } = await captured((terminal) => digits([path], { ...options, json: true }, terminal));
  return { ...(JSON.parse(out) as DigitsReport), per_sequence: null };
}

/** `6*7=42` and so on as a run with ground truth. */
async function sums(): Promise<string> {
  const { encode } = await openTokenizer(DEMO_TOKENIZER);
  const texts: readonly (readonly [string, string])[] = [
    ["so 6*7=42", "42"],
    ["that is 19", "18"],
  ];
  return work.run(
    "run.jsonl",
    texts.map(([text, ground_truth], i) => {
      const response_ids = encode(text);
      return {
        response_ids,
        response_mask: response_ids.map(() => 1),
        rollout_log_probs: response_ids.map((_, t) => -0.25 - t / 64),
        old_log_probs: response_ids.map((_, t) => -0.5 - t / 64),
        uid: `r${i}`,
        ground_truth,
      };
    }),
  );
}

describe("digits of a prepared run", () => {
  it("are the report of `logratio digits --json`, with longer lists of examples and without sequences", async () => {
    const run = await prepared(DEMO, { tokenizer: DEMO_TOKENIZER });
    expect(run.info.has.digits).toBe(true);
    const report = await shown(run);
    expect([report.least_sure.length, report.widest_gaps.length]).toEqual([50, 50]);
    expect(shortened(report)).toEqual(await printed(DEMO, { tokenizer: DEMO_TOKENIZER }));
    expect(report.metrics.total_digits).toBeGreaterThan(1000);
    expect(report.per_step.length).toBeGreaterThan(1);
  });

  it("are held against ground truth, which makes another cache", async () => {
    const path = await sums();
    const plain = await prepared(path, { tokenizer: DEMO_TOKENIZER });
    const truth = { name: "ground_truth", open: () => openTruth("ground_truth") };
    const run = await prepared(path, { tokenizer: DEMO_TOKENIZER, truth });
    expect(run.info.version).not.toBe(plain.info.version);
    expect((await shown(plain)).truth).toBeNull();
    const report = await shown(run);
    expect(shortened(report)).toEqual(
      await printed(path, { tokenizer: DEMO_TOKENIZER, truth: "ground_truth" }),
    );
    expect(report.truth).toMatchObject({ source: "ground_truth", numbers: 2, numbers_right: 1 });
  });

  it("are absent without a tokenizer, without texts, and where there are none", async () => {
    for (const options of [{}, { tokenizer: DEMO_TOKENIZER, redact: "text" }] as const) {
      const run = await prepared(DEMO, options);
      expect([run.info.has.digits, await run.digits()]).toEqual([false, undefined]);
    }
    const { encode } = await openTokenizer(DEMO_TOKENIZER);
    const response_ids = encode("abc").slice(0, 3);
    const path = await work.run("words.jsonl", [
      {
        response_ids,
        response_mask: response_ids.map(() => 1),
        rollout_log_probs: response_ids.map(() => -1),
        old_log_probs: response_ids.map(() => -1),
      },
    ]);
    const run = await prepared(path, { tokenizer: DEMO_TOKENIZER });
    expect([run.info.has.digits, await run.digits()]).toEqual([false, undefined]);
  });
});
