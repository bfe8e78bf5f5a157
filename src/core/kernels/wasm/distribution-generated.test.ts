import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { initKernels } from "../init.ts";
import * as plain from "./distribution.generated.ts";
import { distributionKernel } from "./distribution-kernel.ts";
import * as relaxed from "./distribution-relaxed.generated.ts";

it("embeds what was compiled from the source that is there", () => {
  const hash = createHash("sha256");
  for (const file of [
    "distribution",
    "distribution-row",
    "distribution-pair",
    "vectors",
    "../distribution-fields",
  ])
    hash.update(readFileSync(new URL(`assembly/${file}.ts`, import.meta.url)));
  const sha256 = hash.digest("hex");
  expect(plain.SOURCE_SHA256, "run npm run build:wasm").toBe(sha256);
  expect(relaxed.SOURCE_SHA256, "run npm run build:wasm").toBe(sha256);
});

it("stays below the 8 kB that browsers load without a second thought", () => {
  expect(atob(plain.DISTRIBUTION_WASM).length).toBeLessThan(8192);
  expect(atob(relaxed.DISTRIBUTION_RELAXED_WASM).length).toBeLessThan(8192);
});

it("initialises without blocking", async () => {
  expect(await initKernels()).toBe(true);
  expect(distributionKernel()).toBeDefined();
});

it("takes memory for the widest row, and no more for more of them", () => {
  const kernel = distributionKernel()!;
  kernel.reserve(300_000, 20);
  const bytes = kernel.views().float32.byteLength;
  expect(bytes).toBeLessThan(16 * 300_000);
  kernel.reserve(1000, 5);
  expect(kernel.views().float32.byteLength).toBe(bytes);
});
