import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Finding } from "../../core/schema/findings.ts";
import { type Outcome, readAll } from "../../input/adapters/read.test-data.ts";
import type { SourceReport } from "../sources.ts";
import { describeChecks } from "./describe-checks.ts";
import { type Drawn, drawLogprobs, moveEntries } from "./logprobs.test-data.ts";
import { parseAlign } from "./parse-align.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "aligned-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const DRAWING = { sequences: 30, tokens: 100, open: 0.4, noise: 0.05 };

/** A file with one object per sequence. */
async function write(name: string, sequences: readonly Drawn[], withMask = true): Promise<string> {
  const path = join(folder, name);
  const lines = sequences.map(({ rollout, trainer, mask }) =>
    JSON.stringify({
      responses: [...mask].map((_, t) => t),
      ...(withMask && { response_mask: [...mask] }),
      rollout_log_probs: [...rollout],
      old_log_probs: [...trainer],
    }),
  );
  await writeFile(path, `${lines.join("\n")}\n`);
  return path;
}

const late = (drawn: readonly Drawn[], by = 1): Drawn[] =>
  drawn.map((one) => ({ ...one, trainer: moveEntries(one.trainer, by) }));

const codes = ({ findings }: Outcome): string[] => findings.map(({ code }) => code);
const find = ({ findings }: Outcome, code: Finding["code"]): Finding => {
  const found = findings.find((finding) => finding.code === code);
  if (found === undefined) throw new Error(`no ${code} among ${findings.map((one) => one.code).join(", ")}`);
  return found;
};
const trainerRows = ({ batches }: Outcome): number[] =>
  batches.flatMap(({ trainerLogprobs }) => [...trainerLogprobs!]);

describe("columns that are shifted", () => {
  it("are found, with the figures and what to try; nothing is moved", async () => {
    const moved = late(drawLogprobs(3, DRAWING));
    const read = await readAll(await write("a.jsonl", moved));
    expect(trainerRows(read)).toEqual(moved.flatMap(({ trainer }) => [...trainer]));
    const { message, likely, hint, severity } = find(read, "shifted-columns");
    expect(severity).toBe("warning");
    expect(message).toMatch(
      /^the columns are shifted: the trainer log-probs of [\d,]+ tokens are 1 entry too late: mean \|Δ\| is 0\.0\d+ there and 0\.\d+ in place, and (\d+) of \1 stretches of tokens agree better; mean \|Δ\| by shift: -3: 0\.\d+, -2: /,
    );
    expect(likely).toContain("<bos>");
    expect(hint).toBe("try --align +1, or --align auto; --align none trusts the file as it is");
    expect(describeChecks(read.run.sources.map(({ checks }) => checks)).join("\n")).toContain(
      "shift +1 is better; mean |Δ| by shift: -3:",
    );
  });

  it.each([1, "auto"] as const)(
    "are read in place with --align %s, and what is lost is counted",
    async (align) => {
      const drawn = drawLogprobs(3, DRAWING);
      const read = await readAll(await write("a.jsonl", late(drawn)), { align });
      expect(codes(read)).toEqual(["note"]);
      const ends = drawn.length;
      expect(find(read, "note").message).toBe(
        `--align +1: the trainer's entry t + 1 is used for token t; that leaves ${ends} tokens with mask 1 without an entry in the same turn`,
      );
      const expected = drawn.flatMap(({ trainer }) => [...trainer.slice(0, -1), Number.NaN]);
      expect(trainerRows(read)).toEqual(expected);
      expect(read.batches[0]!.provenance.shift).toBe(1);
      expect(describeChecks(read.run.sources.map(({ checks }) => checks))[1]).toBe(
        "alignment: the trainer's entry t + 1 is used for token t (--align +1)",
      );
    },
  );

  it("lose the entries that may be about tool output", async () => {
    const [one] = drawLogprobs(3, { ...DRAWING, sequences: 1, tokens: 20 });
    const mask = one!.mask.map((_, t) => (t === 4 || t === 5 ? 0 : 1));
    const path = await write("a.jsonl", late([{ ...one!, mask }]));
    const read = await readAll(path, { align: 1 });
    const lost = [3, mask.length - 1];
    const expected = [...one!.trainer].map((value, t) => (lost.includes(t) ? Number.NaN : value));
    expect(trainerRows(read)).toEqual(expected);
    expect(find(read, "note").count).toBe(lost.length);
    expect(codes(read)).toEqual(["note"]);
  });

  it("are left alone with --align none", async () => {
    const read = await readAll(await write("a.jsonl", late(drawLogprobs(3, DRAWING))), { align: "none" });
    expect(codes(read)).toEqual([]);
    expect(read.run.sources[0]!.checks.scanSums).toBeUndefined();
  });

  it("are found where --align moved them too far", async () => {
    const read = await readAll(await write("a.jsonl", drawLogprobs(3, DRAWING)), { align: -2 });
    expect(find(read, "shifted-columns").hint).toContain("try --align 0,");
    expect(find(read, "shifted-columns").message).toContain("2 entries too late after --align -2");
  });

  it("are found over files that are too small to tell alone, whatever the batch size", async () => {
    const moved = late(drawLogprobs(5, { ...DRAWING, sequences: 24 }), -1);
    for (let i = 0; i < 12; i++) await write(`step_${i}.jsonl`, moved.slice(2 * i, 2 * i + 2));
    for (const batchTokens of [1_000_000, 50]) {
      const read = await readAll(folder, { batchTokens });
      expect(codes(read)).toEqual(["shifted-columns"]);
      expect(find(read, "shifted-columns").likely).toContain("as logits are");
      const aligned = await readAll(folder, { align: "auto", batchTokens });
      expect(codes(aligned)).toEqual(["note"]);
      expect(aligned.batches.every(({ provenance }) => provenance.shift === -1)).toBe(true);
    }
  });

  it("are told once where a file shows them by itself", async () => {
    const moved = late(drawLogprobs(5, DRAWING), -1);
    await write("step_1.jsonl", moved.slice(0, 24));
    await write("step_2.jsonl", moved.slice(24, 26));
    const read = await readAll(folder);
    expect(codes(read)).toEqual(["shifted-columns"]);
    const masked = moved.slice(0, 24).reduce((sum, { mask }) => sum + mask.reduce((a, b) => a + b, 0), 0);
    expect(find(read, "shifted-columns").count).toBe(masked);
  });

  it("are not found where columns are in place", async () => {
    const read = await readAll(await write("a.jsonl", drawLogprobs(3, DRAWING)), { align: "auto" });
    expect(codes(read)).toEqual([]);
    expect(read.batches[0]!.provenance.shift).toBeUndefined();
  });
});

describe("log-probs that are exactly 0", () => {
  it("at tool tokens that the mask lets in are named before anything else", async () => {
    const drawn = drawLogprobs(9, DRAWING).map(({ rollout, trainer, mask }) => ({
      rollout: rollout.map((value, t) => (t % 40 < 8 ? 0 : value)),
      trainer: trainer.map((value, t) => (t % 40 < 8 ? -6 : value)),
      mask,
    }));
    const { message, likely, count } = find(await readAll(await write("a.jsonl", drawn)), "zero-logprobs");
    const zeros = drawn.reduce((sum, { rollout }) => sum + rollout.filter((value) => value === 0).length, 0);
    expect(count).toBe(zeros);
    expect(message).toMatch(
      /^[\d,]+ rollout log-probs \(2\d(\.\d)? % of the tokens\) are exactly 0 where the trainer's are not; 9\d(\.\d+)? % of the total \|Δ\| comes from there$/,
    );
    expect(likely).toContain("tool output or padding is counted as sampled");
  });

  it("here and there are not tool output", async () => {
    const drawn = drawLogprobs(9, DRAWING).map(({ rollout, trainer, mask }) => ({
      rollout,
      trainer: trainer.map((value, t) => (t % 9 === 4 ? 0 : value)),
      mask,
    }));
    for (const { rollout } of drawn) for (let t = 4; t < rollout.length; t += 9) rollout[t] = -3;
    expect(find(await readAll(await write("a.jsonl", drawn)), "zero-logprobs")).toMatchObject({
      message: expect.stringContaining("trainer log-probs"),
      likely: "no log-prob was returned for these tokens, and 0 was filled in",
    });
  });

  it("at the end of both sides are padding where there is no mask", async () => {
    const padded = drawLogprobs(9, DRAWING).map(({ rollout, trainer }) => {
      const pad = (values: Float32Array): Float32Array => Float32Array.from([...values, 0, 0, 0, 0, 0]);
      return {
        rollout: pad(rollout),
        trainer: pad(trainer),
        mask: new Uint8Array(rollout.length + 5).fill(1),
      };
    });
    const bare = await readAll(await write("bare.jsonl", padded, false));
    expect(find(bare, "padding-counted").message).toMatch(
      /^150 tokens at the end of 30 responses are exactly 0 on both sides: Δ = 0 there lowers every mean/,
    );
    expect(codes(await readAll(await write("masked.jsonl", padded)))).not.toContain("padding-counted");
  });
});

it("says that columns which agree at every token may be one column", async () => {
  const equal = drawLogprobs(2, DRAWING).map((one) => ({ ...one, trainer: one.rollout }));
  const read = await readAll(await write("a.jsonl", equal));
  const tokens = equal.reduce((sum, { mask }) => sum + mask.length, 0).toLocaleString("en");
  expect(find(read, "same-columns")).toMatchObject({
    message: `rollout and trainer log-probs are identical at all ${tokens} tokens: Δ is 0 everywhere`,
    likely: expect.stringContaining("AReaL without decoupled loss"),
  });
  const oneSide = { oneSide: true, mapping: { rollout: "old_log_probs", trainer: "old_log_probs" } };
  expect(codes(await readAll(await write("b.jsonl", equal), oneSide))).toEqual([]);
  equal[0]!.trainer = equal[0]!.trainer.map((value, t) => (t === 0 ? value - 1e-3 : value));
  expect(codes(await readAll(await write("c.jsonl", equal)))).toEqual([]);
});

it("tells what files were recognized as before they are refused", async () => {
  const path = join(folder, "half.jsonl");
  await writeFile(path, `${JSON.stringify({ rollout_log_probs: [-1], responses: [1] })}\n`);
  let seen: readonly SourceReport[] = [];
  const onExamined = (sources: readonly SourceReport[]): void => {
    seen = sources;
  };
  await expect(readAll(path, { onExamined })).rejects.toThrow();
  expect(seen.map(({ file, trainer }) => [file, trainer])).toEqual([[path, "verl"]]);
});

describe("--align", () => {
  it("takes whole numbers, auto and none", () => {
    expect(["+1", "-3", "0", "-0", " 2 ", "auto", "none", 1].map(parseAlign)).toEqual([
      1,
      -3,
      0,
      0,
      2,
      "auto",
      "none",
      1,
    ]);
    for (const text of ["", "1.5", "x", "65", "--", "NaN"])
      expect(() => parseAlign(text)).toThrow(
        `--align must be a whole number from -64 to 64, auto or none, not "${text}"`,
      );
  });
});
