import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyzeLog } from "./analyze-log.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "logratio-logs-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const FIXTURES = fileURLToPath(new URL("../../../test/fixtures/analyze", import.meta.url));
const FIXTURE = join(FIXTURES, "divergence.jsonl");

/** What pandas, scipy and jq said (scripts/fixtures/analyze_logs.py). */
const { pandas } = JSON.parse(readFileSync(join(FIXTURES, "expected.json"), "utf8"));

describe("logs as they are found", () => {
  const [first = ""] = readFileSync(FIXTURE, "utf8").split("\n");
  const record = JSON.parse(first);
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  const line = (changes: Record<string, unknown>): string => JSON.stringify({ ...record, ...changes });

  it("counts and names torn and foreign lines, and reads the others", async () => {
    const lines = [first, `${first.slice(0, 90)}${first}`, '{"loss": 1}', "", first, first.slice(0, 50)];
    const path = write("torn.jsonl", lines.join("\n"));
    const report = await analyzeLog([path]);
    expect(report.metrics).toMatchObject({ records: 2, lines_skipped: 3 });
    expect(report.skipped_lines).toEqual([
      { file: path, line: 2, kind: "torn", why: "several records run into each other" },
      { file: path, line: 3, kind: "foreign", why: "no prob_divergence" },
      { file: path, line: 6, kind: "torn", why: "a record is cut off" },
    ]);
    expect(report.findings.map(({ severity, count, at }) => [severity, count, at.line])).toEqual([
      ["skipped", 2, 2],
      ["skipped", 1, 3],
    ]);
  });

  it("takes a last line that is being written for what it is", async () => {
    const path = write("growing.jsonl", `${first}\n${first.slice(0, 70)}`);
    const { findings } = await analyzeLog([path]);
    expect(findings).toMatchObject([{ code: "partial-line", severity: "skipped", at: { line: 2 } }]);
  });

  it("reads gzip, and what stands before the fault in a damaged one", async () => {
    const whole = gzipSync(readFileSync(FIXTURE));
    const good = write("good.jsonl.gz", whole);
    expect((await analyzeLog([good])).metrics.records).toBe(pandas.records);
    const cut = write("cut.jsonl.gz", whole.subarray(0, whole.length / 2));
    const { metrics, findings } = await analyzeLog([cut]);
    expect(metrics.records).toBeGreaterThan(10);
    expect(metrics.records).toBeLessThan(pandas.records);
    expect(findings[0]).toMatchObject({ code: "file-skipped", severity: "skipped" });
    expect(findings[0]!.message).toContain(`the ${metrics.records} records before it`);
  });

  it("takes missing fields for missing, as the first version of the log wrote it", async () => {
    const { iteration, flip_type, is_correct, ...old } = record;
    expect([iteration, flip_type, is_correct]).not.toContain(undefined);
    const path = write(
      "old.jsonl",
      `${JSON.stringify(old)}\n${JSON.stringify({ ...old, actor_logprob: 0 })}\n`,
    );
    const report = await analyzeLog([path]);
    expect(report.metrics).toMatchObject({
      records: 2,
      unknown_count: 2,
      correct_count: 0,
      correct_mean: null,
      iterations: 0,
      sequences: null,
      digits_t: null,
    });
    expect(report.per_iteration).toMatchObject([{ iteration: null, count: 2 }]);
    expect(report.scenarios.map(({ status }) => status)).toEqual(Array(6).fill("not enough data"));
    expect(report.absent.join()).toMatch(/is_correct.*flip_type.*iteration/s);
  });

  it("tells responses of several ranks apart that have one place in the batch", async () => {
    const at = (handle: string | null, file: string) =>
      line({ handle, file, iteration: 1, batch_idx: 0, is_correct: true, prompt_text: null });
    const ranks = [at("s1.r0.q0.t3", "a.pt"), at("s1.r0.q0.t5", "a.pt"), at("s1.r1.q0.t3", "a.pt")];
    const files = [...ranks, at("s1.r1.q0.t3", "b.pt")];
    const path = write("ranks.jsonl", files.join("\n"));
    expect((await analyzeLog([path])).metrics.sequences).toBe(3);
    const without = write("no-handles.jsonl", [at(null, "a.pt"), at(null, "b.pt")].join("\n"));
    expect((await analyzeLog([without])).metrics.sequences).toBe(1);
  });

  it("reads bare NaN and Infinity, and correctness as a number", async () => {
    const text = [line({ is_correct: 1, actor_logprob: "X" }), line({ is_correct: 0.0 })].join("\n");
    const path = write(
      "python.jsonl",
      text.replace('"X"', "-Infinity").replace(/"total_score":[^,]*/, '"total_score":NaN'),
    );
    const { metrics, findings } = await analyzeLog([path], {
      where: "actor_logprob < -1e9 or total_score = 0",
    });
    expect(metrics).toMatchObject({ records_read: 2, correct_count: 1 });
    expect(findings).toEqual([]);
  });

  it("does not take a token that was not decoded for one that is no digit", async () => {
    const lines = Array.from({ length: 100 }, (_, i) =>
      line({ token_text: `<no_tokenizer:${i % 5}>`, batch_idx: i, is_correct: true }),
    );
    const report = await analyzeLog([write("untold.jsonl", lines.join("\n"))]);
    expect(report.digits).toMatchObject({ count: 0, share: null, texts_unknown: 100 });
    const status = Object.fromEntries(report.scenarios.map(({ id, ...rest }) => [id, rest]));
    expect(status).toMatchObject({
      mostly_correct: { status: "not enough data" },
      digits_only: { status: "not enough data", measured: "the log has no token texts" },
      not_digits_more: { status: "not enough data", measured: "the log has no token texts" },
    });
    expect(report.absent.join()).toContain("no text of the token in every record");
  });

  it("says of which field a value is not what it should be", async () => {
    const path = write("typed.jsonl", [line({}), line({ iteration: "ten" })].join("\n"));
    const { metrics, findings } = await analyzeLog([path]);
    expect(metrics.iterations).toBe(1);
    expect(findings).toMatchObject([{ severity: "warning", count: 1, at: { line: 2 } }]);
    expect(findings[0]!.message).toContain("iteration is not a number in 1 record");
  });

  it("reads the logs of a directory, rotated ones in their order, and files that were named twice once", async () => {
    const parts = join(directory, "parts");
    mkdirSync(parts);
    for (const name of ["d.jsonl.10", "d.jsonl.2.gz", "d.jsonl", "other.txt"])
      writeFileSync(join(parts, name), name.endsWith("gz") ? gzipSync(first) : first);
    const { sources } = await analyzeLog([parts, join(parts, "d.jsonl")]);
    expect(sources.map(({ file }) => basename(file))).toEqual(["d.jsonl", "d.jsonl.2.gz", "d.jsonl.10"]);
  });

  it("keeps to a memory limit, and leaves nothing on disk", async () => {
    const before = readdirSync(tmpdir()).filter((name) => name.startsWith(`logratio-${process.pid}-`));
    const many = `${readFileSync(FIXTURE, "utf8")}`.repeat(40);
    const path = write("many.jsonl", many);
    const { metrics } = await analyzeLog([path], {
      memoryLimit: 32 * 2 ** 20,
      where: "full_response is not null and prompt_text is not null",
    });
    expect(metrics.records).toBe(40 * pandas.records);
    expect(metrics.divergence_mean).toBeCloseTo(pandas.mean, 10);
    const after = readdirSync(tmpdir()).filter((name) => name.startsWith(`logratio-${process.pid}-`));
    expect(after).toEqual(before);
  });

  it("says what to do where not even that is enough", async () => {
    const path = write("much.jsonl", readFileSync(FIXTURE, "utf8").repeat(20));
    await expect(analyzeLog([path], { memoryLimit: 2 ** 20 })).rejects.toMatchObject({
      _tag: "LimitError",
      hint: expect.stringContaining("--memory"),
    });
  });

  it.each([
    ["nothing in it", "", "no records in "],
    ["no log", "hello\nworld\n", "none of 2 lines is a record of a high-divergence log: not JSON"],
  ])("refuses a file with %s", async (_, content, message) => {
    await expect(analyzeLog([write("refused.jsonl", content)])).rejects.toMatchObject({
      _tag: "EmptyInputError",
      message: expect.stringContaining(message),
    });
  });
});

describe("--where", () => {
  it.each([
    ["nope > 1", /nope/],
    ["position >", /syntax error/],
    ["", /empty/],
    ["is_correct; drop table log", /syntax error/],
    ["exists (from read_text('/etc/hostname'))", /Cannot access file/],
    ["position > ?", /placeholder/],
    ["cast(text as integer) > 1", /Could not convert/],
  ])("refuses %s, and says which columns there are", async (where, message) => {
    await expect(analyzeLog([FIXTURE], { where })).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringMatching(message),
      hint: expect.stringContaining("prob_divergence"),
    });
  });

  it("reaches fields that the analysis itself does not read, and those that it adds", async () => {
    const { metrics } = await analyzeLog([FIXTURE], {
      where: "prompt_text like '%4 + 3%' and is_digit and trim(text) = '42' -- why not",
    });
    expect(metrics.records).toBe(pandas.token_counts["'42'"]);
  });
});
