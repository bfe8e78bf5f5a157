import { mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isLogratioError } from "../../../core/base/errors.ts";
import type { TreeMap } from "../../io/columns.ts";
import { isTensor } from "../../io/tree-guards.ts";
import { isMemmapMeta, openMemmap } from "./memmap.ts";

const TENSORDICT = "<class 'tensordict._td.TensorDict'>";
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function describeFolder(columns: object | string, ...inside: string[]): Promise<void> {
  await mkdir(join(folder, ...inside), { recursive: true });
  const text = typeof columns === "string" ? columns : JSON.stringify({ ...columns, _type: TENSORDICT });
  await writeFile(join(folder, ...inside, "meta.json"), text);
}

async function read(): Promise<TreeMap> {
  const { root, close } = await openMemmap(join(folder, "meta.json"));
  await close();
  return root;
}

async function failure(): Promise<object> {
  try {
    await read();
  } catch (error) {
    if (isLogratioError(error)) return { tag: error._tag, message: error.message, at: error.at };
    throw error;
  }
  throw new Error("it was read");
}

/** The values of a column that is not a tensor, as tensordict writes them. */
async function readValues(data: unknown): Promise<unknown> {
  await describeFolder({ uid: { type: "NonTensorData" } });
  await describeFolder(JSON.stringify({ data, _type: "NonTensorData" }), "uid");
  return (await read()).uid;
}

describe("the description of a memory-mapped TensorDict", () => {
  it.each<[root: object, is: boolean]>([
    [{ _type: TENSORDICT }, true],
    [{ _type: "<class 'tensordict.tensorclass.NonTensorData'>", data: [1] }, false],
    [{ _type: "a trainer's own" }, false],
    [{ _type: 7 }, false],
    [{}, false],
  ])("%j: %s", (root, is) => {
    expect(isMemmapMeta(root as TreeMap)).toBe(is);
  });

  it.each(["[]", "null", '"text"', "{", ""])("that is %j is refused, with its file", async (text) => {
    await describeFolder(text);
    expect(await failure()).toEqual({
      tag: "FormatError",
      message: "the description of a memory-mapped TensorDict is not a JSON object",
      at: { file: join(folder, "meta.json") },
    });
  });

  it.each(["..", ".", "a/b", "a\\b", "../b"])("may not name the column %j", async (name) => {
    await describeFolder({ [name]: { dtype: "torch.uint8", shape: [1] } });
    expect(await failure()).toMatchObject({
      tag: "FormatError",
      message: expect.stringContaining(`names a column "${name}", which is not a file name`),
      at: { file: join(folder, "meta.json") },
    });
  });

  it.each(["a..", "..a", ".a", "a.b"])("may name the column %j", async (name) => {
    await describeFolder({ [name]: { dtype: "torch.uint8", shape: [2] } });
    await writeFile(join(folder, `${name}.memmap`), Uint8Array.of(3, 4));
    const { root, close } = await openMemmap(join(folder, "meta.json"));
    const column = root[name];
    expect(isTensor(column) && [...(await column.readRows(0, 2))].map(Number)).toEqual([3, 4]);
    await close();
  });

  it("keeps the values of its own that are no columns out of the tree", async () => {
    await describeFolder({ shape: [3], device: "cpu" });
    expect(Object.keys(await read())).toEqual([]);
  });
});

describe("the columns of a memory-mapped TensorDict", () => {
  it.each<[shape: unknown]>([[undefined], [4], [["4"]], [[4, null]], ["4"]])(
    "have a shape of numbers, not %j",
    async (shape) => {
      await describeFolder({ prompts: { dtype: "torch.int64", shape } });
      expect(await failure()).toEqual({
        tag: "FormatError",
        message: "prompts has no shape",
        at: { file: join(folder, "meta.json"), entry: "prompts" },
      });
    },
  );

  it("may be longer than their shape says, and not by a byte shorter", async () => {
    await describeFolder({ a: { dtype: "int16", shape: [2] } });
    const file = join(folder, "a.memmap");
    await writeFile(file, new Uint8Array(5));
    expect(await read()).toHaveProperty("a");
    await truncate(file, 4);
    expect(await read()).toHaveProperty("a");
    await truncate(file, 3);
    expect(await failure()).toEqual({
      tag: "FormatError",
      message: "a of shape [2] needs 4 bytes, its file has 3",
      at: { file },
    });
  });

  it("are little-endian", async () => {
    await describeFolder({ a: { dtype: "torch.int32", shape: [2] } });
    await writeFile(join(folder, "a.memmap"), Uint8Array.of(1, 2, 0, 0, 255, 255, 255, 255));
    const { root, close } = await openMemmap(join(folder, "meta.json"));
    expect(isTensor(root.a) && [...(await root.a.readRows(0, 2))].map(Number)).toEqual([513, -1]);
    await close();
  });

  it("that cannot be read are kept by name: jagged ones, other types, what was pickled", async () => {
    await describeFolder({
      jagged: { is_nested: true, dtype: "torch.float32", shape: [2] },
      odd: { dtype: "torch.qint8", shape: [2] },
      inherited: { dtype: "torch.toString", shape: [2] },
      pickled: { type: "NonTensorStack" },
    });
    await describeFolder({}, "pickled");
    const object = { kind: "object", args: [], state: undefined };
    expect({ ...(await read()) }).toEqual({
      jagged: { ...object, className: "torch.nested.NestedTensor" },
      odd: { ...object, className: "torch.qint8" },
      inherited: { ...object, className: "torch.toString" },
      pickled: { ...object, className: "tensordict.NonTensorStack" },
    });
  });

  it("may be TensorDicts themselves, 16 levels deep", async () => {
    const nest = async (levels: number): Promise<void> => {
      const inside = Array.from({ length: levels }, (_, i) => `level${i}`);
      for (let depth = 0; depth < levels; depth++)
        await describeFolder({ [inside[depth]!]: { type: "TensorDict" } }, ...inside.slice(0, depth));
      await describeFolder({}, ...inside);
    };
    await nest(16);
    expect(await read()).toHaveProperty(["level0", "level1", "level2", "level3"]);
    await nest(17);
    expect(await failure()).toMatchObject({
      tag: "LimitError",
      message: "memory-mapped TensorDicts are nested deeper than 16 levels",
      at: { file: expect.stringMatching(/level16[/\\]meta\.json$/) },
    });
  });

  it("may be values: lists of numbers as columns, everything else as it is", async () => {
    expect(await readValues([1, 2.5, -3])).toEqual(Float64Array.of(1, 2.5, -3));
    expect(await readValues([])).toEqual([]);
    expect(await readValues([1, "2"])).toEqual([1, "2"]);
    expect(await readValues([true, null])).toEqual([true, null]);
    expect(await readValues([[1, 2], ["a"]])).toEqual([Float64Array.of(1, 2), ["a"]]);
    expect(await readValues("text")).toBe("text");
    expect(await readValues(null)).toBeNull();
    const map = (await readValues({ a: { b: [1] }, __proto__: 1 })) as TreeMap;
    expect(map).toEqual({ a: { b: Float64Array.of(1) } });
    expect(Object.getPrototypeOf(map)).toBeNull();
  });
});
