import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { initKernels, mismatchKernel } from "./kernel.ts";
import { MISMATCH_WASM, SOURCE_SHA256 } from "./mismatch.generated.ts";
import { RECORD } from "./record-fields.ts";

it("embeds what was compiled from the source that is there", () => {
  const hash = createHash("sha256");
  for (const file of ["assembly/mismatch.ts", "record-fields.ts"])
    hash.update(readFileSync(new URL(file, import.meta.url)));
  expect(SOURCE_SHA256, "run npm run build:wasm").toBe(hash.digest("hex"));
});

it("stays below the 8 kB that browsers load without a second thought", () => {
  expect(atob(MISMATCH_WASM).length).toBeLessThan(8192);
});

it("initialises without blocking and agrees with its driver about the record", async () => {
  expect(await initKernels()).toBe(true);
  const kernel = mismatchKernel()!;
  kernel.offsetsIn.set([0, 2]);
  kernel.maskIn.set([1, 1]);
  kernel.rolloutIn.set([-1, -2]);
  kernel.trainerIn.set([-2, -2]);
  expect(kernel.compact(1, 0, 1, 0)).toBe(1);
  kernel.accumulate();
  expect([...kernel.records.subarray(0, 7)]).toEqual([2, -1, 1, 0, -1, 0, 1]);
  expect([...kernel.records.subarray(15, RECORD - 1)]).toEqual([-3, -4, -1, 0]);
});
