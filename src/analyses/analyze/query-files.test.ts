import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { queryFiles } from "./query-files.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "logratio-query-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const FIXTURES = fileURLToPath(new URL("../../../test/fixtures", import.meta.url));
const FIXTURE = join(FIXTURES, "analyze/divergence.jsonl");

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
    const file = join(FIXTURES, "parquet");
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

describe("the tables of queryFiles", () => {
  const write = (name: string, content: string | Uint8Array): string => {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };
  const listTables = async (files: readonly string[], stdin?: AsyncIterable<Uint8Array>) => {
    const { tables } = await queryFiles("select 1", files, { ...(stdin && { stdin }) });
    return tables.map(({ name }) => name);
  };

  it("are named as their files, as SQL can write it without quotes, each once", async () => {
    const names = ["a b.jsonl.gz", "x/a-b.csv", "A b.2.ndjson", "7 days.csv", "日本.csv", ".csv"];
    const files = names.map((name) =>
      write(name, name.endsWith("gz") ? gzipSync('{"a": 1}') : /json/.test(name) ? '{"a": 1}' : "a\n1\n"),
    );
    const wanted = ["a_b", "a_b_2", "A_b_3", "_7_days", "日本", "file"];
    expect(await listTables([...files, files[0]!])).toEqual(wanted);
    for (const name of wanted) {
      const { rows } = await queryFiles(`select a from ${name}`, files);
      expect(rows).toEqual([[1]]);
    }
  });

  it("include standard input, read as JSONL", async () => {
    async function* stdin() {
      yield Buffer.from('{"n": 3}\n');
    }
    expect(await listTables(["-"], stdin())).toEqual(["stdin"]);
    const { rows } = await queryFiles("select n from stdin", ["-"], { stdin: stdin() });
    expect(rows).toEqual([[3]]);
  });

  it("may be named t, in any case: no other is t then", async () => {
    const [first, own] = [write("first.csv", "a\n1\n"), write("T.csv", "a\n2\n")];
    expect((await queryFiles("select a from t", [first, own])).rows).toEqual([[2]]);
    await expect(queryFiles("select b from t", [first, own])).rejects.toMatchObject({
      hint: `Tables:\nfirst is ${first}: a\nT is ${own}: a`,
    });
    await expect(queryFiles("select b from t", [own, first])).rejects.toMatchObject({
      hint: `Tables:\nT is ${own}: a\nfirst is ${first}: a`,
    });
    await expect(queryFiles("select b from t", [first])).rejects.toMatchObject({
      hint: `Tables:\nfirst (also t) is ${first}: a`,
    });
  });

  it("are read by content: objects as JSONL whatever the name, and what is called JSONL only as such", async () => {
    const marked = write("marked.txt", '\ufeff \n {"a": 1}\n');
    expect((await queryFiles("select * from t", [marked])).rows).toEqual([[1]]);
    for (const name of ["list.jsonl", "list.ndjson.1"])
      await expect(queryFiles("select 1", [write(name, "[1, 2]\n")])).rejects.toMatchObject({
        _tag: "SchemaError",
        message: expect.stringContaining("holds no JSON objects, one a line"),
      });
    const [parquet = ""] = readdirSync(join(FIXTURES, "parquet")).filter((each) => each.endsWith(".parquet"));
    const renamed = write("renamed.csv", readFileSync(join(FIXTURES, "parquet", parquet)));
    expect((await queryFiles("select count(*) from t", [renamed])).rows[0]![0]).toBeGreaterThan(0);
    await expect(queryFiles("select 1", [write("bad.parquet", "PAR1 and no more")])).rejects.toMatchObject({
      _tag: "FormatError",
      message: expect.stringMatching(/^parquet cannot be read: (?!.* Error: )/),
    });
  });

  it("show no line numbers, and the lines that are left out are told", async () => {
    const log = write("torn.jsonl", '{"a": 1}\n{"a"');
    const { columns, findings } = await queryFiles("from t", [log]);
    expect(columns).toEqual([{ name: "a", type: "BIGINT" }]);
    expect(findings).toMatchObject([{ code: "partial-line", at: { line: 2 } }]);
  });

  it("join, also from several files that are not JSONL", async () => {
    const [one, two] = [write("one.csv", "a\n1\n"), write("two.csv", "a,b\n1,x\n")];
    expect((await queryFiles("select b from one join two using (a)", [one, two])).rows).toEqual([["x"]]);
  });
});

it("queryFiles gives integers as numbers where a double holds them, else as text, and structures as JSON", async () => {
  const sql = "select 9007199254740991, 9007199254740993, -9007199254740993, [1, 2::BIGINT], {'a': null}";
  const { rows } = await queryFiles(sql, []);
  expect(rows).toEqual([[9007199254740991, "9007199254740993", "-9007199254740993", [1, 2], { a: null }]]);
});

it("queryFiles stops a query that takes longer than it may, and none that does not", async () => {
  const endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r";
  await expect(queryFiles(endless, [], { timeLimit: 100 })).rejects.toMatchObject({
    _tag: "LimitError",
    message: "the query was stopped: it took longer than 0.1 s",
  });
  expect((await queryFiles("select 1", [], { timeLimit: 60_000 })).rows).toEqual([[1]]);
  // DuckDB computes constants while it checks a query.
  for (const slow of ["len(range(5000000))", "len(range(5000000)) + ?"])
    await expect(queryFiles(`select ${slow}`, [], { timeLimit: 100 })).rejects.toMatchObject({
      _tag: "LimitError",
    });
}, 30_000);

it("queryFiles says once that memory is too little", async () => {
  const sql = "select list(r) from range(100000000) t(r)";
  await expect(queryFiles(sql, [], { memoryLimit: 2 ** 25, spillLimit: 0 })).rejects.toMatchObject({
    _tag: "LimitError",
    message: expect.stringMatching(/^the tables need more memory than their limit: (?!the tables)/),
  });
});

it("queryFiles says in one line what is wrong with a query, and which columns there are", async () => {
  const csv = join(directory, "columns.csv");
  writeFileSync(csv, "alpha,beta\n1,2\n");
  const fails = (sql: string) => queryFiles(sql, [csv]).catch((error: Error) => error.message);
  const message = await fails("select alpa from t");
  expect(message).toMatch(/^the query cannot be used: Referenced column "alpa" not found/);
  expect(message).toContain('"alpha"');
  expect(message).not.toContain("\n");
  expect(await fails("selec")).toMatch(/^the query cannot be used: syntax error/);
  expect(await fails("select ?")).toBe("the query has a placeholder (? or $), for which there is no value");
  // What shows only when it runs, too.
  expect(await fails("select cast('x' as integer)")).toMatch(/^the query cannot be used: Could not convert/);
});
