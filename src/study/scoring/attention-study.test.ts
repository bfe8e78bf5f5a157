import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { hasSharedData, LAB, warnIfAbsent } from "../../../test/support/shared-data.ts";
import { analyzeStudy } from "./analyze-study.ts";
import { readStudy } from "./config/read-study.ts";
import { openPolicy } from "./open-policy.ts";
import type { TokenSpan } from "./policy.ts";
import { runStudy } from "./run-study.ts";
import { paths } from "./store/manifest.ts";
import { readScores, type ScoreRow } from "./store/scores-file.ts";
import { readTexts } from "./store/texts-file.ts";
import type { StudySpec } from "./study-spec.ts";

warnIfAbsent("attention of the lab's checkpoints");

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const MODELS = at("test/fixtures/onnx");
const ONE_THREAD = { threads: 1 };
const ids = (seed: number, length: number): number[] =>
  Array.from({ length }, (_, i) => 3 + ((seed * 7 + i * 11) % 40));

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "attention-"));
});
afterEach(() => rm(dir, { recursive: true }));

interface Row {
  readonly id: string;
  readonly correct: boolean;
  readonly error_token?: number;
}

async function study(rows: readonly Row[], config: object = {}): Promise<StudySpec> {
  const texts = join(dir, "texts.jsonl");
  const whole = rows.map((row, i) => ({ prompt_ids: ids(i, 3), response_ids: ids(i + 9, 10), ...row }));
  await writeFile(texts, whole.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const base = {
    texts,
    tokenizer: at("examples/demo/tokenizer"),
    policies: {
      plain: `onnx:${MODELS}/plain`,
      run_1: `onnx:${MODELS}/scaled`,
      run_2: `onnx:${MODELS}/mixed`,
    },
    reference: "plain",
    attention: true,
  };
  return (await readStudy({ ...base, ...config }, join(dir, "out"), undefined)).spec;
}

async function scores(policy: string, out = join(dir, "out")): Promise<ScoreRow[]> {
  const rows: ScoreRow[] = [];
  for await (const row of readScores(paths.scores(out, policy))) rows.push(row);
  return rows;
}

const ROWS: readonly Row[] = [
  { id: "wrong", correct: false, error_token: 4 },
  { id: "right", correct: true },
  { id: "early", correct: false, error_token: 0 },
];
const known = (values: ArrayLike<number> | undefined): number[] =>
  Array.from(values ?? []).flatMap((value, t) => (Number.isNaN(value) ? [] : [t]));

describe("a study with attention", () => {
  test("keeps it for wrong texts with a known error, from the second token behind it on", async () => {
    const spec = await study(ROWS);
    const { findings } = await runStudy(spec, ONE_THREAD);
    expect(findings).toEqual([]);
    const [wrong, right, early] = await scores("run_1");
    expect(wrong!.attention!.error).toEqual({ from: 4, token: 4 });
    expect(right!.attention).toMatchObject({ error: undefined, heads: { layers: 0 } });
    expect(known(wrong!.attention!.toError)).toEqual([6, 7, 8, 9]);
    expect(known(wrong!.attention!.toControl)).toEqual([6, 7, 8, 9]);
    expect(known(wrong!.pairs.plain!.klWithoutError)).toEqual([6, 7, 8, 9]);
    expect(known(right!.attention!.toError)).toEqual([]);
    expect(known(early!.attention!.toError)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(known(early!.attention!.toControl)).toEqual([]);
    expect(known(early!.pairs.plain!.klWithoutControl)).toEqual([]);
    // The same as the policy returns for that text alone.
    const policy = await openPolicy("run_1", `onnx:${MODELS}/scaled`, { ...ONE_THREAD, attention: true });
    if (policy.gives !== "logits") throw new Error("a local model gives logits");
    const text = { id: "wrong", ids: Int32Array.from([...ids(0, 3), ...ids(9, 10)]), promptLength: 3 };
    const spans = [
      { from: 7, to: 8 },
      { from: 6, to: 7 },
    ];
    const [error, control] = await policy.attention!(text, { spans, tokens: [9, 10, 11, 12] });
    await policy.close();
    expect([...wrong!.attention!.toError.slice(6)]).toEqual([...error!.shares]);
    expect([...wrong!.attention!.toControl.slice(6)]).toEqual([...control!.shares]);
    expect(wrong!.attention!.heads).toEqual({ layers: 2, shares: error!.heads });
  });

  test("KL without the error, and without the control, is of both policies with it hidden", async () => {
    await runStudy(await study(ROWS), ONE_THREAD);
    const { klWithoutError, klWithoutControl } = (await scores("run_1"))[0]!.pairs.plain!;
    const text = { id: "wrong", ids: Int32Array.from([...ids(0, 3), ...ids(9, 10)]), promptLength: 3 };
    const logprobs = async (model: string, hidden: TokenSpan): Promise<number[][]> => {
      const policy = await openPolicy(model, `onnx:${MODELS}/${model}`, { ...ONE_THREAD, attention: true });
      if (policy.gives !== "logits") throw new Error("a local model gives logits");
      const rows: number[][] = [];
      for await (const { values, vocabulary } of policy.logitsWithout!(text, hidden)) {
        for (let start = 0; start < values.length; start += vocabulary) {
          const row = Array.from(values.subarray(start, start + vocabulary));
          const sum = Math.log(row.reduce((total, value) => total + Math.exp(value), 0));
          rows.push(row.map((value) => value - sum));
        }
      }
      await policy.close();
      return rows;
    };
    for (const [kl, hidden] of [
      [klWithoutError!, { from: 7, to: 8 }],
      [klWithoutControl!, { from: 6, to: 7 }],
    ] as const) {
      const [p, q] = [await logprobs("scaled", hidden), await logprobs("plain", hidden)];
      for (let t = 6; t < 10; t++) {
        const expected = p[t]!.reduce((sum, value, i) => sum + Math.exp(value) * (value - q[t]![i]!), 0);
        expect(kl[t]! / expected).toBeCloseTo(1, 4);
      }
    }
  });

  test("hides nothing where one of the two cannot", async () => {
    await runStudy(await study(ROWS), ONE_THREAD);
    const [wrong] = await scores("run_2");
    expect(known(wrong!.attention!.toError)).toEqual([6, 7, 8, 9]);
    expect(wrong!.pairs.plain).not.toHaveProperty("klWithoutError");
  });

  test("is scored once: again where it lacks attention, or the error is another one", async () => {
    const done = async (spec: StudySpec): Promise<number[]> =>
      (await runStudy(spec, ONE_THREAD)).policies.map(({ scored }) => scored);
    expect(await done(await study(ROWS, { attention: false }))).toEqual([3, 3, 3]);
    expect((await scores("run_1"))[0]).not.toHaveProperty("attention");
    expect(await done(await study(ROWS))).toEqual([3, 3, 3]);
    expect(await done(await study(ROWS))).toEqual([0, 0, 0]);
    expect(await done(await study(ROWS.slice(0, 2)))).toEqual([0, 0, 0]);
    const [first, ...others] = ROWS;
    expect(await done(await study([{ ...first!, error_token: 5 }, ...others]))).toEqual([3, 3, 3]);
    expect((await scores("run_1"))[0]!.attention!.error).toEqual({ from: 5, token: 5 });
  });

  test("says which policies have none", async () => {
    const policies = { plain: `onnx:${MODELS}/plain`, run_1: `onnx:${MODELS}/merged` };
    const { findings } = await runStudy(await study(ROWS, { policies }), ONE_THREAD);
    expect(findings).toMatchObject([
      {
        code: "note",
        severity: "info",
        message: "run_1 has no attention figures",
        likely: expect.stringMatching(/cannot be read: it is inside branches/),
      },
    ]);
    const spec = await study(ROWS, { policies });
    const { attention, absent } = await analyzeStudy(spec.out, { analysis: spec.analysis });
    expect(attention).toEqual([]);
    expect(absent.join("\n")).toMatch(/no attention to first errors/);
  });

  test("reports means over the tokens after the errors", async () => {
    const spec = await study(ROWS);
    await runStudy(spec, ONE_THREAD);
    const { attention } = await analyzeStudy(spec.out, { analysis: spec.analysis });
    expect(attention.map(({ checkpoint, hidden }) => [checkpoint, hidden !== null])).toEqual([
      ["run_1", true],
      ["run_2", false],
    ]);
    const [own, reference] = [await scores("run_1"), await scores("plain")];
    const mean = (values: ArrayLike<number>): number => {
      const finite = Array.from(values).filter((value) => !Number.isNaN(value));
      return finite.reduce((sum, value) => sum + value, 0) / finite.length;
    };
    const over = (rows: readonly ScoreRow[], of: (row: ScoreRow) => ArrayLike<number>): number =>
      mean([mean(of(rows[0]!)), mean(of(rows[2]!))]);
    const [figures] = attention;
    expect(figures).toMatchObject({ texts: 2, problems: 2, with_kl: null });
    expect(figures!.to_error).toBeCloseTo(
      over(own, ({ attention }) => attention!.toError),
      6,
    );
    expect(figures!.reference_to_error).toBeCloseTo(
      over(reference, ({ attention }) => attention!.toError),
      6,
    );
    expect(figures!.to_control).toBeCloseTo(mean(own[0]!.attention!.toControl), 6);
    expect(figures!.hidden!.kl_without_error).toBeCloseTo(
      over(own, ({ pairs }) => pairs.plain!.klWithoutError!),
      6,
    );
    const visible = own.map(({ pairs, attention }) =>
      pairs.plain!.forwardKl.map((kl, t) => (Number.isNaN(attention!.toError[t]) ? Number.NaN : kl)),
    );
    expect(figures!.hidden!.kl).toBeCloseTo(mean([mean(visible[0]!), mean(visible[2]!)]), 6);
    const heads = own[0]!.attention!.heads.shares.map(
      (share, i) => (share + own[2]!.attention!.heads.shares[i]!) / 2,
    );
    const { layer, head, share } = figures!.strongest_head!;
    expect(share).toBeCloseTo(Math.max(...heads), 6);
    expect(heads[2 * layer + head]).toBeCloseTo(share, 6);
  });
});

describe.skipIf(!hasSharedData)("the lab's checkpoints", () => {
  test("every head's attention sums to 1; what is hidden is not seen", async () => {
    const policy = await openPolicy("dpo", `onnx:${LAB}ckpt/dpo`, { ...ONE_THREAD, attention: true });
    if (policy.gives !== "logits") throw new Error("a local model gives logits");
    expect(policy.facts.attention).toEqual({ layers: 4, heads: 4, canHide: true });
    const text = { id: "t", ids: Int32Array.from(ids(3, 120)), promptLength: 20 };
    const tokens = Array.from({ length: 100 }, (_, i) => 20 + i);
    const spans = [
      { from: 0, to: 120 },
      { from: 0, to: 60 },
      { from: 60, to: 120 },
    ];
    const [all, early, late] = await policy.attention!(text, { spans, tokens });
    expect(all!.heads).toHaveLength(16);
    for (const share of [...all!.shares, ...all!.heads]) expect(share).toBeCloseTo(1, 5);
    for (const [i, share] of early!.shares.entries()) {
      expect(share + late!.shares[i]!).toBeCloseTo(1, 5);
      if (tokens[i]! <= 60) expect(late!.shares[i]).toBeLessThan(1e-6);
    }
    const other = { ...text, ids: text.ids.slice().fill(77, 40, 44) };
    const rows = async (one: typeof text, hidden: boolean): Promise<number[]> => {
      const values: number[] = [];
      const behind = { ...one, promptLength: 45 };
      const span = { from: 40, to: 44 };
      for await (const block of hidden ? policy.logitsWithout!(behind, span) : policy.logits(behind))
        values.push(...(block.values as Float32Array));
      return values;
    };
    expect(await rows(text, true)).toEqual(await rows(other, true));
    expect(await rows(text, false)).not.toEqual(await rows(other, false));
    await policy.close();
  });

  test("a study of a few texts gives the whole reading", async () => {
    const config = {
      problems: `${LAB}probe/filtered_problems.json`,
      responses: `${LAB}probe/dpo_responses.json`,
      policies: { dpo: `onnx:${LAB}ckpt/dpo`, rlvr_step_1000: `onnx:${LAB}ckpt/rlvr_step_1000` },
      reference: "dpo",
      attention: true,
      limit: 24,
    };
    const { spec } = await readStudy(config, join(dir, "lab"), undefined);
    await runStudy(spec, ONE_THREAD);
    const errors = (await scores("rlvr_step_1000", spec.out)).filter(({ attention }) => attention!.error);
    expect((await readTexts(spec.out)).length).toBe(24);
    expect(errors.length).toBeGreaterThan(20);
    const report = await analyzeStudy(spec.out, { analysis: spec.analysis });
    const [figures] = report.attention;
    expect(figures).toMatchObject({ checkpoint: "rlvr_step_1000", texts: errors.length });
    expect(figures!.to_error).toBeGreaterThan(0.05);
    expect(figures!.to_error).toBeLessThan(0.1);
    expect(Math.abs(figures!.difference.mean)).toBeLessThan(0.005);
    expect(figures!.with_kl!.problems).toBe(errors.length);
    expect(figures!.hidden!.kl_without_error).toBeGreaterThan(figures!.hidden!.kl);
    expect(report.answers.map(({ question }) => question).join(" ")).toMatch(/look at the error more/);
    expect(report.caveats.join(" ")).toMatch(/Attention is not an explanation/);
  });
});
