import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EmptyInputError, isLogratioError, UnsupportedError } from "../../core/base/errors.ts";
import type { Finding } from "../../core/schema/findings.ts";
import { openRun } from "../../ingest/open-run.ts";
import type { MismatchReport } from "../../results/report.ts";
import { compileFilter } from "./filter-option.ts";
import { nothingToCompare } from "./nothing-to-compare.ts";
import { readBatches, sourceSummaries } from "./read-batches.ts";
import { hasNoDumps } from "./read-logged.ts";
import { reportOnePolicy } from "./report-one-policy.ts";
import { reportRun } from "./report-run.ts";

let folder = "";
const write = async (name: string, rows: readonly object[]): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return path;
};
const row = (more: object = {}): object => ({
  rollout_log_probs: [-1, -2, -0.5],
  old_log_probs: [-1.5, -2.25, -0.5],
  response_mask: [1, 1, 0],
  ...more,
});

let two = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-runs-"));
  two = await write("two.jsonl", [
    row({ step: 1, reward: 1 }),
    row({ step: 2, reward: 0, response_mask: [1, 0, 0] }),
  ]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function caught(work: Promise<unknown>): Promise<Record<string, unknown>> {
  return work.then(
    () => ({}),
    (error: unknown) => {
      if (isLogratioError(error))
        return { _tag: error._tag, message: error.message, likely: error.likely, hint: error.hint };
      return { thrown: error };
    },
  );
}

describe("reportRun", () => {
  it("reports on all of a file, on the steps asked for, and names both in the command to run next", async () => {
    const all = await reportRun(two, { threads: 1 });
    expect(all.metrics).toMatchObject({ sequences: 2, tokens: 3, steps: 2 });
    expect(all.metrics.delta_abs_mean).toBeCloseTo((0.5 + 0.25 + 0.5) / 3, 6);
    expect(all.parity).toEqual([]);
    expect(all.sources).toMatchObject([{ file: two, sequences: 2, rank: null }]);
    const some = await reportRun([two], { steps: "2", parity: ["verl"], threads: 1 });
    expect(some.metrics).toMatchObject({ sequences: 1, tokens: 1 });
    expect(some.parity.map(({ trainer }) => trainer)).toEqual(["verl"]);
    const command = JSON.stringify(some.next);
    expect(command).toContain("--steps 2");
    expect(command).not.toContain("--threads");
  });

  it("counts what a filter leaves, of sequences and of tokens", async () => {
    const tokens = await reportRun(two, { filter: "abs>0.4", threads: 1 });
    const [told] = tokens.findings.filter(({ message }) => message.startsWith("--filter:"));
    expect(told).toMatchObject({
      severity: "warning",
      count: 1,
      omits: { unit: "token", why: "requested" },
      message: expect.stringMatching(
        /cover 2 of 2 sequences, 2 of 3 tokens with mask 1; all others count as mask 0/,
      ),
    });
    const sequences = await reportRun(two, { filter: "step:1", threads: 1 });
    const [kept] = sequences.findings.filter(({ message }) => message.startsWith("--filter:"));
    expect(kept).toMatchObject({ count: 1, omits: { unit: "sequence" } });
    expect(kept!.message).toMatch(/cover 1 of 2 sequences, 2 of 3 tokens with mask 1$/);
    expect(sequences.metrics.sequences).toBe(1);
    const none = await reportRun(two, { threads: 1 });
    expect(none.findings.filter(({ message }) => message.startsWith("--filter:"))).toEqual([]);
  });

  it("ends with the signal's reason, and tells how far it is", async () => {
    const reason = new Error("enough");
    expect(await caught(reportRun(two, { signal: AbortSignal.abort(reason), threads: 1 }))).toEqual({
      thrown: reason,
    });
    const seen: unknown[] = [];
    await reportRun(two, { onProgress: (progress) => seen.push(progress), threads: 1 });
    expect(seen.length).toBeGreaterThan(0);
    expect((await reportRun(two, { signal: new AbortController().signal, threads: 1 })).metrics.tokens).toBe(
      3,
    );
  });
});

describe("a run without a figure says why", () => {
  it("where a filter leaves no sequence, or no token", async () => {
    expect(await caught(reportRun(two, { filter: "step:9", threads: 1 }))).toMatchObject({
      _tag: "EmptyInputError",
      message: "--filter matches none of the 2 sequences",
      hint: expect.stringContaining("logratio view"),
    });
  });

  it("where the mask is 0 everywhere", async () => {
    const path = await write("masked.jsonl", [row({ response_mask: [0, 0, 0] })]);
    expect(await caught(reportRun(path, { threads: 1 }))).toMatchObject({
      _tag: "EmptyInputError",
      message: "no token in the whole input has mask 1",
    });
  });

  it("where no log-prob is finite", async () => {
    const path = await write("broken.jsonl", [row({ old_log_probs: [null, null, null] })]);
    const error = await caught(reportRun(path, { threads: 1 }));
    expect(error._tag).toMatch(/EmptyInputError|SchemaError|MissingSideError/);
  });
});

describe("nothingToCompare", () => {
  const finding = (more: Partial<Finding>): Finding =>
    ({
      code: "note",
      severity: "warning",
      subject: "x",
      count: 1,
      at: {},
      message: "words",
      ...more,
    }) as Finding;
  const say = (
    lost: readonly [missing: number, negative: number, positive: number],
    sequences: number,
    findings: readonly Finding[] = [],
  ): EmptyInputError =>
    nothingToCompare({
      excluded: { missing: lost[0], delta_negative_infinite: lost[1], delta_positive_infinite: lost[2] },
      metrics: { sequences },
      findings,
    } as unknown as MismatchReport);

  it.each([
    [[1, 0, 0], "1 token"],
    [[1, 2, 0], "3 tokens"],
    [[1, 2, 4], "7 tokens"],
  ] as const)("counts lost tokens %j", (lost, count) => {
    const error = say(lost, 3);
    expect(error).toBeInstanceOf(EmptyInputError);
    expect(error.message).toBe(
      `nothing to compare: no token with mask 1 has a finite log-prob on both sides (${count})`,
    );
    expect(error.likely).toBeUndefined();
    expect(error.hint).toContain("--rollout and --trainer");
  });

  it.each(["non-finite", "sentinel", "positive-logprob", "suspicious-zero"] as const)(
    "says that %s took them out",
    (code) => {
      const told = finding({ code, message: "the reason" });
      expect(say([1, 0, 0], 1, [told, finding({ message: "elsewhere" })]).likely).toBe("the reason");
      expect(say([1, 0, 0], 1, [told, { ...told, message: "and more" }]).likely).toBe("the reason; and more");
      expect(say([1, 0, 0], 1, [{ ...told, severity: "info" }]).likely).toBeUndefined();
    },
  );

  it("blames the filter only where the filter left tokens out", () => {
    const filter = finding({ message: "--filter: 0 of 3", omits: { unit: "token", why: "requested" } });
    expect(say([0, 0, 0], 3, [filter]).message).toBe(
      "nothing to compare: --filter matches no token with mask 1",
    );
    for (const other of [
      { ...filter, omits: { unit: "sequence", why: "requested" } as const },
      { ...filter, message: "--steps: 0 of 3" },
      finding({ message: "--filter: 0 of 3" }),
    ])
      expect(say([0, 0, 0], 3, [other]).message).toBe(
        "nothing to compare: no token of 3 sequences has mask 1",
      );
  });

  it("does not blame the mask where nothing was read", () => {
    const error = say([0, 0, 0], 0);
    expect([error.message, error.likely]).toEqual(["nothing to compare: no sequence was read", undefined]);
  });
});

describe("one policy alone", () => {
  const one = async (rows: readonly object[], name: string) => {
    const path = await write(name, rows);
    const run = await openRun([path], { onePolicy: true });
    const batches = readBatches(run);
    return reportOnePolicy(run, batches, run.onePolicy!, { paths: [path], flags: ["--steps", "1"] });
  };
  const alone = { rollout_log_probs: [-1, -2], response_mask: [1, 1], step: 1 };

  it("is reported with what is missing, and commands with its paths and flags", async () => {
    const report = await one([alone], "rollout.jsonl");
    expect(report).toMatchObject({ kind: "report", policies: "rollout", missing: { side: "trainer" } });
    expect(report.metrics).toMatchObject({ sequences: 1, tokens: 2, log_prob_mean: -1.5 });
    expect(report.next.map(({ command }) => command).join("\n")).toContain("rollout.jsonl");
    expect(report.next[0]!.command).toContain("--steps 1");
    expect(report.sources[0]!.sequences).toBe(1);
  });

  it("is nothing where no token is left", async () => {
    expect(await caught(one([{ ...alone, rollout_log_probs: [null, null] }], "none.jsonl"))).toMatchObject({
      _tag: "EmptyInputError",
      message: "none of 1 sequence has a token with mask 1 and a finite rollout log-prob",
      hint: expect.stringContaining("--mask COLUMN"),
    });
  });
});

describe("batches on their way", () => {
  it("end where they are told to, with what was read", async () => {
    const run = await openRun([two], { batchTokens: 1 });
    let asked = 0;
    const seen: number[] = [];
    for await (const batch of readBatches(run, { isStopped: () => ++asked === 2 })) seen.push(batch.length);
    expect([asked, seen]).toEqual([2, [1]]);
    for await (const _ of readBatches(run, { isStopped: () => true })) expect.unreachable();
    const all: number[] = [];
    for await (const batch of readBatches(await openRun([two], { batchTokens: 1 }))) all.push(batch.length);
    expect(all).toEqual([1, 1]);
  });

  it("leave out those without a match, and say so at the end", async () => {
    const run = await openRun([two], { batchTokens: 1 });
    const filter = await compileFilter({ filter: "step:2" });
    const steps: number[] = [];
    for await (const batch of readBatches(run, { filter })) steps.push(...batch.steps);
    expect(steps).toEqual([2]);
    expect(run.findings.list().filter(({ message }) => message.startsWith("--filter:"))).toHaveLength(1);
  });

  it("come from sources with a step and a rank, or null", async () => {
    const { sources } = await openRun([two], {});
    const list = (more: object) => sourceSummaries({ sources: [{ ...sources[0]!, ...more }] })[0];
    expect(list({})).toMatchObject({ file: two, step: null, rank: null });
    expect(list({ step: 0, rank: 0 })).toMatchObject({ step: 0, rank: 0 });
    expect(list({})).toHaveProperty("checked");
    expect(list({})).not.toHaveProperty("checks");
  });
});

describe("a directory without dumps", () => {
  it("is known by the errors that reading it gives", async () => {
    expect(hasNoDumps(new EmptyInputError("x"))).toBe(true);
    expect(hasNoDumps(new UnsupportedError("x"))).toBe(true);
    expect(hasNoDumps(new Error("EmptyInputError"))).toBe(false);
    const missing = await openRun([join(folder, "nowhere")], {}).catch((error: unknown) => error);
    expect(hasNoDumps(missing)).toBe(false);
  });
});

it("reads texts with the tokenizer of the run", async () => {
  const tokenizer = fileURLToPath(new URL("../../../test/fixtures/tokenizer/byte-level", import.meta.url));
  // The tokens are "a", " ", and "7".
  const path = await write("texts.jsonl", [row({ responses: [64, 220, 22], response_mask: [1, 1, 1] })]);
  const report = await reportRun(path, { filter: "token:a", tokenizer, threads: 1 });
  expect([report.metrics.tokens, report.metrics.delta_abs_mean]).toEqual([1, 0.5]);
});
