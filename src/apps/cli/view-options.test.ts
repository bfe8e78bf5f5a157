import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkViewOptions } from "./view-options.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "view-options"));
  await mkdir(join(folder, "step=10"));
});
afterAll(() => rm(folder, { recursive: true }));

const compare = (...values: readonly string[]) => checkViewOptions(["a"], { compare: values }).compare;

it("takes paths without a name as the parts of one run, and each name as a run", () => {
  expect(compare("b1", "b2")).toEqual([{ paths: ["b1", "b2"] }]);
  expect(compare("fp8=b1", "int4=c", "fp8=b2")).toEqual([
    { label: "fp8", paths: ["b1", "b2"] },
    { label: "int4", paths: ["c"] },
  ]);
  expect(compare("b", "fp8=c", "d")).toEqual([{ paths: ["b", "d"] }, { label: "fp8", paths: ["c"] }]);
  expect(checkViewOptions(["a"], {}).compare).toBeUndefined();
});

it("takes no part of a path or an address for a name", () => {
  const there = join(folder, "step=10");
  for (const path of [there, "./x=y/z", "s3://bucket/run?v=1", "x=", "=x"])
    expect(compare(path)).toEqual([{ paths: [path] }]);
  expect(compare("fp8=s3://bucket/run=2/")).toEqual([{ label: "fp8", paths: ["s3://bucket/run=2/"] }]);
});

it("refuses to read standard input twice, and to follow what is compared", () => {
  const check = (paths: readonly string[], options: Parameters<typeof checkViewOptions>[1]) => () =>
    checkViewOptions(paths, options);
  expect(check(["-"], { compare: ["fp8=-"] })).toThrow("standard input can be read only once");
  expect(check(["a"], { compare: ["fp8=-", "int4=-"] })).toThrow("standard input can be read only once");
  expect(check(["a"], { compare: ["fp8=-"] })).not.toThrow();
  expect(check(["a"], { compare: ["b"], follow: true })).toThrow("--follow and --compare cannot be combined");
  expect(check(["a"], { compareTokenizer: "t" })).toThrow("--compare-tokenizer needs --compare");
});
