import { appendFile, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  changeStar,
  MOST_NOTE_CHARACTERS,
  MOST_STARS,
  readStarChange,
  readStarList,
  starListFile,
} from "./star-list.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-stars-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("the stars of a run", () => {
  it("are kept in the order in which they were set, one JSON object a line", async () => {
    const file = join(folder, "kept.jsonl");
    expect((await readStarList(file)).stars).toEqual([]);
    await changeStar(file, { handle: "s30.q48.t39", note: "" });
    await changeStar(file, { handle: "s30.q48", note: 'two lines,\n"quoted"' });
    await changeStar(file, { handle: "s30.q48.t39", note: "the 0 of 100" });
    const stars = [
      { handle: "s30.q48.t39", note: "the 0 of 100" },
      { handle: "s30.q48", note: 'two lines,\n"quoted"' },
    ];
    expect(await readStarList(file)).toEqual({ schemaVersion: 1, kind: "view-stars", stars });
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(stars);
    expect((await changeStar(file, { handle: "s30.q48.t39", note: null })).stars).toEqual([stars[1]]);
    expect((await changeStar(file, { handle: "s1.q1", note: null })).stars).toEqual([stars[1]]);
    // A line that somebody broke costs that line alone.
    await appendFile(file, '{"handle":\n{"handle":"../x","note":""}\n{"handle":"q7","note":"kept"}\n');
    expect((await readStarList(file)).stars).toEqual([stars[1], { handle: "q7", note: "kept" }]);
    expect((await readdir(folder)).filter((name) => name.startsWith("kept"))).toEqual(["kept.jsonl"]);
  });

  it("keep the order in which somebody puts them", async () => {
    const file = join(folder, "moved.jsonl");
    for (const handle of ["q1", "q2", "q3"]) await changeStar(file, { handle, note: `of ${handle}` });
    const order = async (): Promise<string[]> => (await readStarList(file)).stars.map(({ handle }) => handle);
    await changeStar(file, { handle: "q3", before: "q1" });
    expect(await order()).toEqual(["q3", "q1", "q2"]);
    await changeStar(file, { handle: "q3", before: null });
    expect(await order()).toEqual(["q1", "q2", "q3"]);
    // What is not there, is gone meanwhile, or would stand before itself moves nothing.
    for (const [handle, before] of [
      ["q9", "q1"],
      ["q1", "q9"],
      ["q1", "q1"],
    ] as const)
      expect((await changeStar(file, { handle, before })).stars.map((star) => star.handle)).toEqual([
        "q1",
        "q2",
        "q3",
      ]);
    expect((await readStarList(file)).stars[2]).toEqual({ handle: "q3", note: "of q3" });
    expect(readStarChange({ handle: "q1", before: null })).toEqual({ handle: "q1", before: null });
    for (const before of [3, "../q1", {}])
      expect(() => readStarChange({ handle: "q1", before }), JSON.stringify(before)).toThrow(/moved before/);
  });

  it("lose none when many are set at once", async () => {
    const file = join(folder, "at-once.jsonl");
    const handles = Array.from({ length: 40 }, (_, row) => `s1.q${row}`);
    await Promise.all(handles.map((handle) => changeStar(file, { handle, note: "" })));
    expect((await readStarList(file)).stars.map(({ handle }) => handle)).toEqual(handles);
  });

  it("are at most as many as the limit, of handles and short notes alone", async () => {
    const file = join(folder, "many.jsonl");
    const line = (row: number): string => `${JSON.stringify({ handle: `q${row}`, note: "" })}\n`;
    await appendFile(file, Array.from({ length: MOST_STARS }, (_, row) => line(row)).join(""));
    await expect(changeStar(file, { handle: "q9999", note: "" })).rejects.toThrow("at most 500 places");
    expect((await changeStar(file, { handle: "q3", note: "changed" })).stars).toHaveLength(MOST_STARS);
    for (const asked of [
      null,
      3,
      {},
      { handle: "q1" },
      { handle: "../../etc/passwd", note: "" },
      { handle: "q1/..", note: "" },
    ])
      expect(() => readStarChange(asked), JSON.stringify(asked)).toThrow(/star/);
    const long = { handle: "q1", note: "x".repeat(MOST_NOTE_CHARACTERS + 1) };
    expect(() => readStarChange(long)).toThrow("the note has 4001 characters; the limit is 4000");
    expect(readStarChange({ handle: "s-1.r2.q3.t4", note: null, more: 1 })).toEqual({
      handle: "s-1.r2.q3.t4",
      note: null,
    });
  });

  it("lie beside the caches, under a name that follows from where the run lies", () => {
    const place = join(folder, "dumps", ".logratio", "view");
    const file = starListFile(place, [join(folder, "dumps")]);
    expect(dirname(file)).toBe(place);
    expect(basename(file)).toMatch(/^stars-[0-9a-f]+\.jsonl$/);
    expect(starListFile(place, [join(folder, "other")])).not.toBe(file);
    const moved = join("/elsewhere", "dumps", ".logratio", "view");
    expect(basename(starListFile(moved, ["/elsewhere/dumps"]))).toBe(basename(file));
  });
});
