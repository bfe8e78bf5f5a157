import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBPreparedStatement } from "@duckdb/node-api";
import { afterEach, expect, it, vi } from "vitest";
import { memoryLimit, setMemoryLimit } from "../core/base/memory-limit.ts";
import type { RowDocument } from "../input/io/columns.ts";
import { writeParquet } from "../input/readers/parquet/index.ts";
import { type AheadSource, decodeAhead, type OpenSource } from "./decode-ahead.ts";
import { openRun } from "./open-run.ts";

const LIMIT = memoryLimit();
afterEach(() => setMemoryLimit(LIMIT));

type Named = AheadSource & { readonly name: string };

function source(name: string, other: Partial<AheadSource> = {}, bytes = 1000): Named {
  const file = { path: `${name}.parquet`, root: "run", relative: `${name}.parquet` };
  return { name, document: undefined, file, report: { format: "parquet", bytes }, ...other };
}

function document(name: string, onClose: () => void): RowDocument {
  return {
    ...{ kind: "rows", format: "parquet", file: name, sample: [], metadata: {} },
    async *chunks() {},
    close: async () => onClose(),
  };
}

/** Opens documents when they are released, and notes what happens. */
function trackedOpen() {
  const [opened, closed]: [string[], string[]] = [[], []];
  const held = new Map<string, { decode: () => void; release: () => void; fail: () => void }>();
  const open: OpenSource<Named> = ({ name }, _, onDecoding) => {
    opened.push(name);
    return new Promise((resolve, reject) => {
      const release = (): void => resolve(document(name, () => closed.push(name)));
      const fail = (): void => reject(new Error(`${name} is broken`));
      held.set(name, { decode: () => onDecoding?.(), release, fail });
      // The first is asked for, and nothing waits for its decoding.
      if (onDecoding === undefined) release();
    });
  };
  return { opened, closed, held, open };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("returns when the next document is being decoded, and opens each once", async () => {
  const [a, b, c] = [source("a"), source("b"), source("c")];
  const { opened, closed, held, open } = trackedOpen();
  const ahead = decodeAhead([a, b, c], open);
  let first: string | undefined;
  const opening = ahead.open(a, () => {}).then(({ file }) => (first = file));
  await turn();
  expect([opened, first]).toEqual([["a", "b"], undefined]);
  held.get("b")!.decode();
  await opening;
  expect(first).toBe("a");

  const second = ahead.open(b, () => {});
  await turn();
  // One file ahead of the one that was asked for, once that one has arrived.
  expect(opened).toEqual(["a", "b"]);
  held.get("b")!.release();
  await turn();
  expect(opened).toEqual(["a", "b", "c"]);
  held.get("c")!.release();
  expect((await second).file).toBe("b");
  expect((await ahead.open(c, () => {})).file).toBe("c");
  await ahead.close();
  expect([opened, closed]).toEqual([["a", "b", "c"], []]);
});

it("closes a document that is not asked for", async () => {
  const sources = [source("a"), source("b"), source("c"), source("d")];
  const { opened, closed, held, open } = trackedOpen();
  const ahead = decodeAhead(sources, open);
  const begun = async (opening: Promise<unknown>, name: string): Promise<void> => {
    await turn();
    held.get(name)!.release();
    await opening;
  };
  await begun(
    ahead.open(sources[0]!, () => {}),
    "b",
  );
  await begun(
    ahead.open(sources[2]!, () => {}),
    "d",
  );
  expect(closed).toEqual(["b"]);
  await ahead.close();
  expect([opened, closed]).toEqual([
    ["a", "b", "c", "d"],
    ["b", "d"],
  ]);
});

it("gives the error of a document to the one who asks for it", async () => {
  const [a, b] = [source("a"), source("b")];
  const { held, open } = trackedOpen();
  const ahead = decodeAhead([a, b], open);
  const opening = ahead.open(a, () => {});
  await turn();
  held.get("b")!.fail();
  expect((await opening).file).toBe("a");
  await expect(ahead.open(b, () => {})).rejects.toThrow("b is broken");
  await ahead.close();
});

it.each([
  ["another format", source("b", { report: { format: "jsonl", bytes: 1000 } })],
  ["a pipe", source("b", { file: { ...source("b").file, pipe: true } })],
  ["one that is open", source("b", { document: document("b", () => {}) })],
  ["a large file", source("b", {}, 2 ** 25 + 1)],
])("does not open %s ahead", async (_, next) => {
  const a = source("a");
  const { opened, open } = trackedOpen();
  const ahead = decodeAhead([a, next], open);
  await ahead.open(a, () => {});
  expect(opened).toEqual(["a"]);
  await ahead.close();
});

it("opens nothing ahead that could take much of the memory limit", async () => {
  const [a, b] = [source("a"), source("b", {}, 2 ** 20)];
  for (const [limit, expected] of [
    [2 ** 24 - 1, ["a"]],
    [2 ** 24, ["a", "b"]],
  ] as const) {
    setMemoryLimit(limit);
    const { opened, held, open } = trackedOpen();
    const ahead = decodeAhead([a, b], open);
    const opening = ahead.open(a, () => {});
    await turn();
    held.get("b")?.release();
    await opening;
    expect(opened).toEqual(expected);
    await ahead.close();
  }
});

it("is how a run of Parquet files is read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "decode-ahead"));
  try {
    const list = (values: Int32Array | Float32Array) => ({ values, offsets: Int32Array.of(0, 2) });
    async function* rows() {
      const logprobs = list(Float32Array.of(-1, -2));
      yield {
        length: 1,
        columns: [list(Int32Array.of(1, 2)), list(Int32Array.of(1, 1)), logprobs, logprobs],
      };
    }
    const specs = [
      { name: "response_ids", type: { list: "int32" } },
      { name: "response_mask", type: { list: "int32" } },
      { name: "rollout_log_probs", type: { list: "float32" } },
      { name: "old_log_probs", type: { list: "float32" } },
    ] as const;
    for (const step of [1, 2, 3]) await writeParquet(join(folder, `step_${step}.parquet`), specs, rows());
    const run = await openRun([folder]);
    const decoded = vi.spyOn(DuckDBPreparedStatement.prototype, "stream");
    const counts: number[] = [];
    for await (const _ of run.batches()) counts.push(decoded.mock.calls.length);
    expect(counts).toEqual([2, 3, 3]);
  } finally {
    vi.restoreAllMocks();
    await rm(folder, { recursive: true });
  }
});
