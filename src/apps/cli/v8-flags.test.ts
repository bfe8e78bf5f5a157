import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { v8Flags } from "./v8-flags.ts";

test("this V8 takes its flags", () => {
  const flags = v8Flags(process.versions.v8);
  // Node ends with status 9 where V8 does not know a flag.
  expect(execFileSync(process.execPath, [...flags, "--print", "1"], { encoding: "utf8" })).toBe("1\n");
});

test("an unknown V8 gets no flag", () => {
  expect(v8Flags("11.3.244.8-node.38", { plainLoops: true })).toEqual([
    expect.stringMatching(/^--interrupt-budget=\d+$/),
    "--experimental-wasm-relaxed-simd",
  ]);
  expect(v8Flags("11.30.1")).toEqual([]);
  expect(v8Flags("11.30.1", { plainLoops: true })).toEqual([]);
});

test("V8 inlines less where the loops are in kernels", () => {
  const [plain, kernels] = [true, false].map((plainLoops) => v8Flags("12.4.254", { plainLoops }));
  expect(kernels).toEqual([...plain!, expect.stringMatching(/^--max-inlined-bytecode-size-cumulative=\d+$/)]);
});
