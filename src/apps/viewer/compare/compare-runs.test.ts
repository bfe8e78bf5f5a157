import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunComparison, RunInfo } from "../../../results/view.ts";
import { prepareRun } from "../prepare/index.ts";
import { type Workspace, workspace } from "../prepare/made-run.test-data.ts";
import { compareRuns } from "./index.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];

let work: Workspace;
let made = 0;
beforeAll(async () => {
  work = await workspace();
});
afterAll(() => work.remove());

async function compared(rowsA: Rows, rowsB: Rows): Promise<RunComparison> {
  made++;
  const [a, b] = [
    await work.run(`${made}/first/a.jsonl`, rowsA),
    await work.run(`${made}/second/b.jsonl`, rowsB),
  ];
  const run = await compareRuns(await prepareRun([a]), await prepareRun([b]));
  const comparison = JSON.parse(Buffer.from(run.compared!.comparison).toString()) as RunComparison;
  await run.close();
  return comparison;
}

const SCORED = { prompt_ids: [7, 8], step: 1 };

describe("two engines that scored the same texts", () => {
  it("are compared token by token, whatever the order of their sequences", async () => {
    const texts = [
      { ...SCORED, response_ids: [1, 2, 3] },
      { ...SCORED, response_ids: [4, 5, 6] },
    ];
    const other = texts.map((row, at) => ({
      ...row,
      old_log_probs: at === 0 ? [-1.5, -2, -2.5] : [-1, -2.25, -2.5],
    }));
    const { pairs, unmatched, warnings, steps } = await compared(texts, [other[1]!, other[0]!]);
    expect([pairs.a, pairs.b, pairs.how]).toEqual([
      [0, 1],
      [1, 0],
      ["ids", "ids"],
    ]);
    expect(pairs.shared).toEqual([3, 3]);
    // Δ is −0.5, 0, 0.5 in the first run; −0, −0.25, 0.5 in the second one's other text.
    expect([pairs.gap_max, pairs.gap_token]).toEqual([
      [0, 0.5],
      [0, 0],
    ]);
    expect(pairs.gap_mean[1]).toBeCloseTo(0.25, 12);
    expect([unmatched, warnings]).toEqual([{ a: 0, b: 0 }, []]);
    expect(steps.steps).toEqual([1]);
    expect(steps.difference.delta_mean[0]).toBeCloseTo((0.5 - 0.25) / 6, 12);
  });

  it("pair equal texts once each, those of the same step first", async () => {
    const text = { prompt_ids: [7], response_ids: [1, 2, 3] };
    const { pairs, unmatched } = await compared(
      [
        { ...text, step: 1 },
        { ...text, step: 2 },
        { ...text, step: 2 },
      ],
      [
        { ...text, step: 2 },
        { ...text, step: 3 },
      ],
    );
    expect([pairs.a, pairs.b]).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(unmatched).toEqual({ a: 1, b: 0 });
  });

  it("are told of masks that differ", async () => {
    const { warnings, pairs } = await compared([SCORED], [{ ...SCORED, response_mask: [1, 0, 1] }]);
    expect(warnings).toMatchObject([{ code: "masks", severity: "doubtful", count: 1, of: 1 }]);
    expect(pairs.gap_max).toEqual([0]);
  });
});

describe("two runs that sampled", () => {
  it("pair by prompt and step in order, and compare what both texts begin with", async () => {
    const { pairs, unmatched } = await compared(
      [
        { ...SCORED, response_ids: [1, 2, 3] },
        { ...SCORED, response_ids: [9, 9, 9] },
        { ...SCORED, step: 2 },
      ],
      [
        { ...SCORED, response_ids: [1, 5, 3], old_log_probs: [-1, -2, -9] },
        { ...SCORED, response_ids: [8, 9, 9] },
      ],
    );
    expect(pairs).toMatchObject({ a: [0, 1], b: [0, 1], how: ["prompt", "prompt"], shared: [1, 0] });
    expect([pairs.gap_max, pairs.gap_token]).toEqual([
      [0.5, null],
      [0, -1],
    ]);
    expect(unmatched).toEqual({ a: 1, b: 0 });
  });

  it("pair by group where prompts differ, and say so", async () => {
    const { pairs, warnings } = await compared(
      [{ step: 1, prompt_ids: [1], uid: "g", response_ids: [1, 2, 3] }],
      [{ step: 1, prompt_ids: [2], uid: "g", response_ids: [1, 2, 3] }],
    );
    expect(pairs).toMatchObject({ how: ["group"], shared: [0], gap_max: [null] });
    expect(warnings.map(({ code, severity }) => [code, severity])).toEqual([
      ["prompts", "meaningless"],
      ["prompts", "doubtful"],
    ]);
  });
});

describe("what makes a comparison meaningless", () => {
  it("is other prompts, and other steps", async () => {
    const { warnings, pairs, steps } = await compared(
      [{ step: 1, prompt_ids: [1] }],
      [{ step: 2, prompt_ids: [2], response_ids: [3, 2, 1] }],
    );
    expect(warnings.map(({ code, severity, count, of }) => [code, severity, count, of])).toEqual([
      ["prompts", "meaningless", 2, 2],
      ["steps", "meaningless", 2, 2],
    ]);
    expect(warnings[0]!.what).toContain("No prompt is in both runs");
    expect([pairs.a, steps.steps]).toEqual([[], []]);
  });

  it("is doubtful where only some are the same", async () => {
    const rows = [1, 2, 3].map((step) => ({ step, prompt_ids: [step] }));
    const { warnings } = await compared(rows, rows.slice(1));
    expect(warnings).toMatchObject([
      { code: "prompts", severity: "doubtful", count: 1, of: 3 },
      { code: "steps", severity: "doubtful", count: 1, of: 3 },
    ]);
  });

  it("says what nobody could look at", async () => {
    const { warnings, unchecked } = await compared([{}], [{}]);
    expect(warnings).toEqual([]);
    expect(unchecked.join(" ")).toMatch(/tokenizer.*temperature.*log-prob mode.*prompts/);
  });
});

it("is kept in the first run's cache, under a version of both", async () => {
  const [a, b] = [await work.run("kept/a/a.jsonl", [SCORED]), await work.run("kept/b/b.jsonl", [SCORED])];
  const once = await compareRuns(await prepareRun([a]), await prepareRun([b]));
  const again = await compareRuns(await prepareRun([a]), await prepareRun([b]));
  const kept = (await readdir(once.directory)).filter((name) => name.startsWith("compare-"));
  expect(kept).toHaveLength(1);
  expect(again.compared!.comparison).toEqual(once.compared!.comparison);
  const info = JSON.parse(Buffer.from(await once.answer("run")).toString()) as RunInfo;
  expect([info.compared, info.version]).toEqual(["b", once.info.version]);
  const alone = await prepareRun([a]);
  expect(alone.info.compared).toBeNull();
  expect(alone.info.version).not.toBe(info.version);
  for (const run of [once, again, alone]) await run.close();
});
