import { mkdir, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tokenClass } from "../../../core/base/token-class.ts";
import { turnOfMark } from "../../../core/kernels/turns.ts";
import type { SqlAnswer, SqlTables } from "../../../results/sql.ts";
import { decodeSequence, type WireSequence } from "../../../results/wire/sequence.ts";
import { textBetween } from "../../../results/wire/sequence-text.ts";
import { prepareRun } from "../prepare/cache/prepare-run.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { DEMO, DEMO_TOKENIZER, type Workspace, workspace } from "../prepare/made-run.test-data.ts";
import { startViewServer, type ViewServer } from "./start-server.ts";

let work: Workspace;
let run: PreparedRun;
let server: ViewServer;
let sequences: WireSequence[];
beforeAll(async () => {
  work = await workspace();
  await mkdir(work.path("page"));
  await writeFile(work.path("page/index.html"), "<!doctype html><title>page</title>");
  run = await prepareRun([DEMO], { tokenizer: DEMO_TOKENIZER, cache: work.path("cache") });
  server = await startViewServer(run, { page: work.path("page"), port: 0, token: false });
  sequences = [];
  for (let index = 0; index < run.info.sequences; index++)
    sequences.push(decodeSequence((await run.sequence(index))!));
});
afterAll(async () => {
  await server.close();
  await work.remove();
});

async function post(body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}api/sql`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
}

const ask = (sql: string): Promise<Response> => post(JSON.stringify({ sql }));

async function query(sql: string): Promise<SqlAnswer> {
  const answer = await ask(sql);
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as SqlAnswer;
}

describe("SQL over a run", () => {
  it("counts tokens and sums Δ as the sequences have them, what is missing left out", async () => {
    const { rows } = await query(
      "SELECT count(*), count(*) FILTER (own), sum(delta::DOUBLE) FILTER (own) FROM tokens",
    );
    let [all, own, sum] = [0, 0, 0];
    for (const { mask, rollout, trainer } of sequences) {
      for (let token = 0; token < mask.length; token++) {
        all++;
        if (mask[token] === 0) continue;
        own++;
        const delta = Math.fround(trainer[token]! - rollout[token]!);
        if (Number.isFinite(delta)) sum += delta;
      }
    }
    expect(rows[0]!.slice(0, 2)).toEqual([all, own]);
    expect(rows[0]![2]).toBeCloseTo(sum, 6);
    expect(own).toBe(run.info.tokens);
  });

  it("gives a token's handle, text, class and turn", async () => {
    const { rows } = await query(
      "SELECT handle, text, class, turn, sequence, position, token_id FROM tokens WHERE own ORDER BY abs(delta) DESC NULLS LAST LIMIT 1",
    );
    const [handle, text, kind, turn, at, position, id] = rows[0]!;
    expect(handle).toBe("s30.q48.t39");
    const sequence = sequences[at as number]!;
    const place = sequence.meta.promptLength + (position as number);
    const spelled = textBetween(sequence, place, place + 1);
    expect([text, kind]).toEqual([spelled, tokenClass(spelled, sequence.flags[place]!)]);
    expect(turn).toBe(turnOfMark(sequence.turnMarks[position as number]!));
    expect([`${sequence.meta.handle}.t${position}`, id]).toEqual([handle, sequence.ids[place]]);
  });

  it("joins the tables by sequence, and has texts", async () => {
    const { rows, columns } = await query(
      "SELECT s.handle, s.own_tokens, count(*) FILTER (t.own), x.response FROM sequences s JOIN tokens t USING (sequence) JOIN texts x USING (sequence) WHERE sequence = 5 GROUP BY ALL",
    );
    const { meta, ids, mask } = sequences[5]!;
    const own = mask.reduce((sum, value) => sum + (value === 0 ? 0 : 1), 0);
    expect(rows).toEqual([
      [meta.handle, own, own, textBetween(sequences[5]!, meta.promptLength, ids.length)],
    ]);
    expect(columns.map(({ type }) => type)).toEqual(["VARCHAR", "BIGINT", "BIGINT", "VARCHAR"]);
  });

  it("sends the first thousand rows, and says that there are more", async () => {
    const many = await query("SELECT * FROM tokens");
    expect([many.rows.length, many.more]).toEqual([1000, true]);
    const few = await query("FROM range(1000)");
    expect([few.rows.length, few.more]).toEqual([1000, false]);
    expect((await query("FROM range(1001)")).more).toBe(true);
  });

  it("cuts a long value, and the result where its values are too much together", async () => {
    const { rows } = await query("SELECT repeat('x', 1000000), [1, NULL], {'a': 1}");
    expect(rows[0]).toEqual([`${"x".repeat(10_000)}…`, "[1,null]", '{"a":1}']);
    const wide = await query("SELECT repeat('x', 10000) FROM range(1000)");
    expect(wide.more).toBe(true);
    expect(wide.rows.length).toBe(Math.floor(2 ** 23 / 10_000));
  });

  it("describes each column that the tables have, and runs each example", async () => {
    const help = (await (await fetch(`${server.url}api/sql`)).json()) as SqlTables;
    expect(help.tables.map(({ name }) => name)).toEqual(["sequences", "tokens", "texts"]);
    for (const { name, columns } of help.tables) {
      const { rows } = await query(`DESCRIBE ${name}`);
      expect(rows.map(([column, type]) => [column, type])).toEqual(
        columns.map(({ name: column, type }) => [column, type]),
      );
    }
    for (const { sql } of help.examples) expect((await query(sql)).rows.length).toBeGreaterThan(0);
    expect(help.limits).toContain("At most 1,000 rows");
  });
});

describe("SQL that is refused", () => {
  it.each([
    ["SELECT * FROM read_text('/etc/hostname')", /Cannot access file/],
    ["SELECT * FROM read_csv('/etc/passwd')", /Cannot access file/],
    ["SELECT * FROM '/etc/passwd'", /\S/],
    ["SELECT * FROM glob('/etc/*')", /Cannot access/],
    ["SELECT * FROM read_parquet('https://example.com/a.parquet')", /\S/],
    ["COPY sequences TO 'x.csv'", /COPY|Cannot access/],
    ["ATTACH '/tmp/x.db'", /not a query but ATTACH/],
    ["INSTALL httpfs", /not a query but/],
    ["LOAD httpfs", /not a query but/],
    ["SET enable_external_access = true", /not a query but SET/],
    ["PRAGMA memory_limit='100GB'", /not a query but/],
    ["CREATE TABLE x AS SELECT 1", /not a query but CREATE/],
    ["SELECT 1; SELECT 2", /2 statements/],
    ["EXPLAIN ANALYZE COPY (SELECT 1) TO 'x.csv'", /EXPLAIN|Cannot access/],
    ["SELECT nothing FROM sequences", /Referenced column "nothing" not found/],
    ["SELEC 1", /syntax error at or near "SELEC"/],
    ["", /is empty/],
  ])("%s", async (sql, message) => {
    const answer = await ask(sql);
    expect(answer.status).toBe(400);
    const said = await answer.text();
    expect(said).toMatch(message);
    expect(said).not.toContain(tmpdir());
  });

  it("is not asked by other sites, nor in other shapes", async () => {
    const sql = JSON.stringify({ sql: "SELECT 1" });
    expect((await post(sql, { origin: "https://example.com" })).status).toBe(403);
    expect((await post("{", {})).status).toBe(400);
    expect((await post("null", {})).status).toBe(400);
    expect((await post('{"sql": 1}', {})).status).toBe(400);
    expect((await post(JSON.stringify({ sql: "x".repeat(70_000) }))).status).toBe(413);
  });

  it("needs more memory than it may have", async () => {
    const answer = await ask("SELECT list(r) FROM range(200000000) t(r)");
    expect([400, 413]).toContain(answer.status);
    expect(await answer.text()).toMatch(/memory/i);
  });

  it("stops when whoever asked has gone, and answers the next", async () => {
    const gone = new AbortController();
    const endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r";
    const asked = fetch(`${server.url}api/sql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ sql: endless }),
      signal: gone.signal,
    });
    setTimeout(() => gone.abort(), 300);
    await expect(asked).rejects.toThrow();
    expect((await query("SELECT 1")).rows).toEqual([[1]]);
  });
});

it("leaves no file behind", async () => {
  // A directory of its own: others use that of the system meanwhile.
  const temporary = work.path("temporary");
  await mkdir(temporary);
  vi.stubEnv("TMPDIR", temporary);
  const own = await prepareRun([DEMO], { cache: work.path("cache-2") });
  expect((await own.sql("SELECT count(*) FROM tokens")).rows[0]![0]).toBeGreaterThan(0);
  expect(await readdir(temporary)).not.toEqual([]);
  await own.close();
  expect(await readdir(temporary)).toEqual([]);
  vi.unstubAllEnvs();
  // Without a tokenizer there is no table of texts.
  expect(own.info.has.texts).toBe(false);
});
