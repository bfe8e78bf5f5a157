import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyzeLog } from "./analyze-log.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "logratio-sources-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("sources", () => {
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  const good = '{"prob_divergence": 0.9}\n';

  it("are listed with what each gave, and the log is named by one, or their number", async () => {
    const [one, two] = [write("one.jsonl", `${good}x\n{"a": 1}\n{"b": 1}\n`), write("two.jsonl", good)];
    const both = await analyzeLog([one, two]);
    expect(both.log).toBe("2 logs");
    expect(both.metrics).toMatchObject({ records: 2, lines_skipped: 3, files: 2 });
    expect(both.sources).toEqual([
      { file: one, bytes: 45, records: 1, torn: 1, foreign: 2 },
      { file: two, bytes: good.length, records: 1, torn: 0, foreign: 0 },
    ]);
    expect((await analyzeLog([two])).log).toBe(two);
    async function* stdin() {
      yield Buffer.from(good);
    }
    const { sources } = await analyzeLog(["-"], { stdin: stdin() });
    expect(sources).toEqual([{ file: "-", bytes: null, records: 1, torn: 0, foreign: 0 }]);
  });

  it("with a divergence that no probabilities have: the record is left out and named", async () => {
    const values = [0.5, 0.75, 8.5e299, -0.2, 1.5, 1.000_000_1];
    const lines = values.map((value) => `{"prob_divergence": ${value}, "iteration": 1}\n`);
    const { metrics, sources, findings } = await analyzeLog([write("huge.jsonl", lines.join(""))]);
    expect(metrics.records).toBe(3);
    expect(metrics.divergence_mean).toBeCloseTo((0.5 + 0.75 + 1.000_000_1) / 3, 9);
    expect(sources).toMatchObject([{ records: 3, foreign: 3 }]);
    expect(findings[0]).toMatchObject({ severity: "skipped", count: 3, at: { line: 3 } });
    expect(findings[0]!.message).toContain("prob_divergence is 8.5e+299, and a difference of two");
  });

  it("with probabilities and shares beyond their range: they count as missing, and a finding says so", async () => {
    const odd = [{ rollout_prob: 1e300 }, { rollout_prob: -0.5 }, { rollout_prob: 0.5 }];
    const lines = odd.map((more) => `${JSON.stringify({ prob_divergence: 0.9, iteration: 1, ...more })}\n`);
    const { findings } = await analyzeLog([write("shares.jsonl", lines.join(""))]);
    expect(findings).toMatchObject([{ code: "bad-row", severity: "warning", count: 2, at: { line: 1 } }]);
    expect(findings[0]!.message).toBe(
      "rollout_prob is not a number from 0 to 1 in 2 records, and counts as missing there",
    );
  });

  it("without a record are refused: how many lines they have, and what is wrong with the first", async () => {
    const refused = (...paths: string[]) => analyzeLog(paths).then(String, (error: Error) => error);
    const [empty, odd] = [
      write("empty.jsonl", "\n"),
      write("odd.jsonl", '\n{"a": 1}\n{"prob_divergence": null}'),
    ];
    expect(await refused(odd, empty)).toMatchObject({
      message: "none of 2 lines is a record of a high-divergence log: no prob_divergence",
      at: { file: odd, line: 2 },
      likely: "this is another kind of file",
    });
    expect(await refused(write("torn.jsonl", "x"), odd)).toMatchObject({ message: /none of 3 lines is/ });
    expect(await refused(write("single.jsonl", '{"prob_divergence": null}'))).toMatchObject({
      message: "none of 1 line is a record of a high-divergence log: prob_divergence is missing or NaN",
    });
    expect(await refused(write("text.jsonl", '{"prob_divergence": "1"}'))).toMatchObject({
      message: /: prob_divergence is not a finite number$/,
    });
    expect(await refused(empty, write("blank.jsonl", " \n \n"))).toMatchObject({
      message: `no records in ${empty}, ${join(directory, "blank.jsonl")}`,
      at: { file: empty },
    });
    expect(await refused(write("damaged.jsonl.gz", gzipSync(good).subarray(0, 12)))).toMatchObject({
      _tag: expect.not.stringMatching("EmptyInputError"),
    });
  });

  it("may hold a record more than once: each is counted once, across files too", async () => {
    const line = (id: unknown) => JSON.stringify({ prob_divergence: 0.9, record_id: id });
    const one = write(
      "a.jsonl",
      [line("x"), line("y"), line("x"), line(""), line(""), line(3), line(3)].join("\n"),
    );
    const { metrics, findings } = await analyzeLog([
      one,
      write("b.jsonl", [line("y"), line("z")].join("\n")),
    ]);
    expect(metrics.records).toBe(7);
    expect(findings).toMatchObject([
      {
        code: "duplicate",
        count: 2,
        message: "2 records occur more than once, by record_id, and are counted once",
      },
    ]);
    const { findings: first } = await analyzeLog([one]);
    expect(first.map(({ message }) => message)).toEqual([
      "1 record occurs more than once, by record_id, and is counted once",
    ]);
  });

  it("that are left out are named by line, eight in words, and the rest counted", async () => {
    const many = write("many.jsonl", `${good}${"x\n".repeat(9)}{"a": 1}\n`);
    const { findings } = await analyzeLog([many]);
    const named = Array.from({ length: 8 }, (_, at) => `${at + 2}: not JSON`).join("; line ");
    expect(findings.map(({ message }) => message)).toEqual([
      `9 lines hold no whole record and are left out (line ${named}, and 1 more)`,
      "1 line holds a record of something else and is left out (line 11: no prob_divergence)",
    ]);
    expect(findings.map(({ code }) => code)).toEqual(["bad-row", "bad-row"]);
    const middle = await analyzeLog([write("middle.jsonl", `{"a\n${good.trim()}`)]);
    expect(middle.findings.map(({ code }) => code)).toEqual(["bad-row"]);
    const twice = await analyzeLog([write("twice.jsonl", `{"a\n${good}{"a`)]);
    expect(twice.findings.map(({ code, count: n }) => [code, n])).toEqual([["bad-row", 2]]);
  });

  it("in a directory end as logs do; one without is refused", async () => {
    const empty = mkdtempSync(join(directory, "empty-"));
    writeFileSync(join(empty, "a.jsonl.gz.old"), good);
    writeFileSync(join(empty, "jsonl"), good);
    await expect(analyzeLog([empty])).rejects.toMatchObject({
      _tag: "EmptyInputError",
      message: `no log in the directory ${empty}`,
    });
    for (const name of ["b.NDJSON", "a.jsonl.12"]) writeFileSync(join(empty, name), good);
    const { sources } = await analyzeLog([empty, join(empty, "jsonl")]);
    expect(sources.map(({ file }) => file)).toEqual(
      ["a.jsonl.12", "b.NDJSON", "jsonl"].map((name) => join(empty, name)),
    );
    await expect(analyzeLog([join(empty, "nowhere.jsonl")])).rejects.toMatchObject({ _tag: "NotFoundError" });
  });

  it("of more fields than the table has room for are read without the rest, which is told", async () => {
    const wide = Object.fromEntries(Array.from({ length: 1005 }, (_, at) => [`f${at}`, at]));
    const path = write("wide.jsonl", JSON.stringify({ prob_divergence: 0.5, ...wide }));
    // With the file, the line and the divergence, 997 of them fit.
    const where = `true -- ${Object.keys(wide).join(" ")}`;
    const { findings, metrics } = await analyzeLog([path], { where });
    expect(metrics.records).toBe(1);
    expect(findings.map(({ severity, message }) => [severity, message])).toEqual([
      ["warning", "8 fields are not read: the table has room for 1000"],
    ]);
    expect((await analyzeLog([path])).findings).toEqual([]);
  });
});
