import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { initKernels } from "../init.ts";
import { SOURCE_SHA256, TOKENS_WASM } from "./tokens.generated.ts";
import { tokensKernel } from "./tokens-kernel.ts";

it("embeds what was compiled from the source that is there", () => {
  const source = readFileSync(new URL("assembly/tokens.ts", import.meta.url));
  expect(SOURCE_SHA256, "run npm run build:wasm").toBe(createHash("sha256").update(source).digest("hex"));
});

it("stays below the 8 kB that browsers load without a second thought", () => {
  expect(atob(TOKENS_WASM).length).toBeLessThan(8192);
});

it("initialises without blocking", async () => {
  expect(await initKernels()).toBe(true);
  expect(tokensKernel()).toBeDefined();
});
