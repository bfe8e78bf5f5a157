import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyzeLog, queryFiles } from "../src/analyses/analyze/index.ts";
import {
  renderAnalyzeHtml,
  renderAnalyzeMarkdown,
  renderAnalyzeTerminal,
} from "../src/render/analyze/index.ts";
import { displayWidth } from "../src/render/terminal/columns.ts";
import type { AnalyzeReport } from "../src/results/analyze.ts";
import { ROOT, requireBuild, runCli } from "./support/run-cli.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "logratio-analyze-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const FIXTURE = join(ROOT, "test/fixtures/analyze/divergence.jsonl");
const EXPECTED = process.env.ANALYZE_EXPECTED ?? join(ROOT, "test/fixtures/analyze/expected.json");

/** What pandas, scipy and jq said (scripts/fixtures/analyze_logs.py). */
const { pandas, jq } = JSON.parse(readFileSync(EXPECTED, "utf8"));

const close = (value: number | null): unknown => (value === null ? null : expect.closeTo(value, 10));

describe("the usage guide's questions, answered by pandas, scipy and jq", () => {
  let report: AnalyzeReport;
  beforeAll(async () => {
    report = await analyzeLog([FIXTURE], { top: 1000 });
  });
  const tests = (id: string) => report.comparisons.find((comparison) => comparison.id === id)!;

  it("average and maximum divergence", () => {
    const { records, divergence_mean, divergence_max } = report.metrics;
    expect([records, divergence_mean, divergence_max]).toEqual([
      pandas.records,
      close(pandas.mean),
      pandas.max,
    ]);
  });

  it("most common divergent tokens", () => {
    const counts = report.common_tokens.map(({ token_text, count }) => [token_text, count]);
    expect(Object.fromEntries(counts)).toEqual(pandas.token_counts);
    expect(counts.map(([, count]) => count)).toEqual(Object.values(pandas.token_counts));
  });

  it("positions in 50 bins", () => {
    expect(report.positions!.counts).toEqual(pandas.position_counts);
    expect(report.positions!.edges).toEqual(pandas.position_edges.map(close));
  });

  it("by iteration: mean, largest, count", () => {
    const rows = report.per_iteration.map(({ iteration, mean, max, count }) => [
      String(iteration),
      [close(mean), max, count],
    ]);
    expect(pandas.by_iteration).toEqual(Object.fromEntries(rows));
    const averages = jq.by_iteration.map((row: Record<string, number>) => ({
      iteration: row.iteration,
      count: row.count,
      mean: close(row.avg_divergence!),
    }));
    expect(report.per_iteration.map(({ iteration, count, mean }) => ({ iteration, count, mean }))).toEqual(
      averages,
    );
  });

  it("correct against incorrect answers", () => {
    for (const name of ["correct", "incorrect"] as const) {
      const { mean, max, count } = report.by_correctness[name];
      expect({ mean, max, count }).toEqual({ ...pandas[name], mean: close(pandas[name].mean) });
      expect(count).toBe(jq[name]);
      expect(report.divergence_bins![name]).toEqual(pandas[`${name}_bins`]);
      const means = report.per_iteration.flatMap((row) =>
        row[`${name}_mean`] === null ? [] : [[String(row.iteration), close(row[`${name}_mean`])]],
      );
      expect(pandas[`${name}_by_iteration`]).toEqual(Object.fromEntries(means));
    }
    const [incorrect, correct] = jq.by_correctness;
    expect(report.by_correctness.correct.mean).toBeCloseTo(correct.avg_div, 10);
    expect(report.by_correctness.incorrect.max).toBe(incorrect.max_div);
    expect(report.metrics.correct_share! * 100).toBeCloseTo(pandas.correct_pct, 10);
  });

  it("digit tokens, and the tests between them", () => {
    const { digits } = report;
    expect([digits.count, digits.correct.count, digits.incorrect.count]).toEqual([
      pandas.digits,
      pandas.digits_correct,
      pandas.digits_incorrect,
    ]);
    expect([digits.correct.mean, digits.incorrect.mean, digits.ratio]).toEqual([
      close(pandas.digits_correct_mean),
      close(pandas.digits_incorrect_mean),
      close(pandas.ratio),
    ]);
    const { t, welch, mann_whitney, mean_difference_interval: interval } = tests("digits");
    expect([t.statistic, t.p_value]).toEqual(pandas.t.map(close));
    expect([welch.statistic, welch.p_value, welch.degrees_of_freedom]).toEqual(pandas.welch.map(close));
    expect([interval.low, interval.high]).toEqual(pandas.welch_interval.map(close));
    expect([mann_whitney.statistic, mann_whitney.p_value]).toEqual(pandas.mann_whitney.map(close));
    expect([report.metrics.digits_t, report.metrics.digits_t_p]).toEqual(pandas.t.map(close));
  });

  it("takes the guide's pattern for pandas as it was meant: as written it matches nothing", () => {
    expect(pandas.digits_as_the_guide_writes_it).toBe(0);
  });

  it("flip patterns of correct answers", () => {
    const counts = report.flip_types.flatMap(({ flip_type, correct }) =>
      flip_type === null || correct === 0 ? [] : [[flip_type, correct]],
    );
    expect(Object.fromEntries(counts)).toEqual(pandas.flip_patterns);
  });

  it("what is filtered for: above 0.9, most divergent, early, digits of correct answers, sure and rejected", () => {
    expect(report.metrics.above_09).toBe(jq.above_09);
    const { iteration, token_text, prob_divergence } = report.most_divergent[0]!;
    expect({ iteration, token_text, prob_divergence }).toEqual({
      iteration: jq.most_divergent.iteration,
      token_text: jq.most_divergent.token_text,
      prob_divergence: jq.most_divergent.prob_divergence,
    });
    const [early, digits, confident] = report.selections;
    const byText = (rows: readonly { token_text: string | null; prob_divergence: number }[]) =>
      rows.map((row) => `${row.token_text} ${row.prob_divergence}`).sort();
    expect(byText(early!.tokens)).toEqual(byText(jq.early));
    // jq's pattern takes neither spaces nor digits of other scripts.
    const plain = digits!.tokens.filter(({ token_text }) => /^['"]?[0-9.]+['"]?$/.test(token_text!));
    expect(plain).toHaveLength(jq.digits_correct_without_space);
    expect(confident!.count).toBe(jq.confident_correct);
    expect(report.metrics.confident_correct_count).toBe(jq.confident_correct);
  });

  it("a filter counts what the same filter in jq counts", async () => {
    const where = "is_correct and prob_divergence > 0.9 and flip_type = 'rollout_confident_actor_rejects'";
    const filtered = await analyzeLog([FIXTURE], { where });
    expect(filtered.metrics.records).toBe(jq.confident_correct);
    expect(filtered.metrics.records_read).toBe(pandas.records);
  });
});

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

describe("queryFiles", () => {
  it("makes a table of each file, the first also t, and gives rows with types", async () => {
    const csv = join(directory, "scores [a]*.csv");
    writeFileSync(csv, "iteration,loss\n10,0.5\n20,\n");
    const { columns, rows, tables } = await queryFiles(
      "select t.iteration, count(*) as n, any_value(loss) as loss from t join scores_a_ s using (iteration) group by all order by 1",
      [FIXTURE, csv],
    );
    expect(tables.map(({ name }) => name)).toEqual(["divergence", "scores_a_"]);
    expect(columns.map(({ type }) => type)).toEqual(["BIGINT", "BIGINT", "DOUBLE"]);
    expect(rows).toEqual([
      [10, 10, 0.5],
      [20, 10, null],
    ]);
  });

  it("reads Parquet", async () => {
    const file = join(ROOT, "test/fixtures/parquet");
    const [name = ""] = readdirSync(file).filter((each) => each.endsWith(".parquet"));
    const { rows } = await queryFiles("select count(*) from t", [join(file, name)]);
    expect(rows[0]![0]).toBeGreaterThan(0);
  });

  it.each([
    ["select * from nope", /nope does not exist/],
    ["copy t to 'x.csv'", /COPY|Cannot access/],
    ["copy (select 1) to '{csv}' (use_tmp_file false)", /COPY/],
    ["explain analyze copy (select 1) to '{csv}' (use_tmp_file false)", /EXPLAIN/],
    ["select * from read_text('/etc/hostname')", /Cannot access file/],
    ["select 1; select 2", /2 statements/],
    ["set threads = 1", /SET/],
    [" ", /is empty/],
  ])("runs no %s", async (sql, message) => {
    const csv = join(directory, "kept.csv");
    writeFileSync(csv, "a\n1\n");
    await expect(queryFiles(sql.replace("{csv}", csv), [csv])).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringMatching(message),
      hint: expect.stringContaining("kept (also t)"),
    });
    expect(readFileSync(csv, "utf8")).toBe("a\n1\n");
  });
});

describe("what is printed", () => {
  const hostile = "'<script>alert(1)</script>|\u001b[2J\u202e'";
  let report: AnalyzeReport;
  beforeAll(async () => {
    const path = join(directory, "hostile.jsonl");
    const lines = readFileSync(FIXTURE, "utf8").trim().split("\n");
    const changed = lines.map((text, i) =>
      JSON.stringify({
        ...JSON.parse(text),
        ...(i % 3 === 0 ? { token_text: hostile, context_text: hostile } : {}),
      }),
    );
    writeFileSync(path, changed.join("\n"));
    report = await analyzeLog([path]);
  });

  it.each([60, 80, 120])("keeps to %i columns, in colour or ASCII", (width) => {
    for (const unicode of [true, false]) {
      const text = renderAnalyzeTerminal(report, { width, color: false, unicode });
      for (const each of text.split("\n")) expect(displayWidth(each)).toBeLessThanOrEqual(width);
      if (!unicode) expect(text.replaceAll("\n", "")).toMatch(/^[\x20-\x7e]*$/);
      expect(text).not.toContain("\u001b");
      for (const title of ["Diagnostic scenarios", "Digit tokens", "Flip patterns", "By iteration"])
        expect(text).toContain(title);
    }
  });

  it("makes nothing of a log's text into markup", () => {
    const html = renderAnalyzeHtml(report);
    expect(html).not.toContain("<script>alert");
    expect(html.match(/<svg [^>]*role="img"/g)).toHaveLength(4);
    expect(html.replace(/<script>.*<\/script>/s, "")).not.toMatch(/NaN|undefined/);
    const markdown = renderAnalyzeMarkdown(report, { command: "logratio analyze x" });
    expect(markdown).not.toContain("<script");
    const tables = markdown.split("\n\n").filter((block) => block.startsWith("|"));
    for (const table of tables) {
      const cells = table.split("\n").map((row) => row.replaceAll("\\|", "").split("|").length);
      expect(new Set(cells).size).toBe(1);
    }
    expect(tables.length).toBeGreaterThan(8);
  });
});

describe("the command line", () => {
  beforeAll(requireBuild);

  it("analyze prints one page, JSON with nothing else on standard output, and writes a page", () => {
    const shown = runCli(directory, ["analyze", FIXTURE, "--html", "page.html"]);
    expect([shown.status, shown.err]).toEqual([0, "written: page.html\n"]);
    expect(shown.out).toContain("Diagnostic scenarios");
    expect(readFileSync(join(directory, "page.html"), "utf8")).toMatch(/^<!doctype html>/);
    const { status, out, err } = runCli(directory, ["analyze", FIXTURE, "--json"]);
    expect([status, err]).toEqual([0, ""]);
    const json = JSON.parse(out);
    expect([json.schemaVersion, json.kind, json.metrics.records]).toEqual([1, "analyze", pandas.records]);
  });

  it("analyze exits 4 where lines were left out, 2 for a filter that cannot be used, 3 without a record", () => {
    const [first = ""] = readFileSync(FIXTURE, "utf8").split("\n");
    writeFileSync(join(directory, "four.jsonl"), `${first}\n{"a`);
    const four = runCli(directory, ["analyze", "four.jsonl"]);
    expect(four.status).toBe(4);
    expect(four.err).toContain("four.jsonl, line 2");
    expect(runCli(directory, ["analyze", FIXTURE, "--where", "nope"]).status).toBe(2);
    writeFileSync(join(directory, "three.jsonl"), "");
    expect(runCli(directory, ["analyze", "three.jsonl"]).status).toBe(3);
  });

  it("sql prints a table, CSV and JSON, also from standard input", () => {
    const query = "select is_correct, count(*) as n from t group by 1 order by 1";
    const input = readFileSync(FIXTURE, "utf8");
    expect(runCli(directory, ["sql", query, "-"], { input }).out).toBe(
      `is_correct    n\nfalse       ${pandas.incorrect.count}\ntrue         ${pandas.correct.count}\n`,
    );
    expect(runCli(directory, ["sql", query, FIXTURE, "--csv"]).out).toBe(
      `is_correct,n\r\nfalse,${pandas.incorrect.count}\r\ntrue,${pandas.correct.count}\r\n`,
    );
    expect(JSON.parse(runCli(directory, ["sql", query, FIXTURE, "--json"]).out)).toMatchObject({
      schemaVersion: 1,
      kind: "sql",
      rows: [
        [false, pandas.incorrect.count],
        [true, pandas.correct.count],
      ],
    });
  });
});
