import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seededRandom } from "../../../core/statistics/random.ts";
import type { CompareReport } from "../../../results/compare.ts";
import { EXIT } from "../exit-status.ts";
import { type Captured, captured } from "./captured.test-data.ts";
import { type CompareOptions, compare } from "./compare.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "compare-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Row = Readonly<Record<string, unknown>> & { readonly rollout_logprobs: readonly number[] };

function drawRows(count: number): Row[] {
  const random = seededRandom(4);
  return Array.from({ length: count }, (_, i) => {
    const logprobs = Array.from({ length: 8 }, () => Math.fround(Math.log(1 - random())));
    return {
      step: 1 + (i % 2),
      row: i,
      sample_id: `s${i}`,
      group_id: `g${i}`,
      response_token_ids: Array.from({ length: 8 }, () => Math.floor(1000 * random())),
      rollout_logprobs: logprobs,
      trainer_logprobs: logprobs,
      finish_reason: "stop",
      rollout_software: "vllm 0.11.0",
    };
  });
}

function write(name: string, rows: readonly Row[]): string {
  mkdirSync(join(folder, name), { recursive: true });
  const path = join(folder, name, "run.jsonl");
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  utimesSync(path, 0, Date.UTC(2026, 4, 6) / 1000);
  return path;
}

const ROWS = drawRows(12);
const shifted = (by: number): Row[] =>
  ROWS.map((row) => ({ ...row, rollout_logprobs: row.rollout_logprobs.map((value) => value + by) }));

const run = (paths: readonly string[], options: CompareOptions = {}): Promise<Captured> =>
  captured((terminal) => compare(paths, options, terminal));

async function readReport(paths: readonly string[], options: CompareOptions = {}): Promise<CompareReport> {
  return JSON.parse((await run(paths, { ...options, json: true })).out) as CompareReport;
}

describe("compare", () => {
  it("of two equal sources certifies both columns, with digests and the day of the files", async () => {
    const [a, b] = [write("a", ROWS), write("b", [...ROWS].reverse())];
    const { status, out } = await run([a, b], { json: true, by: "CI" });
    const report = JSON.parse(out) as CompareReport;
    expect(status).toBe(EXIT.fine);
    expect(report).toMatchObject({
      schemaVersion: 1,
      kind: "compare",
      mode: "paired",
      certificate: "equal",
      by: "CI",
      date: "2026-05-06",
      test: { within: 0.01, alpha: 0.05, unit: "prompt", clusters_least: 10 },
    });
    expect(report.columns.map(({ a_column }) => a_column)).toEqual(["rollout", "trainer"]);
    const digest = createHash("sha256").update(readFileSync(a)).digest("hex");
    expect(report.a.inputs).toMatchObject([
      { file: a, sha256: digest, modified: "2026-05-06T00:00:00.000Z" },
    ]);
    expect(report.a.facts).toEqual(["rollout software: vllm 0.11.0"]);
    expect(report.caveats).not.toContain("A and B are the same files, so they agree whatever they contain.");
    expect((await readReport([a, write("copy", ROWS)])).caveats[0]).toBe(
      "A and B are the same files, so they agree whatever they contain.",
    );
    expect((await readReport([a, b], { digests: false, date: "v2" })).a.inputs[0]!.sha256).toBeNull();
    expect((await readReport([a, b], { date: "v2" })).date).toBe("v2");
  });

  it("ends with 1 where agreement is not shown, and with 0 where it is", async () => {
    const a = write("a", ROWS);
    const statusOf = async (by: number, options: CompareOptions = {}): Promise<number> =>
      (await run([a, write("other", shifted(by))], { column: "rollout", ...options })).status;
    expect(await statusOf(-0.5)).toBe(EXIT.checkFailed);
    expect(await statusOf(-0.0004)).toBe(EXIT.fine);
    expect(await statusOf(-0.001, { within: "0" })).toBe(EXIT.checkFailed);
    expect(await statusOf(-0.5, { within: "10" })).toBe(EXIT.fine);
    const few = write("few", ROWS.slice(0, 5));
    const undecided = await run([few, write("few-b", shifted(-0.001).slice(0, 5))], { column: "rollout" });
    expect([undecided.status, undecided.out.includes("△ UNDECIDABLE")]).toEqual([EXIT.checkFailed, true]);
  });

  it("with inputs that cannot be read ends with 4 where a certificate is granted, and says what", async () => {
    const a = write("a", ROWS);
    const broken = write("broken", ROWS);
    writeFileSync(
      broken,
      `${readFileSync(broken, "utf8")}{"rollout_logprobs": [-1], "trainer_logprobs": [-1, -2]}\n`,
    );
    const { status, out } = await run([a, broken]);
    expect(status).toBe(EXIT.skipped);
    expect(out).toContain("1 row cannot be read");
  });

  it("of one path compares its two columns", async () => {
    const { mode, certificate, columns } = await readReport([write("one", shifted(-0.25))]);
    expect([mode, certificate]).toEqual(["columns", "different"]);
    expect(columns[0]!.metrics.delta_mean).toBeCloseTo(0.25, 6);
  });

  it("takes several files for a side", async () => {
    const [a1, a2] = [write("a1", ROWS.slice(0, 6)), write("a2", ROWS.slice(6))];
    const b = write("b", ROWS);
    expect((await readReport([a1, a2], { to: [b] })).metrics).toMatchObject({ sequences: 12, unequal: 0 });
    await expect(run([a1, a2, b])).rejects.toThrow("3 paths do not say which belong to A and which to B");
  });

  it("writes the certificate as a page, as Markdown and for terminals, each with all that it rests on", async () => {
    const [a, b] = [write("a", ROWS), write("b", shifted(-0.5))];
    const html = join(folder, "certificate.html");
    const options = { column: "rollout", by: "release team <ci>" };
    const { out, err } = await run([a, b], { ...options, html });
    expect(err).toContain("certificate.html");
    expect(out).toContain("▲ DIFFERENT  Mean |Δ| is 0.500 nats, and above 0.500 nats with 95 % confidence");
    expect(out).toMatch(/first +s1\.q0\.t0, turn 0/);
    expect(out).toContain("logratio doctor");
    const page = readFileSync(html, "utf8");
    for (const part of [
      "DIFFERENT",
      "sha256",
      "release team &lt;ci&gt;",
      "two one-sided tests",
      "2026-05-06",
    ])
      expect(page).toContain(part);
    expect(page).toContain(createHash("sha256").update(readFileSync(a)).digest("hex"));
    // It may be written again over itself, and never over an input.
    await run([a, b], { ...options, html });
    await expect(run([a, b], { html: a })).rejects.toThrow();
    const markdown = (await run([a, b], { ...options, markdown: true })).out;
    expect(markdown).toContain("### Comparison of `a and b`: different");
    expect(markdown).toContain("logratio compare");
    expect(markdown).toContain("Units in the last place");
  });

  it.each([
    [["--x"], { json: true, markdown: true }, "--json and --markdown cannot be combined"],
    [["a", "b"], { within: "much" }, '--within must be a number, not "much"'],
    [["a", "b"], { within: "-1" }, '--within must be a number of nats from 0 on, not "-1"'],
    [["a", "b"], { alpha: "0.7" }, '--alpha must be a number between 0 and 0.5, not "0.7"'],
    [["a", "b"], { column: "a,b,c" }, '--column must be NAME or NAME_OF_A,NAME_OF_B, not "a,b,c"'],
    [["a"], { unpaired: true }, "comparing runs needs two runs, and one was given"],
  ] as const)("refuses %o %o", async (paths, options, message) => {
    await expect(run(paths, options)).rejects.toThrow(message);
  });
});
