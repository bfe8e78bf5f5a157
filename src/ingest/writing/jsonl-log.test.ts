import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { appendJsonl, openJsonlLog } from "./jsonl-log.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "logratio-jsonl-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const folder = (): string => join(root, String(folders++));
const read = (path: string): string => readFileSync(path, "utf8");

describe("openJsonlLog", () => {
  it("makes the directory, appends, and counts", () => {
    const path = join(folder(), "deep", "log.jsonl");
    const log = openJsonlLog({ path });
    expect(log.files).toEqual([]);
    log.append(['{"a":1}', '{"a":2}']);
    log.append(['{"a":"é\\n"}']);
    expect(read(path)).toBe('{"a":1}\n{"a":2}\n{"a":"é\\n"}\n');
    expect(log.files).toEqual([{ file: path, lines: 3, repeated: 0, completedTornLine: false }]);
  });

  it("ends the torn last line of an earlier writer first, and says so", () => {
    const directory = folder();
    mkdirSync(directory);
    const path = join(directory, "log.jsonl");
    writeFileSync(path, '{"a":1}\n{"a":');
    const log = openJsonlLog({ path });
    log.append(["{}"]);
    log.append(["{}"]);
    expect(read(path)).toBe('{"a":1}\n{"a":\n{}\n{}\n');
    expect(log.files).toEqual([{ file: path, lines: 2, repeated: 0, completedTornLine: true }]);
  });

  it("fills in the path, and rotates by iteration or date where the path does not say how", () => {
    const directory = folder();
    const now = (): Date => new Date("2026-03-01T23:59:00Z");
    const files = (path: string, rotate?: "iteration" | "date"): string[] => {
      const log = openJsonlLog({ path: join(directory, path), rotate, now });
      for (const iteration of [1, 1, 20, null]) log.append(["{}"], iteration);
      return log.files.map(({ file }) => file.slice(directory.length + 1));
    };
    expect(files("a_{iteration}.jsonl")).toEqual(["a_1.jsonl", "a_20.jsonl", "a_none.jsonl"]);
    expect(files("b_{iteration}.jsonl", "iteration")).toEqual(["b_1.jsonl", "b_20.jsonl", "b_none.jsonl"]);
    expect(files("c.jsonl", "iteration")).toEqual([
      "c-iteration-1.jsonl",
      "c-iteration-20.jsonl",
      "c-iteration-none.jsonl",
    ]);
    expect(files("d.jsonl", "date")).toEqual(["d-2026-03-01.jsonl"]);
    expect(files("{date}/e", "date")).toEqual(["2026-03-01/e"]);
  });

  it("rotates by size, keeps what is appended at once together, and goes on where it left off", () => {
    const directory = folder();
    const path = join(directory, "log.jsonl");
    const line = "x".repeat(39);
    const sizes = (): number[] =>
      readdirSync(directory)
        .sort((a, b) => a.length - b.length || a.localeCompare(b))
        .map((name) => read(join(directory, name)).length);
    openJsonlLog({ path, rotateBytes: 100 }).append([line, line]);
    const log = openJsonlLog({ path, rotateBytes: 100 });
    log.append([line]);
    log.append([line]);
    log.append([line, line, line]);
    expect(readdirSync(directory).sort()).toEqual(["log.1.jsonl", "log.2.jsonl", "log.jsonl"]);
    expect(sizes()).toEqual([80, 80, 120]);
    openJsonlLog({ path, rotateBytes: 100 }).append([line]);
    expect(sizes()).toEqual([80, 80, 120, 40]);
    // 60 more bytes fill it exactly and are within the limit; one more is not.
    openJsonlLog({ path, rotateBytes: 100 }).append(["x".repeat(59)]);
    expect(sizes()).toEqual([80, 80, 120, 100]);
    openJsonlLog({ path, rotateBytes: 100 }).append([""]);
    expect(sizes()).toEqual([80, 80, 120, 100, 1]);
    expect(() => openJsonlLog({ path, rotateBytes: 0 })).toThrow(/must be positive, not 0/);
  });

  it.each([
    ["a directory", (directory: string) => directory, /EISDIR/],
    ["below a file", (directory: string) => join(directory, "file", "log.jsonl"), /ENOTDIR|EEXIST/],
  ])("says why it cannot write to %s", (_, place, message) => {
    const directory = folder();
    mkdirSync(directory);
    writeFileSync(join(directory, "file"), "");
    const log = openJsonlLog({ path: place(directory) });
    const append = (): unknown => log.append(["{}"]);
    expect(append).toThrow(message);
    expect(append).toThrow(expect.objectContaining({ _tag: "FileSystemError", hint: expect.any(String) }));
    expect(log.files).toEqual([]);
  });

  it("asks about a file that is there before each append, until it may be written to", () => {
    const path = join(root, "foreign.txt");
    writeFileSync(path, "notes\n");
    const log = openJsonlLog({
      path,
      check: (file, _, firstLine) => {
        if (firstLine === "notes") throw new UsageError(`${file} is no log`);
      },
    });
    for (let i = 0; i < 2; i++) expect(() => log.append(["{}"])).toThrow(/is no log/);
    expect(read(path)).toBe("notes\n");
    expect(log.files).toEqual([]);
  });

  it.skipIf(!existsSync("/proc/self"))("gives up where no directory can be made", () => {
    expect(() => appendJsonl("/proc/logratio/log.jsonl", ["{}"])).toThrow(
      /no such file or directory|EACCES|EPERM/,
    );
  });

  const full = "/dev/full";
  it.skipIf(!existsSync(full))("raises what a full disk says", () => {
    expect(() => appendJsonl(full, ["{}"])).toThrow(/ENOSPC/);
  });
});
