/** Parts with a valid checksum over something that `summarize` never writes, and files that are not parts. */
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { ByteWriter } from "../core/base/byte-writer.ts";
import { isLogratioError } from "../core/base/errors.ts";
import { DEFAULT_MEMORY_LIMIT, setMemoryLimit } from "../core/base/memory-limit.ts";
import { packBlocks } from "./container.ts";
import type { ReportSums } from "./kinds/report-sums.ts";
import type { Part } from "./part.ts";
import { decodePart, encodePart } from "./part-bytes.ts";
import { readPart, readPartBytes } from "./part-files.ts";
import { reportPart } from "./report-part.ts";
import { summarizeInto } from "./summarize-into.ts";
import { openShardReader } from "./summarize-shards.ts";

let folder = "";
let part: Part;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-forged-"));
  const run = join(folder, "step_1.jsonl");
  const row = { response_ids: [1, 2 ** 30], rollout_log_probs: [-1, -2], old_log_probs: [-1, -2.5] };
  await writeFile(run, `${JSON.stringify(row)}\n`.repeat(2));
  const reader = await openShardReader([run], { threads: 1 });
  const out = join(folder, "sound.lrs");
  await summarizeInto(reader, { out });
  part = await readPart(out);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => setMemoryLimit(DEFAULT_MEMORY_LIMIT));

type Tree = { [key: string]: unknown };

/** Paths of all values in a tree. */
function listPaths(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  // The first item of a list stands for the others.
  const names = Array.isArray(value) ? ["0"].slice(0, value.length) : Object.keys(value);
  return [path, ...names.flatMap((name) => listPaths((value as Tree)[name], [...path, name]))];
}

function replaced(info: unknown, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(info) as Tree;
  const parent = path.slice(0, -1).reduce((tree, name) => tree[name] as Tree, copy);
  if (path.length === 0) return value;
  parent[path.at(-1)!] = value;
  return copy;
}

it("are read, or refused by name, whatever stands in the place of a value", async () => {
  const info = JSON.parse(
    JSON.stringify({
      ...part.info,
      settings: ["--steps", "30"],
      calls: [{ id: "a", paths: ["b"], expected: ["c"], findings: part.info.shards[0]!.findings }],
    }),
  );
  const wrong = [5, -1, "text", null, [], {}, [5]];
  let refused = 0;
  for (const path of listPaths(info)) {
    for (const value of wrong) {
      const forged = { info: replaced(info, path, value), sums: part.sums } as Part;
      try {
        reportPart(decodePart(await encodePart(forged), "forged.lrs") as Part<ReportSums>);
      } catch (error) {
        refused++;
        expect(
          isLogratioError(error) && error.message,
          `${path.join(".")}: ${JSON.stringify(value)}`,
        ).toContain("forged.lrs");
      }
    }
  }
  expect(refused).toBeGreaterThan(200);
});

it("say where the description is not what a part has", async () => {
  const forged = { ...part, info: { ...part.info, settings: [5] } } as unknown as Part;
  const bytes = await encodePart(forged);
  expect(() => decodePart(bytes, "a.lrs")).toThrow(
    "a.lrs does not state its contents: settings[0] is not a text",
  );
});

it.each([
  ["no list", "5"],
  ["a correction without steps", '[{"name": "a", "methods": ["a"], "correction": {}}]'],
  ["a weight that is none", '[{"name": "a", "methods": ["a"], "correction": {"weight": 5, "steps": []}}]'],
  [
    "bounds that are no object",
    '[{"name": "a", "methods": ["a"], "correction": {"steps": [{"action": "mask", "measure": null}]}}]',
  ],
])("of a sweep are refused with corrections of another shape: %s", async (_, corrections) => {
  const body = new ByteWriter();
  body.text(corrections);
  const info = new TextEncoder().encode(JSON.stringify({ ...part.info, kind: "sweep" }));
  const bytes = await packBlocks({ info, body: body.finishApart() });
  expect(() => decodePart(bytes, "a.lrs")).toThrow(/^a\.lrs does not hold a summary/);
});

it("are not read further than their first bytes if these are not a part's", async () => {
  const path = join(folder, "large.lrs");
  const file = await open(path, "w");
  // Sparse: 5 GiB of zeros, more than any array of Node can hold.
  await file.truncate(5 * 2 ** 30);
  await file.close();
  await expect(readPartBytes(path)).rejects.toMatchObject({
    _tag: "FormatError",
    message: `${path} is not a part that logratio summarize wrote`,
  });
});

it("are not read beyond the memory limit", async () => {
  setMemoryLimit(2 ** 20);
  const path = join(folder, "wide.lrs");
  await writeFile(path, Buffer.concat([await encodePart(part), Buffer.alloc(2 ** 20)]));
  await expect(readPartBytes(path)).rejects.toMatchObject({ _tag: "LimitError", at: { file: path } });
});
