import { deepStrictEqual } from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { sample } from "../../../../test/support/run-size.ts";
import { hasSharedData, LAB, REAL, warnIfAbsent } from "../../../../test/support/shared-data.ts";
import { openFile } from "../../io/file-source.ts";
import { openJsonDocument } from "./open.ts";

warnIfAbsent("JSON of real trainers");

function jsonFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(jsonl?)(\.gz)?$/.test(name) && !/tokenizer/.test(name))
    .map((name) => join(directory, name));
}

/** The value as the reader returns it: arrays of numbers and nulls are typed. */
function typed(value: unknown): unknown {
  if (Array.isArray(value)) {
    const numeric = value.every((item) => item === null || typeof item === "number");
    return numeric ? Float64Array.from(value, (item) => item ?? NaN) : value.map(typed);
  }
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, typed(item)]));
}

describe.skipIf(!hasSharedData)("JSON of real trainers", () => {
  const files = hasSharedData ? [LAB, REAL].flatMap(jsonFiles) : [];

  test("is there", () => {
    expect(files.length).toBeGreaterThan(50);
  });

  test("equals what JSON.parse makes of it", async () => {
    for (const path of sample(files, 5)) {
      const bytes = readFileSync(path);
      const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
      const source = await openFile(path);
      const document = await openJsonDocument(source);
      const rows: unknown[] = document.kind === "tree" ? [document.root] : [];
      if (document.kind === "rows") {
        for await (const chunk of document.chunks({ onBadRow: (bad) => rows.push(bad) })) {
          for (let i = 0; i < chunk.length; i++) {
            rows.push(Object.fromEntries(chunk.names(i).map((name) => [name, chunk.get(i, name)])));
          }
        }
      }
      const lines = /\.jsonl/.test(path) ? text.trim().split("\n") : [text];
      const expected = lines.flatMap((line) => JSON.parse(line) as unknown);
      // Faster than expect on a million numbers.
      const named = expected.map((value) => (Array.isArray(value) ? { element: value } : value));
      deepStrictEqual(rows, named.map(typed), path);
      await source.close();
    }
  });
});
