/** What `sql` must not do to the machine, to a spreadsheet or to a terminal. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { requireBuild, runCli } from "./support/run-cli.ts";

let dir: string;
beforeAll(() => {
  requireBuild();
  dir = mkdtempSync(join(tmpdir(), "sql-limits-"));
});
afterAll(() => rmSync(dir, { recursive: true }));

it("stops a query that does not end, says what to try, and leaves no temporary file", () => {
  writeFileSync(join(dir, "log.jsonl"), '{"a": 1}\n');
  const endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r";
  const { status, out, err } = runCli(dir, ["sql", endless, "log.jsonl", "--timeout", "1"], {
    env: { TMPDIR: dir },
  });
  expect([status, out]).toEqual([3, ""]);
  expect(err).toMatch(/^error: the query was stopped: it took longer than 1 s\n/);
  expect(err).toContain("--timeout 3600");
  const wrong = runCli(dir, ["sql", "select 1", "log.jsonl", "--timeout", "soon"]);
  expect(wrong.status).toBe(2);
});

it("writes CSV that a spreadsheet does not run; numbers stay numbers", () => {
  const cells = ["=1+1", "+cmd", "-0.5", "@sum", "\\ttab", "-1e-7", "plain", "+"];
  writeFileSync(join(dir, "cells.jsonl"), cells.map((text) => `{"x": "${text}"}\n`).join(""));
  const { out } = runCli(dir, ["sql", "select x, -0.25 as y from t", "cells.jsonl", "--csv"]);
  expect(out.split("\r\n")).toEqual([
    "x,y",
    "'=1+1,-0.25",
    "'+cmd,-0.25",
    "-0.5,-0.25",
    "'@sum,-0.25",
    "'\ttab,-0.25",
    "-1e-7,-0.25",
    "plain,-0.25",
    "'+,-0.25",
    "",
  ]);
});

it("writes names from files out, in --explain and in messages", () => {
  const row = '{"lp_rollout": [-1, -2], "lp_trainer": [-1.1, -2.1], "m": [1, 1], "\\u001b[2J": 1}\n';
  writeFileSync(join(dir, "a\u001b[31m.jsonl"), row);
  const columns = ["--rollout", "lp_rollout", "--trainer", "lp_trainer", "--mask", "m"];
  const { status, out, err } = runCli(dir, ["report", "a\u001b[31m.jsonl", ...columns, "--explain"]);
  expect(status).toBe(0);
  expect(err).toContain("a\\x1b[31m.jsonl");
  expect(out + err).not.toContain("\u001b");
  expect(runCli(dir, ["report", "--\u001b[2J"]).err).not.toContain("\u001b");
});
