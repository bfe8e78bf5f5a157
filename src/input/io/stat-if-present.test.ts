import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { statIfPresent } from "./stat-if-present.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "logratio-stat-"));
  writeFileSync(join(directory, "file"), "four");
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe("statIfPresent", () => {
  it("gives what is there", async () => {
    expect((await statIfPresent(join(directory, "file")))?.size).toBe(4);
    expect((await statIfPresent(directory))?.isDirectory()).toBe(true);
  });

  it("gives nothing where nothing is, below a file too", async () => {
    expect(await statIfPresent(join(directory, "none"))).toBeUndefined();
    expect(await statIfPresent(join(directory, "file", "below"))).toBeUndefined();
  });

  it("does not take for absent what cannot be looked at", async () => {
    symlinkSync("loop", join(directory, "loop"));
    await expect(statIfPresent(join(directory, "loop"))).rejects.toMatchObject({
      _tag: "FileSystemError",
      message: expect.stringContaining("ELOOP"),
    });
  });

  it.skipIf(process.getuid?.() === 0)("nor what permissions hide (not as root, who sees all)", async () => {
    const locked = join(directory, "locked");
    mkdirSync(locked);
    chmodSync(locked, 0);
    await expect(statIfPresent(join(locked, "file"))).rejects.toMatchObject({
      _tag: "FileSystemError",
      message: expect.stringContaining("EACCES"),
    });
  });
});
