import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SOURCE_SHA256 } from "./shifts.generated.ts";
import { shiftsKernel } from "./shifts-kernel.ts";

it("embeds what was compiled from the source that is there", () => {
  const source = readFileSync(new URL("assembly/shifts.ts", import.meta.url));
  expect(SOURCE_SHA256, "run npm run build:wasm").toBe(createHash("sha256").update(source).digest("hex"));
});

it("runs here", () => {
  expect(shiftsKernel()).toBeDefined();
});
