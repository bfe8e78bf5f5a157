import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DivergenceRecord, DivergenceReport } from "../../../results/divergence.ts";
import { EXIT } from "../exit-status.ts";
import { analyze } from "./analyze.ts";
import { type Captured, captured, DEMO } from "./captured.test-data.ts";
import { type DivergenceCommandOptions, divergence } from "./divergence.ts";

const TOKENIZER = fileURLToPath(new URL("../../../../test/fixtures/tokenizer/byte-level", import.meta.url));

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "logratio-divergence-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const run = (options: DivergenceCommandOptions, path = DEMO): Promise<Captured> =>
  captured((terminal) => divergence([path], options, terminal));

const records = (text: string): DivergenceRecord[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as DivergenceRecord);

interface ReferenceCase {
  readonly note: string;
  readonly config: { readonly top_k: number; readonly context_window: number };
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly records: readonly Readonly<Record<string, unknown>>[];
}
const REFERENCE = new URL("../../../../test/fixtures/divergence/verl.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(REFERENCE, "utf8")) as { readonly cases: readonly ReferenceCase[] };
/** Made of texts, and held to the reference where batches in memory are. */
const OF_TEXTS = /text|response$|^reencode|^decode/;

describe("records of a padded batch in a file", () => {
  /** The largest differences of a batch that lies in a file. */
  async function log(batch: object, options: DivergenceCommandOptions = {}): Promise<DivergenceRecord[]> {
    const path = join(directory, "padded.json");
    writeFileSync(path, JSON.stringify(batch));
    const { out } = await run({ threshold: "0", json: true, ...options }, path);
    return [...((JSON.parse(out) as DivergenceReport).records as readonly DivergenceRecord[])];
  }

  it.each(cases.map((given) => [given.note, given] as const))(
    "are the Python implementation's: %s",
    async (_, { config, inputs, records: expected }) => {
      const ours = await log(inputs, { topK: String(config.top_k), context: String(config.context_window) });
      expect(ours).toHaveLength(expected.length);
      for (const [rank, theirs] of expected.entries()) {
        const record = ours[rank] as unknown as Record<string, unknown>;
        for (const [name, value] of Object.entries(theirs)) {
          if (OF_TEXTS.test(name)) continue;
          if (typeof value === "number") expect(record[name], name).toBeCloseTo(value, 6);
          else expect(record[name], name).toEqual(value);
        }
      }
    },
  );

  it("give each token its reward after penalties, else its score", async () => {
    const { inputs } = cases[0]!;
    const scores = inputs.token_level_scores as readonly (readonly number[])[];
    const rewards = scores.map((row) => row.map((_, t) => t / 8));
    for (const { position, reward } of await log({ ...inputs, token_level_rewards: rewards }))
      expect(reward).toBe(position / 8);
    for (const { batch_idx, position, reward } of await log(inputs))
      expect(reward).toBeCloseTo(scores[batch_idx]![position]!, 6);
  });
});

describe("divergence", () => {
  it("prints the tokens of each step that reaches the threshold, then a summary", async () => {
    const { status, out, err } = await run({ threshold: "0.6" });
    expect(status).toBe(EXIT.fine);
    expect(out).toMatch(
      /^Iteration 10 of stale: largest \|Δp\| 0\.632, at or above 0\.6\n=+\nHigh Divergence/,
    );
    expect(out.match(/^\[Rank 0\] Divergence: /gm)).toHaveLength(2);
    expect(out).toContain("  Token: <no_tokenizer:55> (ID: 55)\n");
    expect(out).toContain("stale · |Δp| reaches 0.6 in 2 of 12 iterations · 10 tokens logged\n");
    expect(err).toContain("the 10 logged tokens are named <no_tokenizer:ID>");
    expect(err).toContain("--tokenizer DIR");
  });

  it("gives the whole result as JSON, and the same records as JSONL", async () => {
    const { out } = await run({ json: true, topK: "3", context: "2", tokenizer: TOKENIZER });
    const report = JSON.parse(out) as DivergenceReport;
    expect(report).toMatchObject({
      schemaVersion: 1,
      kind: "divergence",
      settings: { threshold: 0.8, top_k: 3, context: 2, every: 1, tokenizer: TOKENIZER },
      metrics: { sequences: 768, tokens: 54994, steps: 12, steps_logged: 1, records: 3 },
      outputs: [],
    });
    expect(report.per_step.find(({ logged }) => logged)!.metrics).toHaveProperty("per_round/total_rounds");
    const [first] = report.records as readonly DivergenceRecord[];
    expect(first).toMatchObject({
      iteration: 30,
      rank: 0,
      is_correct: false,
      flip_type: "rollout_confident_actor_rejects",
    });
    expect(first!.token_text).toMatch(/^['"]/);
    expect(first!.context_end_pos - first!.context_start_pos).toBe(5);
    const lines = await run({ out: "-", steps: "30", topK: "3", context: "2", tokenizer: TOKENIZER });
    expect(records(lines.out)).toEqual(report.records);
    expect(lines.err).toContain("3 tokens logged");
  });

  it("appends to a file, names it, and repairs what an earlier writer left", async () => {
    const out = join(directory, "sub", "log.jsonl");
    const first = await run({ out, steps: "30" });
    expect(records(readFileSync(out, "utf8"))).toHaveLength(5);
    expect(first.out).toContain(`appended to ${out}: 5 lines\n  next: logratio analyze ${out}\n`);
    writeFileSync(out, readFileSync(out, "utf8").slice(0, -10));
    const second = await run({ out, json: true, steps: "30" });
    const report = JSON.parse(second.out) as DivergenceReport;
    expect(report.outputs).toEqual([{ file: out, lines: 1, repeated: 4, completed_torn_line: true }]);
    expect(report.records).toBeNull();
    expect(second.err).toContain("the last line of the log was incomplete");
    expect(readFileSync(out, "utf8").split("\n")).toHaveLength(7);
  });

  it("fills in the iteration, and rotates", async () => {
    const options = { threshold: "0", topK: "2", steps: "10..60" };
    await run({ ...options, out: join(directory, "a_{iteration}.jsonl") });
    await run({ ...options, out: join(directory, "b.jsonl"), rotate: "iteration" });
    const sized = await run({ ...options, out: join(directory, "c.jsonl"), rotateSize: "1.5kB" });
    const files = readdirSync(directory);
    expect(files).toEqual(
      expect.arrayContaining(["a_30.jsonl", "b-iteration-30.jsonl", "c.jsonl", "c.2.jsonl"]),
    );
    expect(sized.out).toContain(`next: logratio analyze ${directory}\n`);
    expect(records(readFileSync(join(directory, "a_30.jsonl"), "utf8"))).toHaveLength(2);
  });

  it("still prints everything when the log cannot be written, says why once, and fails", async () => {
    writeFileSync(join(directory, "file"), "");
    const out = join(directory, "file", "log.jsonl");
    const { status, out: text, err } = await run({ threshold: "0.3", out, steps: "10..40" });
    expect(status).toBe(EXIT.unreadable);
    expect(text.match(/^\[Rank 0\]/gm)!.length).toBeGreaterThan(1);
    expect(err.match(/error: cannot append to/g)).toHaveLength(1);
    expect(err).toMatch(/written: 0 of \d+ records\n$/);
    const json = await run({ out, json: true, steps: "30" });
    expect((JSON.parse(json.out) as DivergenceReport).records).toHaveLength(5);
    expect(json.status).toBe(EXIT.unreadable);
  });

  it("takes every n-th step, and says what it left out", async () => {
    const { out, err } = await run({ every: "20", threshold: "0.4" });
    expect(out).not.toContain("Iteration 30 of");
    expect(out).toContain(" of 5 iterations");
    expect(err).toContain("sequences are of steps that 20 does not divide, and were left out");
  });

  it("names the iteration of data without steps", async () => {
    const row = {
      response_ids: [1, 2],
      response_mask: [1, 1],
      rollout_log_probs: [-0.01, -1],
      old_log_probs: [-7, -1],
    };
    const path = join(directory, "rows.jsonl");
    writeFileSync(path, `${JSON.stringify(row)}\n`);
    const { out } = await run({ out: "-", iteration: "42", topK: "1", responseChars: "all" }, path);
    expect(records(out)).toMatchObject([{ iteration: 42, token_id: 1, is_correct: null }]);
  });

  it("writes lean records: the guide's fields that are known, and analyze reads them", async () => {
    const options = { json: true, steps: "30", tokenizer: TOKENIZER };
    const whole = JSON.parse((await run(options)).out) as DivergenceReport;
    const lean = JSON.parse((await run({ ...options, lean: true })).out) as DivergenceReport;
    expect([whole.settings.lean, lean.settings.lean]).toEqual([false, true]);
    expect(lean.metrics).toEqual(whole.metrics);
    expect(lean.records).toHaveLength(whole.records!.length);
    for (const [i, record] of lean.records!.entries()) {
      expect(whole.records![i]).toMatchObject(record);
      expect(Object.values(record)).not.toContain(null);
      for (const field of ["token_text", "flip_type", "handle", "record_id"])
        expect(record).toHaveProperty(field);
      for (const field of ["rollout_top5", "reencodes_to_same_id", "advantage", "tokens_match"])
        expect(record).not.toHaveProperty(field);
    }
    const [long, short] = [whole, lean].map(({ records: all }) => JSON.stringify(all).length);
    expect(short!).toBeLessThan(0.75 * long!);
    const out = join(directory, "lean.jsonl");
    await run({ out, steps: "30", tokenizer: TOKENIZER, lean: true });
    const analyzed = await captured((terminal) => analyze([out], { json: true }, terminal));
    expect(JSON.parse(analyzed.out)).toMatchObject({ metrics: { records: 5 } });
  });

  it.each([
    [{ threshold: "2" }, /--threshold must be .* from 0 to 1, not "2"/],
    [{ threshold: "" }, /--threshold must be/],
    [{ topK: "0" }, /--top-k must be a positive integer/],
    [{ context: "-1" }, /--context must be a whole number/],
    [{ promptChars: "some" }, /--prompt-chars must be a whole number/],
    [{ rotate: "hourly", out: "x" }, /unknown --rotate "hourly"/],
    [{ rotateSize: "10MB" }, /need a file to rotate/],
    [{ rotateSize: "ten", out: "x" }, /--rotate-size must be a size such as 10MB/],
    [{ json: true, out: "-" }, /both write to standard output/],
  ] satisfies [DivergenceCommandOptions, RegExp][])(
    "refuses %o before it looks at the data",
    async (options, message) => {
      await expect(run(options, "/no/such/path")).rejects.toThrow(message);
      await expect(run(options, "/no/such/path")).rejects.toMatchObject({ _tag: "UsageError" });
    },
  );
});
