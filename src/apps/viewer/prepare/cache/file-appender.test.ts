import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { FileAppender } from "./file-appender.ts";

/** Around the piece that is written at once, and far beyond it. */
const SIZES = [3, 700_000, 348_573, 0, 1, 1_048_576, 5_000_000, 12, 1_310_720, 1_310_721, 40];

it("writes what was appended, whatever comes while a piece is written", async () => {
  const directory = mkdtempSync(join(tmpdir(), "appender-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "file");
  const file = await FileAppender.create(path);
  const parts = SIZES.map((size, i) => Buffer.alloc(size, i + 1));
  let written = Promise.resolve();
  for (const [i, part] of parts.entries()) {
    if (i % 2 === 0) file.append(part);
    else file.reserve(part.length).set(part);
    part.fill(0);
    if (!file.isFull) continue;
    await written;
    written = file.drain();
  }
  await written;
  await file.drain();
  const wanted = Buffer.concat(SIZES.map((size, i) => Buffer.alloc(size, i + 1)));
  expect(file.length).toBe(wanted.length);
  expect(file.seal()).toEqual({
    bytes: wanted.length,
    sha256: createHash("sha256").update(wanted).digest("hex"),
    grows: true,
  });
  await file.close();
  expect(readFileSync(path).equals(wanted)).toBe(true);
});
