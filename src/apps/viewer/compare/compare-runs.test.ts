import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ComparedRuns, RunComparison, RunInfo } from "../../../results/view.ts";
import { prepareRun } from "../prepare/cache/prepare-run.ts";
import { type Workspace, workspace } from "../prepare/made-run.test-data.ts";
import { compareRuns } from "./compare-runs.ts";

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
  const run = await compareRuns(await prepareRun([a]), [{ run: await prepareRun([b]) }]);
  const comparison = JSON.parse(Buffer.from(run.compared!.others[0]!.comparison).toString()) as RunComparison;
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
  const once = await compareRuns(await prepareRun([a]), [{ run: await prepareRun([b]) }]);
  const again = await compareRuns(await prepareRun([a]), [{ run: await prepareRun([b]) }]);
  const kept = (await readdir(once.directory)).filter((name) => name.startsWith("compare-"));
  expect(kept).toHaveLength(1);
  expect(again.compared).toMatchObject({
    others: [{ comparison: once.compared!.others[0]!.comparison }],
    together: once.compared!.together,
  });
  const info = JSON.parse(Buffer.from(await once.answer("run")).toString()) as RunInfo;
  expect([info.compared, info.version]).toEqual([["b"], once.info.version]);
  const alone = await prepareRun([a]);
  expect(alone.info.compared).toEqual([]);
  expect(alone.info.version).not.toBe(info.version);
  for (const run of [once, again, alone]) await run.close();
});

describe("a run beside several others", () => {
  /** Twelve prompts with two samples each; Δ is −shift at every third token and 0 elsewhere. */
  const texts = (shift: number, seed = 0): Rows =>
    Array.from({ length: 24 }, (_, at) => ({
      step: 1 + (at % 2),
      prompt_ids: [100 + (at >> 1)],
      response_ids: [at, at + 1, seed],
      old_log_probs: [-1, -2, -3 - shift * (1 + (at >> 1) / 100)],
    }));

  async function together(...runs: readonly (readonly [label: string | undefined, rows: Rows])[]) {
    made++;
    const [first, ...others] = await Promise.all(
      runs.map(async ([label, rows], at) => ({
        run: await prepareRun([await work.run(`${made}/run-${at}/a.jsonl`, rows)]),
        ...(label !== undefined && { label }),
      })),
    );
    const run = await compareRuns(first!.run, others);
    const found = JSON.parse(Buffer.from(run.compared!.together).toString()) as ComparedRuns;
    const versions = new Set([run.info.version, ...[first!, ...others].map((one) => one.run.info.version)]);
    expect(versions.size).toBe(runs.length + 1);
    await run.close();
    return { found, info: run.info };
  }

  it("differs from each over the same tokens, paired, or over texts of their own", async () => {
    const { found, info } = await together(
      [undefined, texts(0.3)],
      ["fp8", texts(0.6)],
      ["seed-2", texts(0.3, 7)],
      [undefined, texts(0.3)],
    );
    const names = ["fp8", "seed-2", "run-3"];
    expect([info.compared, found.first.name, found.others.map(({ name }) => name)]).toEqual([
      names,
      "run-0",
      names,
    ]);
    const [fp8, seed, same] = found.others.map(({ differences }) => differences);
    expect(fp8).toMatchObject({ over: "tokens", tokens: { first: 72, this: 72 }, unit: "prompt" });
    // Mean of 1 + p/100 over prompts 0 to 11 is 1.055, at one token of three.
    const mean = (shift: number): number => (shift * 1.055) / 3;
    const { delta_abs_mean, delta_mean, k3 } = fp8!.figures;
    expect(delta_abs_mean.difference).toBeCloseTo(mean(0.6) - mean(0.3), 6);
    expect(delta_mean.difference).toBeCloseTo(mean(0.3) - mean(0.6), 6);
    expect(k3.difference).toBeGreaterThan(0);
    expect(delta_abs_mean.clusters).toBe(12);
    expect(delta_abs_mean.low).toBeLessThan(delta_abs_mean.difference!);
    expect(delta_abs_mean.low).toBeGreaterThan(0);
    expect(seed).toMatchObject({ over: "texts", tokens: { first: 72, this: 72 }, unit: "prompt" });
    expect(seed!.figures.delta_abs_mean.difference).toBeCloseTo(0, 9);
    expect(same!.figures.delta_abs_mean).toEqual({ difference: 0, low: 0, high: 0, clusters: 12 });
    const pooled = found.others[0]!.metrics.delta_abs_mean! - found.first.metrics.delta_abs_mean!;
    expect(delta_abs_mean.difference).toBeCloseTo(pooled, 12);
  });

  it("has no interval of few prompts, and counts sequences where prompts are not known", async () => {
    const few = await together([undefined, texts(0.3).slice(0, 18)], ["b", texts(0.6).slice(0, 18)]);
    expect(few.found.others[0]!.differences).toMatchObject({
      unit: "prompt",
      figures: { delta_abs_mean: { low: null, high: null, clusters: 9 } },
    });
    const bare = (shift: number): Rows => texts(shift).map(({ prompt_ids: _, ...row }) => row);
    const alone = await together([undefined, bare(0.3)], ["b", bare(0.6)]);
    expect(alone.found.others[0]!.differences).toMatchObject({
      over: "tokens",
      unit: "sequence",
      figures: { delta_abs_mean: { clusters: 24 } },
    });
  });

  it("leaves a pairing of less than half of a run's tokens alone", async () => {
    const { found } = await together(
      [undefined, texts(0.3)],
      ["b", [...texts(0.6).slice(0, 11), ...texts(0.6, 7).slice(11)]],
    );
    expect(found.others[0]!.differences).toMatchObject({ over: "texts", tokens: { first: 72, this: 72 } });
  });
});
