import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { optimizeLaterFlag } from "./optimize-later.ts";

test("this V8 takes its flag", () => {
  const flag = optimizeLaterFlag(process.versions.v8);
  const flags = flag === undefined ? [] : [flag];
  // Node ends with status 9 where V8 does not know a flag.
  expect(execFileSync(process.execPath, [...flags, "--print", "1"], { encoding: "utf8" })).toBe("1\n");
});

test("an unknown V8 gets no flag", () => {
  expect(optimizeLaterFlag("11.3.244.8-node.38")).toMatch(/^--interrupt-budget=\d+$/);
  expect(optimizeLaterFlag("11.30.1")).toBeUndefined();
});
