import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Finding } from "../core/schema/findings.ts";
import { FIXTURES, readAll } from "../input/adapters/read.test-data.ts";
import { loadZstd } from "../input/io/zstd-blocks.ts";
import { openShards } from "./open-shards.ts";
import { writeRecord } from "./writing/write-record.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "content-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const VERL = `${FIXTURES}verl/`;

async function put(name: string, bytes: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, bytes);
  return path;
}

interface Row {
  readonly step?: number;
  readonly rank?: number;
  readonly values: readonly number[];
}

/** Log-probs of both sides that occur in no other step and row. */
function row(step: number, i: number, rank?: number): Row {
  const values = [0, 1, 2].map((t) => Math.fround(-0.1 - Math.abs(Math.sin(step * 97 + i * 31 + t))));
  return { step, values, ...(rank !== undefined && { rank }) };
}

function lines(rows: readonly Row[], more: (row: Row) => object = () => ({})): string {
  return rows
    .map((one) => {
      const { step, rank, values } = one;
      const columns = {
        rollout_logprobs: values,
        trainer_logprobs: values.map((value) => Math.fround(value - 0.25)),
      };
      return `${JSON.stringify({ step, rank, ...columns, ...more(one) })}\n`;
    })
    .join("");
}

interface Count {
  readonly sequences: number;
  readonly tokens: number;
  readonly said: readonly Finding[];
}

async function count(paths: string | readonly string[] = folder): Promise<Count> {
  const { batches, findings } = await readAll(paths);
  return {
    sequences: batches.reduce((sum, { length }) => sum + length, 0),
    tokens: batches.reduce((sum, { responseMask }) => sum + responseMask.filter(Boolean).length, 0),
    said: findings.filter(({ code }) => code === "duplicate"),
  };
}

describe("one batch in two containers counts once", () => {
  it.each(["batch.npz", "batch.pt", "batch.safetensors", "batch.json", "rows.jsonl", "rows.parquet"])(
    "%s beside its compressed copies",
    async (name) => {
      const bytes = await readFile(VERL + name);
      const once = await count(await put(`alone/${name}`, bytes));
      const plain = await put(`run/step_12.${name.split(".")[1]}`, bytes);
      await put(`run/step_12.${name.split(".")[1]}.gz`, gzipSync(bytes));
      await put(`run/step_12.${name.split(".")[1]}.zst`, (await loadZstd())(bytes));
      const both = await count(join(folder, "run"));
      expect([both.sequences, both.tokens]).toEqual([once.sequences, once.tokens]);
      expect(both.said.map(({ count: files, severity, omits }) => [files, severity, omits?.why])).toEqual([
        [2, "warning", "repeated"],
      ]);
      expect(both.said[0]!.message).toMatch(/\(3 sequences, \d+ tokens with mask 1\), repeats /);
      expect(both.said[0]!.message).toContain(plain);
    },
  );

  it("in any two formats, named, in nested folders, or with the step in one name only", async () => {
    const once = await count(`${VERL}batch.npz`);
    const names = ["batch.npz", "batch.pt", "batch.safetensors", "rows.jsonl", "rows.parquet"];
    for (const [i, name] of names.entries()) {
      const other = names[(i + 1) % names.length]!;
      const here = join(folder, String(i));
      await mkdir(join(here, "deep", "er"), { recursive: true });
      const [a, b] = [join(here, name), join(here, "deep", "er", `step_12_${other}`)];
      await copyFile(VERL + name, a);
      await copyFile(VERL + other, b);
      for (const paths of [[here], [a, b], [b, here]]) {
        const { sequences, tokens, said } = await count(paths);
        expect([name, other, sequences, tokens]).toEqual([name, other, once.sequences, once.tokens]);
        expect(said.length).toBeGreaterThan(0);
      }
    }
  });

  it("steps converted into one file beside the files of each step", async () => {
    const steps = [1, 2, 3, 4];
    for (const step of steps)
      for (const rank of [0, 1])
        await put(
          `step_${step}.rank_${rank}.jsonl`,
          lines([row(step, 2 * rank, rank), row(step, 2 * rank + 1, rank)]),
        );
    const { batches } = await readAll(folder);
    await writeRecord(
      join(folder, "run.parquet"),
      (async function* () {
        yield* batches;
      })(),
    );
    const { sequences, said } = await count();
    expect(sequences).toBe(16);
    expect(said.map(({ message }) => message)).toEqual([
      `8 files hold the same sequences as others: counted once; the first, ${join(folder, "step_1.rank_0.jsonl")} (2 sequences, 6 tokens with mask 1), repeats ${join(folder, "run.parquet")}`,
    ]);
    // A step that the single file lacks is still counted.
    await put("step_5.rank_0.jsonl", lines([row(5, 0, 0)]));
    expect((await count()).sequences).toBe(17);
  });

  it("the file with more columns is the one that is read", async () => {
    await put("step_1.jsonl", lines([row(1, 0), row(1, 1)]));
    const full = await put(
      "copy/step_1.jsonl",
      lines([row(1, 0), row(1, 1)], () => ({ reward: 1, environment: "math" })),
    );
    const { run } = await readAll(folder);
    expect(run.sources.map(({ file }) => file)).toEqual([full]);
  });

  it("a batch that was recorded again under the next number", async () => {
    const text = lines([row(1, 0), row(1, 1)], () => ({ recorder: "a".repeat(32) }));
    const first = await put("step_1.rank_0.call_0.jsonl", text);
    await put("step_1.rank_0.call_1.jsonl", text.replaceAll("a".repeat(32), "b".repeat(32)));
    await put(
      "step_1.rank_0.call_2.jsonl",
      lines([row(1, 2), row(1, 3)], () => ({ recorder: "a".repeat(32) })),
    );
    const { sequences, said } = await count();
    expect([sequences, said.map(({ count: files, message }) => [files, message.includes(first)])]).toEqual([
      4,
      [[1, true]],
    ]);
  });

  it("in shards of several runs", async () => {
    await put("a/step_1.jsonl", lines([row(1, 0)]));
    await put("a/step_1.jsonl.gz", gzipSync(lines([row(1, 0)])));
    await put("b/step_1.jsonl", lines([row(1, 7)]));
    const { shards, findings } = await openShards([folder]);
    expect(shards.map(({ name }) => name)).toEqual([
      join(folder, "a/step_1.jsonl"),
      join(folder, "b/step_1.jsonl"),
    ]);
    expect(findings.list().filter(({ code }) => code === "duplicate")).toHaveLength(1);
  });
});

describe("other sequences stay", () => {
  it("of another step or rank, or with one more or another sequence", async () => {
    await put("a/step_1.rank_0.jsonl", lines([{ values: [-1, -2] }]));
    await put("b/step_2.rank_0.jsonl", lines([{ values: [-1, -2] }]));
    await put("c/step_1.rank_1.jsonl", lines([{ values: [-1, -2] }]));
    expect((await count()).sequences).toBe(3);
    await put("d/step_3.jsonl", lines([row(3, 0), row(3, 1)]));
    await put("e/step_3.jsonl", lines([row(3, 0), row(3, 2)]));
    const { sequences, said } = await count();
    expect([sequences, said.filter(({ omits }) => omits !== undefined)]).toEqual([7, []]);
  });

  it("in another format of the same step: read, and said", async () => {
    await put("step_1.jsonl", lines([row(1, 0), row(1, 1)]));
    await writeRecord(
      join(folder, "step_1.parquet"),
      (async function* () {
        yield* (await readAll(await put("other/x.jsonl", lines([row(1, 8), row(1, 9)])))).batches;
      })(),
    );
    await rm(join(folder, "other"), { recursive: true });
    const { batches, findings } = await readAll(folder);
    expect(batches.reduce((sum, { length }) => sum + length, 0)).toBe(4);
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /1 (jsonl|parquet) file is of steps that files in another format also have, but holds other/,
      ),
    ]);
  });
});
