import { describe, expect, it } from "vitest";
import type { RowMap, SourceDocument } from "../../io/columns.ts";
import { memorySource } from "../../io/file-source.ts";
import { openJsonDocument } from "./open.ts";
import { beginsAsPython } from "./python-literals.ts";

const open = (text: string, name = "rows.jsonl"): Promise<SourceDocument> =>
  openJsonDocument(memorySource(name, Buffer.from(text)));

async function rows(text: string): Promise<RowMap[]> {
  const document = await open(text);
  if (document.kind !== "rows") throw new Error("not rows");
  const found: RowMap[] = [];
  for await (const chunk of document.chunks())
    for (let i = 0; i < chunk.length; i++)
      found.push(Object.fromEntries(chunk.names(i).map((name) => [name, chunk.get(i, name) ?? null])));
  return found;
}

/** As JSON would have it, arrays as lists. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part) => (ArrayBuffer.isView(part) ? [...(part as Float64Array)] : part)),
  );

describe("rows that Python printed", () => {
  it.each<[literal: string, json: unknown]>([
    ["'a\\'b\"c\\n\\xe9\\u00fc'", "a'b\"c\n\u00e9\u00fc"],
    ['"it\'s"', "it's"],
    ["None", null],
    ["True", true],
    ["(1, 2)", [1, 2]],
    ["(1,)", [1]],
    ["[1.5, 2., .5, 1e-05,]", [1.5, 2, 0.5, 1e-5]],
    ["np.float64(0.5)", 0.5],
    ["array([-0.5, -1.5], dtype=float32)", [-0.5, -1.5]],
    ["tensor([-0.5, -1.5], device='cuda:0', dtype=torch.bfloat16)", [-0.5, -1.5]],
    ["[tensor(1), tensor(2.)]", [1, 2]],
    ["{'b': {'c': []}}", { b: { c: [] } }],
    // What it stands for is not known without Python.
    ["[datetime.datetime(2024, 1, (2)), 3]", [null, 3]],
    ["'None, True'", "None, True"],
  ])("%s", async (literal, json) => {
    expect(plain(await rows(`{'a': ${literal}, 'z': 7}\n`))).toEqual([{ a: json, z: 7 }]);
  });

  it("have NaN and infinities", async () => {
    expect(await rows("{'a': [nan, -inf, inf], 'b': nan}\n")).toEqual([
      { a: Float64Array.of(Number.NaN, -Infinity, Infinity), b: Number.NaN },
    ]);
  });

  it("one that is damaged costs only itself", async () => {
    const document = await open("{'a': 1}\n{'a': [1\n{'a': f(1\n{'a': 'x\n{'a': 3}\n");
    const bad: unknown[] = [];
    if (document.kind !== "rows") throw new Error("not rows");
    const read: unknown[] = [];
    for await (const chunk of document.chunks({ onBadRow: ({ line }) => bad.push(line) }))
      for (let i = 0; i < chunk.length; i++) read.push(chunk.get(i, "a"));
    expect([read, bad]).toEqual([
      [1, 3],
      [2, 3, 4],
    ]);
  });

  it("are told from JSON by the first name", () => {
    expect(
      ["{'a': 1}", "[{'a': 1}]", ' { "a": 1}', "[1]", ""].map((text) => beginsAsPython(Buffer.from(text))),
    ).toEqual([true, true, false, false, false]);
  });
});
