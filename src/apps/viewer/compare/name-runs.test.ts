import { expect, test } from "vitest";
import { nameRuns } from "./name-runs.ts";

const run = (name: string, ...paths: readonly string[]) => ({ name, input: { paths, flags: [] } });

test("runs with names of their own keep them", () => {
  expect(nameRuns(run("int8", "x/int8"), run("stale", "x/stale"))).toEqual({ a: "int8", b: "stale" });
});

test("two files of one folder are called by their own names", () => {
  expect(nameRuns(run("audit", "/x/audit/a.jsonl"), run("audit", "/x/audit/b.jsonl"))).toEqual({
    a: "a.jsonl",
    b: "b.jsonl",
  });
});

test("as much of the paths is said as tells them apart", () => {
  const [a, b] = [run("exp", "exp/seed-1/dumps/"), run("exp", "exp/seed-2/dumps", "exp/seed-3/dumps")];
  expect(nameRuns(a, b)).toEqual({ a: "seed-1/dumps", b: "seed-2/dumps and 1 more" });
});

test("a run beside itself is A and B", () => {
  expect(nameRuns(run("demo", "./demo"), run("demo", "demo"))).toEqual({ a: "demo (A)", b: "demo (B)" });
});
