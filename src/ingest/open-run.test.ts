import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  EXPECTED,
  FIXTURES,
  picture,
  readAll,
  readError,
  withoutRepeats,
} from "../input/adapters/read.test-data.ts";
import { ADAPTERS } from "../trainers/files/index.ts";
import { openGroups, openRun } from "./open-run.ts";
import type { Progress } from "./progress.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "myrun"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const VERL = `${FIXTURES}verl/`;

async function put(
  path: string,
  content: string | Uint8Array | { readonly copyOf: string },
): Promise<string> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  if (typeof content === "object" && "copyOf" in content) await copyFile(content.copyOf, target);
  else await writeFile(target, content);
  return target;
}

function line(row: Record<string, unknown>): string {
  const defaults = {
    response_ids: [1, 2],
    response_mask: [1, 1],
    rollout_log_probs: [-1, -2],
    old_log_probs: [-1, -2],
  };
  return `${JSON.stringify({ ...defaults, ...row })}\n`;
}

describe("a directory is a run", () => {
  it("in the order of steps and ranks, by name and by content", async () => {
    await put("a/step_10/rank_0.jsonl", line({}));
    await put("a/step_9/rank_1.jsonl", line({}));
    await put("a/step_9/rank_0.jsonl", line({}));
    await put("a/other.jsonl", line({ step: 11 }));
    const { run, batches } = await readAll(join(folder, "a"));
    expect(run.sources.map(({ step, rank }) => [step, rank])).toEqual([
      [9, 0],
      [9, 1],
      [10, 0],
      [11, undefined],
    ]);
    expect(batches.map(({ steps, ranks }) => [steps[0], ranks[0]])).toEqual([
      [9, 0],
      [9, 1],
      [10, 0],
      [11, Number.NaN],
    ]);
    expect([run.name, run.runs]).toEqual(["a", ["a"]]);
  });

  it("without what is no data, by name or by content", async () => {
    await put("run/step_1.jsonl", line({}));
    await put("run/README.md", "hello");
    await put("run/config.json", "{}");
    await put("run/tokenizer.json", "{}");
    await put("run/.hidden.jsonl", "no");
    await put("run/metrics.jsonl", '{"loss": 1}\n');
    await put("run/scalars.jsonl", '{"loss": 1}\n{"loss": 2}\n');
    const { run, findings } = await readAll(join(folder, "run"));
    expect(run.sources).toHaveLength(1);
    expect(run.ignored.map((path) => path.slice(folder.length + 5))).toEqual([
      "config.json",
      "metrics.jsonl",
      "README.md",
      "tokenizer.json",
      "scalars.jsonl",
    ]);
    expect(findings.map(({ severity, message, omits }) => [severity, message, omits])).toEqual([
      [
        "info",
        "4 other files are not recorded data (config.json and 3 more)",
        { unit: "file", why: "by_name" },
      ],
      [
        "info",
        "1 file without rollout and trainer log-probs (scalars.jsonl)",
        { unit: "file", why: "no_data" },
      ],
    ]);
    expect(run.skipped).toBe(0);
    const readApart = ["metrics.jsonl", "scalars.jsonl"].map((name) => join(folder, "run", name));
    const others = (await openRun([join(folder, "run")], { readApart })).findings.list();
    expect(others.map(({ message }) => message)).toEqual([
      "3 other files are not recorded data (config.json and 2 more)",
    ]);
  });

  it("with files that cannot be read left out, and that is said", async () => {
    const npz = await readFile(`${VERL}batch.npz`);
    await put("run/step_1.npz", npz);
    await put("run/step_2.npz", npz.subarray(0, 1000));
    await put("run/step_3.npz", new Uint8Array(0));
    const { run, batches, findings } = await readAll(join(folder, "run"));
    expect(batches).toHaveLength(1);
    expect(run.skipped).toBe(2);
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
      ["note", "warning"],
      ["file-skipped", "skipped"],
      ["file-skipped", "skipped"],
    ]);
    expect(findings[2]!.message).toBe("step_3.npz cannot be read: the file is empty (0 bytes)");
    expect(findings[2]!.at.file).toBe(join(folder, "run/step_3.npz"));
    expect(findings[0]!.message).toContain("step 1, the content says 12: the content counts");
  });

  it("with a file that fails in the middle: what came before stays", async () => {
    await put("run/step_1.jsonl", line({}));
    const gz = gzipSync(Array.from({ length: 2000 }, (_, i) => line({ uid: `${Math.sin(i)}` })).join(""));
    await put("run/step_2.jsonl.gz", gz.subarray(0, gz.length - 2000));
    await put("run/step_3.jsonl", line({}));
    const { run, batches, findings } = await readAll(join(folder, "run"));
    expect(run.skipped).toBe(1);
    expect(batches.at(-1)!.steps[0]).toBe(3);
    expect(findings.map(({ code }) => code)).toContain("file-skipped");
  });

  it("reads the same steps once when they are there in several formats", async () => {
    for (const name of ["batch.npz", "batch.pt"]) {
      await put(`run/${name.split(".")[1]}/step_12.${name.split(".")[1]}`, { copyOf: VERL + name });
    }
    const { run, findings } = await readAll(join(folder, "run"));
    expect(run.sources.map(({ format }) => format)).toEqual(["torch"]);
    expect(findings.map(({ code, message }) => [code, message])).toEqual([
      ["duplicate", "1 npz file repeats steps of the torch files in pt, which are read instead"],
    ]);
    const both = await readAll([join(folder, "run/npz/step_12.npz"), join(folder, "run/pt/step_12.pt")]);
    expect(both.run.sources).toHaveLength(1);
  });

  it("keeps runs apart, or pools them and warns", async () => {
    await put("bf16/step_1.jsonl", line({}));
    await put("fp8/step_1.jsonl", line({ response_ids: [3, 4] }));
    const { run, findings } = await readAll(folder);
    expect([run.name, run.runs]).toEqual(["bf16+fp8", ["bf16", "fp8"]]);
    expect(findings.map(({ message }) => message)).toEqual([
      "the files belong to 2 runs (bf16, fp8) but are read as one",
    ]);
    const { groups } = await openGroups([folder], {});
    expect(groups.map(({ name, sources }) => [name, sources.length])).toEqual([
      ["bf16", 1],
      ["fp8", 1],
    ]);
  });
});

describe("what the name does not say", () => {
  it("detects containers without their suffix", async () => {
    for (const name of ["batch.npz", "batch.pt", "batch.safetensors", "rows.jsonl", "rows.parquet"]) {
      const path = await put(`${name.replaceAll(".", "_")}`, { copyOf: VERL + name });
      const { batches } = await readAll(path);
      expect(picture(batches[0]!).rollout).toEqual(EXPECTED.rollout);
    }
  });

  it("reads every container inside gzip", async () => {
    for (const name of [
      "batch.npz",
      "batch.pt",
      "batch.safetensors",
      "rows.jsonl",
      "rows.json",
      "rows.parquet",
      "batch.json",
    ]) {
      const path = await put(`${name}.gz`, gzipSync(await readFile(VERL + name)));
      const { batches } = await readAll(path);
      expect(picture(batches[0]!).rollout).toEqual(EXPECTED.rollout);
      expect(batches[0]!.provenance.file).toBe(path);
    }
  });

  it("reads rows from standard input, one or many", async () => {
    for (const text of [line({ step: 4 }), line({ step: 4 }).repeat(3)]) {
      const stdin = (async function* () {
        yield Buffer.from(text.slice(0, 10));
        yield Buffer.from(text.slice(10));
      })();
      const { run, batches } = await readAll("-", { stdin });
      expect(batches[0]!.length).toBe(text.split("\n").length - 1);
      expect(run.sources[0]).toMatchObject({ file: "-", step: 4 });
    }
  });
});

describe("options", () => {
  it("chooses steps, by file and by row", async () => {
    await put("run/step_1.jsonl", line({}));
    await put("run/step_2.jsonl", line({}));
    await put("run/mixed.jsonl", line({ step: 3 }) + line({ step: 2 }) + line({}));
    const { run, batches } = await readAll(join(folder, "run"), { steps: (step) => step === 2 });
    expect(run.sources.map(({ file }) => file.slice(folder.length))).toEqual([
      "/run/mixed.jsonl",
      "/run/step_2.jsonl",
    ]);
    expect(batches.map(({ steps }) => [...steps])).toEqual([[2], [2]]);
    const none = await readError(join(folder, "run/step_1.jsonl"), { steps: (step) => step === 7 });
    expect([none._tag, none.message]).toEqual([
      "UsageError",
      "no file belongs to the requested steps: the files found are of steps 1 to 1",
    ]);
    const rows = await readError(join(folder, "run/mixed.jsonl"), { steps: (step) => step === 7 });
    expect(rows.message).toBe("the input has no sequences of the requested steps");
  });

  it("reports progress that ends at the whole", async () => {
    await put("run/step_1.jsonl", line({}).repeat(10));
    await put("run/step_2.npz", { copyOf: `${VERL}batch.npz` });
    const seen: Progress[] = [];
    await readAll(join(folder, "run"), { onProgress: (progress) => seen.push(progress) });
    const last = seen.at(-1)!;
    expect(last.bytesRead).toBe(last.bytesTotal);
    expect(last.sequences).toBe(13);
    expect(seen.every(({ bytesRead, bytesTotal }) => bytesRead <= bytesTotal)).toBe(true);
    expect(seen.map(({ bytesRead }) => bytesRead)).toEqual(
      seen.map(({ bytesRead }) => bytesRead).sort((a, b) => a - b),
    );
  });

  it("takes the adapter that the user names", async () => {
    const path = await put("step_1.jsonl", line({}));
    const { run } = await readAll(path, { adapter: "generic" });
    expect(run.sources[0]!.trainer).toBe("generic");
    const error = await readError(path, { adapter: "verrl" });
    expect([error._tag, error.message]).toEqual([
      "UsageError",
      `unknown format "verrl"; the formats are ${ADAPTERS.map(({ name }) => name).join(", ")}`,
    ]);
  });
});

describe("nothing to read", () => {
  it.each([
    [
      "an absent path",
      async () => "/nonexistent/a.npz",
      "NotFoundError",
      "/nonexistent/a.npz does not exist",
    ],
    ["an empty directory", async () => folder, "EmptyInputError", "no recorded data under "],
    ["an empty file", () => put("a.jsonl", ""), "EmptyInputError", "the file is empty (0 bytes)"],
    [
      "something else",
      () => put("a.bin", "\x7fELF\x01"),
      "UnsupportedError",
      "a program or library (ELF): it holds no log-probs",
    ],
    [
      "a mask of zeros",
      () => put("a.jsonl", line({ response_mask: [0, 0] })),
      "EmptyInputError",
      "no token in the whole input has mask 1",
    ],
    [
      "probabilities",
      () => put("a.jsonl", line({ rollout_log_probs: [0.5, 0.25] })),
      "SchemaError",
      "2 of 2 rollout log-probs are positive: these are not log-probs",
    ],
    [
      "rows of unequal lengths only",
      () => put("a.jsonl", line({ old_log_probs: [-1] })),
      "SchemaError",
      "1 row cannot be read: trainer log-probs has 1 value, expected 2",
    ],
  ])("%s", async (_, make, tag, message) => {
    const path = await make();
    const error = await readError(path);
    expect(error._tag).toBe(tag);
    expect(error.message).toContain(message);
  });

  it("no path at all", async () => {
    await expect(openRun([])).rejects.toThrow("no path given");
  });
});

describe("odd rows are counted and placed", () => {
  it("unequal lengths, odd masks, empty masks", async () => {
    const path = await put(
      "step_1.jsonl",
      line({}) +
        line({ old_log_probs: [-1, -2, -3] }) +
        line({ response_mask: [1, 3] }) +
        line({ response_mask: [0, 0] }) +
        line({ rollout_log_probs: [-1] }),
    );
    const { batches, findings } = await readAll(path);
    expect(batches[0]!.length).toBe(3);
    expect(
      withoutRepeats(findings).map(({ code, severity, message, count, at }) => [
        code,
        severity,
        message,
        count,
        at.row,
      ]),
    ).toEqual([
      [
        "length-mismatch",
        "skipped",
        "2 rows cannot be read, the first: trainer log-probs has 3 values, expected 2",
        2,
        1,
      ],
      [
        "non-binary-mask",
        "warning",
        "1 mask values are neither 0 nor 1: nulls and NaN count as 0, all others as 1",
        1,
        2,
      ],
      ["empty-mask", "info", "1 sequence has no token with mask 1: kept, but in no figure", 1, 3],
    ]);
  });

  it("rows without log-probs, rows that are no JSON, and a half-written last line", async () => {
    const path = await put(
      "step_1.jsonl",
      `${line({})}{"a": tru}\n${line({ rollout_log_probs: null, old_log_probs: null })}${line({}).slice(0, 30)}`,
    );
    const { batches, findings } = await readAll(path);
    expect(batches[0]!.length).toBe(1);
    expect(findings.map(({ code, count, at }) => [code, count, at.line])).toEqual([
      ["bad-row", 2, 2],
      ["partial-line", 1, 4],
    ]);
  });
});
