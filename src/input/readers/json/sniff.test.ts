import { expect, test } from "vitest";
import { sniffJson } from "./sniff.ts";

const long = `{"a": [${"1, ".repeat(100)}`;

test.each([
  // The content decides.
  ['{"a": 1}\n{"a": 2}\n', undefined, "jsonl"],
  ['{"a": 1}\r\n\r\n{"a', "x.json", "jsonl"],
  ['{"a": 1}\n{"a": 2}\n', "x.json", "jsonl"],
  ['{\n "a": 1\n}\n', undefined, "object"],
  ['{\n "a": 1\n}\n', "x.jsonl", "object"],
  ['\ufeff{"a": {"b": "}{"}}', undefined, "object"],
  ['[{"a": 1}]', undefined, "array"],
  ["[\n  {", undefined, "array"],
  ["[]", "x.jsonl", "array"],
  ["[[1, 2]]", undefined, "array"],
  ['data: {"a": 1}\n\n', undefined, "jsonl"],
  [': keep-alive\n\ndata: {"a": 1}\n', "x.txt", "jsonl"],
  // A first line without its end, followed by another.
  ['{"a": [1, 2\n{"a": [1, 2]}\n', undefined, "jsonl"],
  // Only the name can decide.
  ['{"a": 1}\n', undefined, "object"],
  ['{"a": 1}\n', "x.json", "object"],
  ['{"a": 1}\n', "x.jsonl", "jsonl"],
  ['{"a": 1}\n', "dir/x.NDJSON.zst", "jsonl"],
  [long, undefined, "jsonl"],
  [long, "x.json.gz", "object"],
  [long, "x.jsonl", "jsonl"],
  ['# started\n{"a": 1}\n', "x.jsonl", "jsonl"],
  // Not JSON, or not of a kind that holds rows or names.
  ['# started\n{"a": 1}\n', undefined, undefined],
  ["", "x.jsonl", undefined],
  ["step,reward\n", "x.jsonl", undefined],
  ["[1, 2]", undefined, undefined],
  ['"text"', "x.json", undefined],
  ["\x93NUMPY", undefined, undefined],
] as const)("%j in %s is %s", (text, name, kind) => {
  expect(sniffJson(Buffer.from(text), name)).toBe(kind);
});
