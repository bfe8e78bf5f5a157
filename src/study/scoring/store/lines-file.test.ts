import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FindingLog } from "../../../core/schema/findings.ts";
import { appendLines, type LinesForm, readLines, resumeLines } from "./lines-file.ts";

interface Line {
  readonly value: number;
}

const FORM: LinesForm<Line> = {
  said: ({ value }) => value,
  describeDamage: (count) => `${count} lines are damaged`,
  again: "made again",
  likely: "a full disk",
};

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-lines-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a file of lines", () => {
  it("has none before it is written, and none below a file that is no folder", async () => {
    const file = join(folder, "lines.jsonl");
    expect(await resumeLines(file, FORM, new FindingLog())).toEqual([]);
    appendLines(file, FORM, [{ value: 1 }, { value: 2 }]);
    expect(await readLines(file, FORM, new FindingLog())).toEqual([{ value: 1 }, { value: 2 }]);
    expect(await readLines(join(file, "below"), FORM, new FindingLog())).toEqual([]);
    expect(await readFile(file, "utf8")).toMatch(/^\{.*\}\n\{.*\}\n$/);
  });

  it.each([["resumed", resumeLines] as const, ["read", readLines] as const])(
    "is not taken for empty when it cannot be %s, so that no work is done twice",
    async (name, read) => {
      const file = join(folder, `${name}.jsonl`);
      // Reading a directory fails with EISDIR, as reading a bad disk fails with EIO.
      await mkdir(file);
      await expect(read(file, FORM, new FindingLog())).rejects.toMatchObject({
        _tag: "FileSystemError",
        at: { file },
      });
    },
  );
});
