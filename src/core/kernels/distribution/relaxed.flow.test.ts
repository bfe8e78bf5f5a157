// All tests of the distribution kernel, run on its build with relaxed SIMD. Node 20 has that behind a flag, so there the
// other files test the build without it.
import { setFlagsFromString } from "node:v8";
import { expect, it } from "vitest";
import { distributionKernel } from "../wasm/distribution-kernel.ts";

if (process.versions.v8.startsWith("11.3.")) setFlagsFromString("--experimental-wasm-relaxed-simd");

it("runs the build with relaxed SIMD", () => {
  expect(distributionKernel()?.exports.RELAXED.value).toBe(1);
});

await import("./distribution.test.ts");
await import("./exact.test.ts");
