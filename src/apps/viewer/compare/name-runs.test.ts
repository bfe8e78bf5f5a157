import { expect, test } from "vitest";
import { nameRuns } from "./name-runs.ts";

const run = (name: string, ...paths: readonly string[]) => ({ name, input: { paths, flags: [] } });

test("runs with names of their own keep them", () => {
  expect(nameRuns([run("int8", "x/int8"), run("stale", "x/stale")])).toEqual(["int8", "stale"]);
});

test("files of one folder are called by their own names", () => {
  const paths = ["/x/audit/a.jsonl", "/x/audit/b.jsonl", "/x/audit/c.jsonl"];
  expect(nameRuns(paths.map((path) => run("audit", path)))).toEqual(["a.jsonl", "b.jsonl", "c.jsonl"]);
});

test("as much of the paths is said as tells them apart, and no more of those that need none", () => {
  const runs = [
    run("exp", "exp/seed-1/dumps/"),
    run("int8", "exp/int8"),
    run("exp", "exp/seed-2/dumps", "exp/seed-3/dumps"),
  ];
  expect(nameRuns(runs)).toEqual(["seed-1/dumps", "int8", "seed-2/dumps and 1 more"]);
});

test("a run beside itself goes by its place", () => {
  expect(nameRuns([run("demo", "./demo"), run("demo", "demo")])).toEqual(["demo (A)", "demo (B)"]);
});

test("a label is kept, also where a folder is called the same", () => {
  const labeled = { ...run("dumps", "a/dumps"), label: "fp8" };
  expect(nameRuns([labeled, run("dumps", "b/dumps")])).toEqual(["fp8", "dumps"]);
  expect(nameRuns([labeled, run("fp8", "b/fp8")])).toEqual(["fp8", "fp8 (B)"]);
});
