import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { digestFiles } from "./compare-inputs.ts";

it("digests all of a file, however large, and nothing that is no file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "digests-"));
  try {
    const contents = [0, 5, 2 ** 20, 2_500_000].map((length) =>
      Uint8Array.from({ length }, (_, i) => (i * i) % 251),
    );
    const files = contents.map((_, i) => join(folder, `${i}.bin`));
    await Promise.all(files.map((file, i) => writeFile(file, contents[i]!)));
    expect(await digestFiles([...files, folder, "-"])).toEqual([
      ...contents.map((bytes) => createHash("sha256").update(bytes).digest("hex")),
      null,
      null,
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
