import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readAll } from "../input/adapters/read.test-data.ts";
import { growingRun } from "./growing-run.ts";
import { KeyTable } from "./key-table.ts";
import { splitRun } from "./run-files.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "repeated-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Row {
  readonly step?: number;
  readonly response_token_ids?: readonly number[];
  readonly rollout_logprobs: readonly (number | null)[];
  readonly trainer_logprobs: readonly (number | null)[];
  readonly response_mask?: readonly number[];
}

function row(seed: number, more: Partial<Row> = {}): Row {
  const rollout = [0.1, 0.2, 0.3].map((by) => -seed - by);
  return { rollout_logprobs: rollout, trainer_logprobs: rollout.map((value) => value - 0.5), ...more };
}

async function put(name: string, ...rows: readonly Row[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, rows.map((one) => `${JSON.stringify(one)}\n`).join(""));
  return path;
}

async function said(): Promise<[severity: string, count: number, message: string][]> {
  const { findings } = await readAll(folder);
  return findings
    .filter(({ code }) => code === "duplicate" || code === "identical-rows")
    .map(({ severity, count, message }) => [severity, count, message]);
}

describe("sequences that occur twice", () => {
  it("in one batch: counted, and named with their place", async () => {
    await put("step_1.jsonl", row(1), row(2), row(1), row(1), row(3));
    const { batches } = await readAll(folder);
    expect(batches.map(({ length }) => length)).toEqual([5]);
    expect(await said()).toEqual([
      [
        "info",
        2,
        "identical rows of one batch: 2 sequences repeat the tokens and both sides' log-probs of another; the first, row 2, repeats row 0; all are counted",
      ],
    ]);
  });

  it("in another step or file: counted, and warned of", async () => {
    await put("step_1.jsonl", row(1), row(2, { step: 1 }), row(1, { step: 2 }));
    await put("step_3.jsonl", row(4), row(2), row(1));
    const places = join(folder, "step_1.jsonl");
    expect(await said()).toEqual([
      [
        "warning",
        3,
        "3 sequences repeat the tokens and both sides' log-probs of a sequence of another batch; the first, row 2, repeats row 0; all are counted",
      ],
    ]);
    await put("step_1.jsonl", row(1), row(2));
    expect((await said())[0]![2]).toBe(
      `2 sequences repeat the tokens and both sides' log-probs of a sequence of another batch; the first, row 1, repeats row 1 of ${places}; all are counted`,
    );
  });

  it("only if both sides, the ids and the tokens with mask 1 are equal", async () => {
    const [same, other] = [
      [1, 2, 3],
      [1, 2, 4],
    ];
    await put(
      "step_1.jsonl",
      row(1, { response_token_ids: same }),
      row(1, { response_token_ids: other }),
      row(1, { response_token_ids: same, trainer_logprobs: [-1, -1, -1.5] }),
      row(1, { response_token_ids: same, response_mask: [1, 1, 0] }),
    );
    expect(await said()).toEqual([]);
    await put(
      "step_1.jsonl",
      row(1, { response_token_ids: same, response_mask: [1, 1, 0] }),
      row(1, { response_token_ids: other, response_mask: [1, 1, 0] }),
    );
    expect((await said()).map(([, count]) => count)).toEqual([1]);
  });

  it("but not where nothing tells them apart: a single token, missing or certain ones", async () => {
    const missing = { rollout_logprobs: [null, null], trainer_logprobs: [null, null] };
    const certain = { rollout_logprobs: [0, 0], trainer_logprobs: [0, 0] };
    const single = { rollout_logprobs: [-1], trainer_logprobs: [-2] };
    const rows = [row(1), missing, missing, certain, certain, single, single];
    await put("step_1.jsonl", ...rows);
    expect(await said()).toEqual([]);
  });

  it("in files that threads read, or that arrive one by one: the same finding", async () => {
    await put("step_1.jsonl", row(1), row(2));
    await put("step_2.jsonl", row(2), row(3), row(3));
    const whole = await said();
    expect(whole.map(([severity, count]) => [severity, count])).toEqual([
      ["info", 1],
      ["warning", 1],
    ]);
    const { openRun } = await import("./open-run.ts");
    const run = await openRun([folder]);
    const files = splitRun(run)!;
    const facts = await files.survey();
    const meter = { begin() {}, addBytes() {}, addSequences() {}, end() {} };
    for (const place of [1, 0].map((at) => at)) {
      const reading = files.read(place, facts, meter);
      for await (const _ of reading.batches());
      files.settle(place, reading.outcome());
    }
    files.finish();
    expect(run.findings.list().map(({ severity, count }) => [severity, count])).toEqual([
      ["info", 1],
      ["warning", 1],
    ]);
    const growing = growingRun([folder]);
    const stamps = new Map([1, 2].map((step) => [join(folder, `step_${step}.jsonl`), "1"]));
    const growth = await growing.look(stamps, () => true);
    if ("broken" in growth) throw new Error(growth.broken);
    for await (const _ of growth.batches());
    for (const _ of [1, 2])
      expect(
        growth
          .findings()
          .list()
          .map(({ count }) => count),
      ).toEqual([1, 1]);
  });
});

describe("a table of keys", () => {
  it("holds what a Map holds", () => {
    const table = new KeyTable();
    const map = new Map<number, number>();
    for (let i = 0; i < 5000; i++) {
      const key = Math.floor(Math.abs(Math.sin(i % 3000)) * 2 ** 53);
      expect(table.put(key, i)).toBe(map.get(key));
      if (!map.has(key)) map.set(key, i);
    }
    expect(table.size).toBe(map.size);
    table.clear();
    expect([table.size, table.put(7, 1), table.put(7, 2)]).toEqual([0, undefined, 1]);
  });
});
