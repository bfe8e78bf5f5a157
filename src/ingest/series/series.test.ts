import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { crc32c, unmaskChecksum } from "../../core/base/crc32c.ts";
import { memoryLimit, setMemoryLimit } from "../../core/base/memory-limit.ts";
import { FindingLog } from "../../core/schema/findings.ts";
import { findSeriesFiles } from "./find.ts";
import { readSeriesFile } from "./read.ts";
import type { SeriesFile } from "./series.ts";
import { parseRows } from "./text-table.ts";
import { readScalars } from "./tf-events.ts";

const FIXTURES = "test/fixtures/series/";
const MEAN = "training/rollout_probs_diff_mean";
const PEARSON = "training/rollout_actor_probs_pearson_corr";
const EXPECTED = {
  [MEAN]: [2 ** -9, 2 ** -8, Number.NaN, 2 ** -4],
  [PEARSON]: [1 - 2 ** -10, 1 - 2 ** -9, 0.5, 0.125],
  "critic/score/mean": [0.25, 0.5, 0.5, 0.75],
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-series-"));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

async function read(path: string): Promise<{ file: SeriesFile | undefined; findings: string[] }> {
  const findings = new FindingLog();
  const file = await readSeriesFile(path, findings);
  return { file, findings: findings.list().map(({ severity, message }) => `${severity}: ${message}`) };
}

const put = async (name: string, content: string | Uint8Array): Promise<string> => {
  await writeFile(join(folder, name), content);
  return join(folder, name);
};

const values = (file: SeriesFile | undefined, metric: string): readonly number[] | undefined =>
  file?.series.find((series) => series.metric === metric)?.values;

describe("what loggers wrote is read", () => {
  it.each([
    ["verl.jsonl", "verl's file logger", ""],
    ["console.log", "verl's console log", ""],
    ["events.out.tfevents.x", "TensorBoard events", ""],
    ["events.out.tfevents.tensor", "TensorBoard events", ""],
    ["nemo-metrics.json", "metric to steps (NeMo-RL)", ""],
    ["golden.json", "golden values (Megatron-LM)", ""],
    ["wandb-history.jsonl", "JSON lines with a step", ""],
    ["wandb_export.csv", "CSV", "grpo, 7B"],
    ["table.table.json", "table (columns and data)", ""],
    ["trackio.parquet", "Parquet with a step", "brave-fox"],
    ["metrics.jsonl", "JSON lines with a step", ""],
    ["trainer_state.json", "Trainer state (transformers)", ""],
    ["plain.tsv", "CSV", ""],
  ])("%s: %s", async (name, form, run) => {
    const { file, findings } = await read(FIXTURES + name);
    expect(file?.form).toBe(form);
    const names = file!.series.map(({ metric }) => metric).filter((metric) => metric !== "epoch");
    expect(names.sort()).toEqual(Object.keys(EXPECTED).sort());
    for (const [metric, expected] of Object.entries(EXPECTED)) {
      const series = file!.series.find((each) => each.metric === metric);
      expect(series).toEqual({ run, metric, steps: [1, 2, 3, 4], values: expected });
    }
    expect(findings).toEqual([]);
  });

  it("W&B's summary: the last step alone", async () => {
    const { file } = await read(`${FIXTURES}wandb-summary.json`);
    expect(file?.form).toBe("W&B summary");
    expect(file?.series.find(({ metric }) => metric === MEAN)).toEqual({
      run: "",
      metric: MEAN,
      steps: [4],
      values: [2 ** -4],
    });
  });

  it("ms-swift's logging.jsonl: the step stands before the last one, and the last row may have none", async () => {
    const path = await put(
      "logging.jsonl",
      '{"loss": 0.5, "global_step/max_steps": "1/547", "percentage": "0.18%"}\n{"loss": 0.25, "global_step/max_steps": "2/547"}\n{"train_runtime": 9.5}\n',
    );
    const { file, findings } = await read(path);
    expect(file!.form).toBe("JSON lines with a step");
    expect(file!.series).toEqual([{ run: "", metric: "loss", steps: [1, 2], values: [0.5, 0.25] }]);
    expect(findings).toEqual(["info: 1 row without a step: left out"]);
  });

  it("MLflow: the metric is called as its file", async () => {
    const { file } = await read(`${FIXTURES}mlflow/metrics/${MEAN}`);
    expect(file?.series).toEqual([{ run: "", metric: MEAN, steps: [1, 2, 3, 4], values: EXPECTED[MEAN] }]);
  });

  it("the same behind gzip, and whatever the file is called", async () => {
    for (const name of ["verl.jsonl", "events.out.tfevents.x", "wandb_export.csv", "nemo-metrics.json"]) {
      const bytes = await readFile(FIXTURES + name);
      const { file } = await read(await put("anything", gzipSync(bytes)));
      expect(values(file, PEARSON)).toEqual(EXPECTED[PEARSON]);
      const { file: plain } = await read(await put("anything-else", bytes));
      expect(values(plain, PEARSON)).toEqual(EXPECTED[PEARSON]);
    }
  });
});

describe("what is no series is left to others", () => {
  const line = { rollout_log_probs: [-1, -2], old_log_probs: [-1, -2], step: 1 };
  it.each([
    ["a dump", JSON.stringify(line)],
    ["texts with a step", `${JSON.stringify({ step: 1, output: "4", score: 1 })}\n`.repeat(3)],
    ["rows of one step without a logger's names", `${JSON.stringify({ step: 1, reward: 1 })}\n`.repeat(4)],
    ["numbers of tokens", `${JSON.stringify({ step: 1, "a/b": [1, 2, 3] })}\n`],
    ["a tokenizer", JSON.stringify({ model: { vocab: { a: 0 } }, added_tokens: [] })],
    ["a table without steps", "a,b\n1,2\n"],
    ["text", "hello\n"],
    ["nothing", ""],
    ["broken JSON", '{"step": 1, "data": '],
  ])("%s", async (_, content) => {
    expect((await read(await put("other.jsonl", content))).file).toBeUndefined();
  });

  it.each(["verl/batch.npz", "xtuner", "nemo-rl/train_data_step12.jsonl"])("the dump %s", async (name) => {
    const path = `test/fixtures/adapters/${name}`;
    const found = await findSeriesFiles([path], new FindingLog());
    expect(found.files).toEqual([]);
    expect(found.others).toEqual([path]);
  });
});

describe("a W&B table of texts", () => {
  it("is a dump that lacks both policies, not a metric", async () => {
    expect((await read("test/fixtures/adapters/one-sided/openrlhf.table.json")).file).toBeUndefined();
  });
});

describe("disturbed files", () => {
  it("events that are cut off: what is before the cut is kept, and that is said", async () => {
    const bytes = await readFile(`${FIXTURES}events.out.tfevents.tensor`);
    const { file, findings } = await read(await put("cut.tfevents.1", bytes.subarray(0, bytes.length - 10)));
    expect(values(file, MEAN)).toEqual(EXPECTED[MEAN]);
    expect(values(file, "critic/score/mean")).toEqual([0.25, 0.5, 0.5]);
    expect(findings).toEqual(["skipped: the last record is cut off; the values before it are kept"]);
  });

  it("a damaged record is left out, and those behind it are read", async () => {
    const bytes = Buffer.from(await readFile(`${FIXTURES}events.out.tfevents.tensor`));
    const at = bytes.indexOf(MEAN);
    bytes[at] = 0x21;
    const { file, findings } = await read(await put("hit.tfevents.1", bytes));
    expect(values(file, MEAN)).toEqual(EXPECTED[MEAN].slice(1));
    expect(values(file, PEARSON)).toEqual(EXPECTED[PEARSON]);
    expect(findings).toEqual([
      "skipped: 1 record cannot be read, the first: a record has a wrong checksum or is not an event",
    ]);
  });

  it("a damaged length ends the file", async () => {
    const bytes = Buffer.from(await readFile(`${FIXTURES}events.out.tfevents.tensor`));
    const second = 12 + Number(bytes.readBigUInt64LE(0)) + 4;
    bytes[second] = bytes[second]! ^ 1;
    const { file, findings } = await read(await put("length.tfevents.1", bytes));
    expect(file?.series).toEqual([]);
    expect(findings).toEqual([
      "skipped: a record's length has a wrong checksum; the values before it are kept",
    ]);
  });

  it("events in pieces of any size are the same", async () => {
    const bytes = await readFile(`${FIXTURES}events.out.tfevents.x`);
    const collect = async (size: number): Promise<unknown[]> => {
      const found: unknown[] = [];
      const pieces = async function* (): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      };
      for await (const scalar of readScalars({ bytes: pieces() }, () => expect.unreachable()))
        found.push(scalar);
      return found;
    };
    const whole = await collect(bytes.length);
    expect(whole).toHaveLength(12);
    expect(await collect(7)).toEqual(whole);
  });

  it("a step that is logged again counts as it was logged last, and the count is said", async () => {
    const rows = [1, 2, 1].map((step, at) => `${JSON.stringify({ step, data: { loss: at } })}\n`);
    const { file, findings } = await read(await put("again.jsonl", rows.join("")));
    expect(file?.series).toEqual([{ run: "", metric: "loss", steps: [1, 2], values: [2, 1] }]);
    expect(findings).toEqual([
      "info: 1 value logged again for the same step, the first: loss at step 1; the last value counts",
    ]);
  });

  it.each(["\n", "\ufeff\r\n \n", "\n".repeat(70_000)])(
    "blank lines in front of text are skipped",
    async (blank) => {
      const table = await read(await put("blank.tsv", `${blank}\tstep\tloss\n0\t1\t2\n1\tx\t3\n`));
      expect(values(table.file, "loss")).toEqual([2]);
      expect(table.findings).toEqual(["skipped: 1 row without a number in the column step"]);
      const log = await read(
        await put("blank.log", `${blank}step:83 - actor/loss:0.5 - actor/grad_norm:0.006\n`),
      );
      expect(values(log.file, "actor/loss")).toEqual([0.5]);
    },
  );

  it("a row of a table without a step is counted", async () => {
    const { file, findings } = await read(await put("rows.csv", "step,loss\n1,2\nx,3\n\n3,4\n"));
    expect(values(file, "loss")).toEqual([2, 4]);
    expect(findings).toEqual(["skipped: 1 row without a number in the column step"]);
  });

  it("a line that is cut off is counted", async () => {
    const text = `${JSON.stringify({ step: 1, data: { loss: 1 } })}\n{"step":2,"da`;
    const { file, findings } = await read(await put("partial.jsonl", text));
    expect(values(file, "loss")).toEqual([1]);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain("skipped: 1 row cannot be read: ");
  });
});

describe("in a directory", () => {
  it("files that loggers name are looked into, and verl's by their first bytes", async () => {
    const run = join(folder, "run");
    await mkdir(run);
    for (const name of ["verl.jsonl", "nemo-metrics.json", "events.out.tfevents.x", "wandb_export.csv"])
      await cp(FIXTURES + name, join(run, name === "verl.jsonl" ? "my-experiment.jsonl" : name));
    await writeFile(join(run, "step_1.jsonl"), '{"rollout_log_probs": [-1], "old_log_probs": [-1]}\n');
    const again = join(run, "nemo-metrics.json");
    const found = await findSeriesFiles([run, `${FIXTURES}plain.tsv`, again], new FindingLog());
    expect(found.files.map(({ file }) => file.split("/").at(-1)).sort()).toEqual([
      "events.out.tfevents.x",
      "my-experiment.jsonl",
      "nemo-metrics.json",
      "plain.tsv",
      "wandb_export.csv",
    ]);
    expect(found.others).toEqual([run]);
    expect(found.areDirectories).toBe(true);
  });
});

describe("a file of a directory that does not fit into memory", () => {
  it("is counted, and the others are read", async () => {
    const run = join(folder, "large");
    await mkdir(run);
    await cp(`${FIXTURES}plain.tsv`, join(run, "metrics.tsv"));
    await writeFile(join(run, "a-metrics.csv"), `step,loss\n${"1,2\n".repeat(200_000)}`);
    const findings = new FindingLog();
    const before = memoryLimit();
    setMemoryLimit(2 ** 20);
    const found = await findSeriesFiles([run], findings).finally(() => setMemoryLimit(before));
    expect(found.files.map(({ file }) => file)).toEqual([join(run, "metrics.tsv")]);
    const [finding, ...more] = findings.list();
    expect([finding?.severity, more]).toEqual(["skipped", []]);
    expect(finding?.message).toMatch(/^a-metrics\.csv cannot be read: the text would take /);
  });
});

describe("parts", () => {
  it("CRC-32C of RFC 3720, and TFRecord's mask", () => {
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
    const crc = 0xe3069283;
    const masked = ((((crc >>> 15) | (crc << 17)) >>> 0) + 0xa282ead8) >>> 0;
    expect(unmaskChecksum(masked)).toBe(crc);
  });

  it("quoted fields hold separators, quotes and line ends", () => {
    expect([...parseRows('a,"b, ""c""",d\r\n"x\ny",,\n', ",")]).toEqual([
      ["a", 'b, "c"', "d"],
      ["x\ny", "", ""],
    ]);
    expect([...parseRows('1;"open', ";")]).toEqual([["1", "open"]]);
  });
});
