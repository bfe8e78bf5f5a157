import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readAll, readError, withoutRepeats } from "../input/adapters/read.test-data.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "why-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(name: string, ...rows: (object | Uint8Array)[]): Promise<string> {
  const path = join(folder, name);
  const lines = rows.map((row) =>
    row instanceof Uint8Array ? row : Buffer.from(`${JSON.stringify(row)}\n`),
  );
  await writeFile(path, Buffer.concat(lines));
  return path;
}

const row = (more: object) => ({
  response_ids: [1, 2],
  response_mask: [1, 1],
  rollout_log_probs: [-1, -2],
  old_log_probs: [-1, -2.5],
  ...more,
});
const scored = (key: string, ids: number[]) => ({ key, token_ids: ids, logprobs: ids.map((id) => -id / 8) });

describe("why a pair cannot be read", () => {
  it("texts that part at the first token are different texts, with the ids", async () => {
    const a = await put("a.jsonl", scored("p", [5, 6]), scored("q", [7]));
    const b = await put("b.jsonl", scored("p", [9, 6]), scored("q", [8]));
    const error = await readError([a, b]);
    expect(error.message).toBe(
      `the two files hold different texts: all 2 sequences differ from the first token on (sequence p: token 5 in ${a}, token 9 in ${b})`,
    );
    expect(error.likely).toContain("each engine sampled independently");
  });

  it("one generation that parts at once is no empty mask", async () => {
    const a = await put("a.jsonl", scored("p", [5, 6]), scored("q", [7]));
    const b = await put("b.jsonl", scored("p", [5, 6]), scored("q", [8]));
    const { batches, findings } = await readAll([a, b]);
    expect(batches[0]!.length).toBe(1);
    expect(withoutRepeats(findings).map(({ message, omits }) => [message, omits])).toEqual([
      [
        "1 token after the point where 1 of 2 sequences diverges (1 at the first token)",
        { unit: "token", why: "incomparable" },
      ],
      ["2 sequences joined from the two sides: 2 by id", undefined],
    ]);
  });

  it("a second file without log-probs is named, with what it has", async () => {
    const a = await put("a.jsonl", scored("p", [5, 6]));
    const b = await put("b.jsonl", { question: "1 + 1", score: 1 });
    const error = await readError([a, b]);
    expect(error._tag).toBe("MissingSideError");
    expect(error.message).toContain(`${b} cannot be its second side`);
    expect(error.message).toContain("question: text");
    expect(error.at.file).toBe(b);
  });
});

it("responses without a token are no inverted mask", async () => {
  const empty = row({ response_ids: [], response_mask: [], rollout_log_probs: [], old_log_probs: [] });
  const error = await readError(await put("a.jsonl", empty));
  expect([error.message, error.likely]).toEqual([
    "no sequence in the whole input has a token",
    "every response is empty",
  ]);
});

it("a side that is one number throughout is named with column and value", async () => {
  const varied = Array.from({ length: 30 }, (_, t) => -t / 8);
  const constant = row({
    response_ids: varied.map((_, t) => t),
    response_mask: varied.map(() => 1),
    rollout_log_probs: varied.map(() => -1),
    old_log_probs: varied,
  });
  const { findings } = await readAll(await put("a.jsonl", constant));
  expect(findings.map(({ code, message, count }) => [code, message, count])).toContainEqual([
    "constant-logprobs",
    "all 30 rollout log-probs are -1 (column rollout_log_probs): these are not log-probs",
    30,
  ]);
  const few = await readAll(await put("b.jsonl", row({ rollout_log_probs: [-1, -1] })));
  expect(few.findings).toEqual([]);
});

it("ids that are none are missing and counted, never another token", async () => {
  const ids = [3, 2 ** 31, -7, 1.5, 2 ** 32 + 3];
  const odd = row({
    response_ids: ids,
    response_mask: ids.map(() => 1),
    rollout_log_probs: [-1, -2, -3, -4, -5],
    old_log_probs: [-1, -2, -3, -4, -5.5],
  });
  const { batches, findings } = await readAll(await put("a.jsonl", odd));
  expect([...batches[0]!.responseTokenIds!]).toEqual([3, -1, -1, -1, -1]);
  expect(findings.map(({ code, count, at, message }) => [code, count, at.row, message])).toEqual([
    [
      "token-id",
      4,
      0,
      "4 response token ids are negative, fractional or beyond 16,777,216, more than any vocabulary has (first 2147483648): read as missing",
    ],
  ]);
});

it("bytes that are no UTF-8 are said, in rows and in one object", async () => {
  const text = JSON.stringify(row({ prompt: "caf#" }));
  const broken = Buffer.from(`${text}\n`).map((byte) => (byte === 0x23 ? 0xe9 : byte));
  const { findings } = await readAll(await put("a.jsonl", row({ prompt: "café �" }), broken, broken));
  expect(withoutRepeats(findings).map(({ code, message, at }) => [code, message, at.line])).toEqual([
    ["invalid-text", "2 rows hold bytes that are not UTF-8: read as U+FFFD", 2],
  ]);
});

it("what --steps leaves out is said as asked for", async () => {
  await put("step_1.jsonl", row({}));
  await put("step_2.jsonl", row({}));
  await put("mixed.jsonl", row({ step: 2 }), row({ step: 3 }), row({ step: 3 }));
  const { findings } = await readAll(folder, { steps: (step) => step === 2 });
  expect(withoutRepeats(findings).map(({ message, omits }) => [message, omits])).toEqual([
    ["1 of 3 files belong to steps outside --steps", { unit: "file", why: "requested" }],
    [
      "2 sequences of steps outside --steps, in files that also hold requested steps",
      { unit: "sequence", why: "requested" },
    ],
  ]);
});
