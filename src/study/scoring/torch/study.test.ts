import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { analyzeStudy } from "../analyze-study.ts";
import { readStudy } from "../config/read-study.ts";
import type { GradientLine } from "../gradients/gradients-file.ts";
import { openPolicy } from "../open-policy.ts";
import { type RunStudyResult, runStudy } from "../run-study.ts";
import { paths } from "../store/manifest.ts";
import { readScores, type ScoreRow } from "../store/scores-file.ts";
import type { PolicyOutcome } from "../study-scoring.ts";
import { findTorchPython, makeTorchStudy, type TorchStudy } from "./torch-python.test-data.ts";

const TOKENIZER = fileURLToPath(new URL("../../../../examples/demo/tokenizer", import.meta.url));
const python = findTorchPython();

describe.skipIf(python === undefined)("a study of Hugging Face models", () => {
  let study: TorchStudy;
  beforeAll(() => {
    study = makeTorchStudy(python!);
  }, 120_000);
  afterAll(() => {
    rmSync(study.dir, { recursive: true, force: true });
  });

  const at = (name: string): string => join(study.dir, name);
  async function run(
    out: string,
    policies: Record<string, string>,
    backend: Record<string, unknown> = {},
  ): Promise<readonly PolicyOutcome[]> {
    const settings = {
      texts: [at("texts.jsonl")],
      policies,
      reference: "dpo",
      tokenizer: TOKENIZER,
      backend: { gpu: "none", python, ...backend },
    };
    const { spec, backend: options } = await readStudy(settings, at(out), undefined);
    const result = await runStudy(spec, options);
    expect(result.findings.filter(({ severity }) => severity === "skipped")).toEqual([]);
    return result.policies;
  }
  async function rowsOf(out: string, policy: string): Promise<Map<string, ScoreRow>> {
    const rows = new Map<string, ScoreRow>();
    for await (const row of readScores(paths.scores(at(out), policy))) rows.set(row.text, row);
    return rows;
  }
  async function checkAgainstFloat64(out: string, policies: readonly string[]): Promise<void> {
    for (const policy of policies) {
      const rows = await rowsOf(out, policy);
      expect(rows.size).toBe(5);
      for (const [text, row] of rows) {
        const wanted = study.expected[policy]![text]!;
        const close = (name: string, values: ArrayLike<number>): void => {
          expect(values.length, `${name} of ${text}`).toBe(wanted[name]!.length);
          wanted[name]!.forEach((value, i) => {
            expect(Math.abs(values[i]! - value), `${policy} ${text} ${name} ${i}`).toBeLessThan(1e-4);
          });
        };
        close("logprob", row.logprobs);
        close("entropy", row.entropies!);
        close("rank", row.ranks);
        expect([...row.topK.ids]).toEqual(wanted.topk_ids!.flat());
        const pair = row.pairs.dpo;
        if (pair === undefined) continue;
        close("forward_kl", pair.forwardKl);
        close("reverse_kl", pair.reverseKl);
        close("js_divergence", pair.jsDivergence);
        close("total_variation", pair.totalVariation);
        expect(pair.forwardKlAfterEnd).toBeGreaterThan(0);
        expect([pair.excludedP, pair.excludedQ]).toEqual([0, 0]);
      }
    }
  }
  const POLICIES = ["dpo", "step_10", "step_20"];
  const checkpoints = (): Record<string, string> =>
    Object.fromEntries(POLICIES.map((name) => [name, `hf:${at(`ckpt/${name}`)}`]));

  test("gives what float64 gives, in batches that hold several texts and in batches of one", async () => {
    const outcomes = await run("batched.study", checkpoints());
    expect(outcomes.map(({ scored, tokens }) => [scored, tokens])).toEqual(POLICIES.map(() => [5, 105]));
    expect(outcomes[0]!.notes[0]).toMatch(/parameters in float32 on cpu, logits in float32/);
    await checkAgainstFloat64("batched.study", POLICIES);
    // Four rows of logits at a time, and no cached rows of the reference.
    await run("small.study", checkpoints(), { batch_tokens: 1, memory_mib: 1, cache_mib: 0 });
    await checkAgainstFloat64("small.study", POLICIES);
    // Everything is scored: nothing is opened.
    const again = await run("batched.study", checkpoints(), { python: "/no/such/python" });
    expect(again.map(({ kept }) => kept)).toEqual([5, 5, 5]);
  }, 180_000);

  test("compares with another back end's policy by its logits, and agrees with it", async () => {
    const saved = `logits:${at("logits.npz")}`;
    const mixed = { ...checkpoints(), dpo: `${saved}#dpo`, step_20: `${saved}#step_20` };
    await run("mixed.study", mixed);
    await checkAgainstFloat64("mixed.study", POLICIES);
  }, 180_000);

  test("computes in the dtype that is asked for, and scores again when that changes", async () => {
    const two = { dpo: `hf:${at("ckpt/dpo")}`, step_20: `hf:${at("ckpt@step_20")}` };
    await run("dtype.study", two);
    const outcomes = await run("dtype.study", two, { dtype: "bfloat16" });
    expect(outcomes.map(({ scored }) => scored)).toEqual([5, 5]);
    expect(outcomes[1]!.notes[0]).toMatch(/in bfloat16 on cpu, logits rounded to bfloat16 by the model/);
    const [row] = (await rowsOf("dtype.study", "step_20")).values();
    const wanted = study.expected.step_20!.t0!.logprob!;
    const furthest = Math.max(...wanted.map((value, i) => Math.abs(row!.logprobs[i]! - value)));
    expect(furthest).toBeGreaterThan(1e-4);
    expect(furthest).toBeLessThan(0.2);
  }, 180_000);

  test("asks what spikes depend on, once, and the report says it", async () => {
    const rows = readFileSync(at("texts.jsonl"), "utf8").trimEnd().split("\n");
    const wrong = rows.map((row) => {
      const text = JSON.parse(row) as { readonly response_ids: readonly number[] };
      return { ...text, correct: false, error_token: Math.min(3, text.response_ids.length - 1) };
    });
    writeFileSync(at("wrong.jsonl"), wrong.map((text) => `${JSON.stringify(text)}\n`).join(""));
    const settings = (python_: string) => ({
      texts: [at("wrong.jsonl")],
      policies: checkpoints(),
      reference: "dpo",
      tokenizer: TOKENIZER,
      gradients: true,
      spikes: { threshold: 1.5 },
      cases: 8,
      backend: { gpu: "none", python: python_ },
    });
    const ask = async (python_: string): Promise<RunStudyResult> => {
      const { spec, backend: options } = await readStudy(settings(python_), at("gradients.study"), undefined);
      return runStudy(spec, options);
    };
    const { findings } = await ask(python!);
    expect(findings.filter(({ severity }) => severity === "skipped")).toEqual([]);
    const file = paths.gradients(at("gradients.study"), "step_20");
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    for (const line of lines) {
      const { text, positions, gradient_times_input: values } = JSON.parse(line) as GradientLine;
      const { prompt_ids: prompt } = wrong.find((one) => (one as { id?: string }).id === text) as unknown as {
        prompt_ids: number[];
      };
      expect(values.map(({ length }) => length)).toEqual(positions.map((t) => prompt.length + t));
      expect(values.flat().every(Number.isFinite)).toBe(true);
      expect(Math.max(...values.flat().map(Math.abs))).toBeGreaterThan(1e-4);
    }
    const { spec } = await readStudy(settings(python!), "out", undefined);
    const report = await analyzeStudy(at("gradients.study"), { analysis: spec.analysis });
    const spikes = report.cases.flatMap((study) => study.spikes);
    expect(spikes.some(({ depends_on }) => (depends_on?.length ?? 0) > 0)).toBe(true);
    expect(report.gradients.map(({ checkpoint }) => checkpoint)).toEqual(["step_10", "step_20"]);
    // Everything is known: no Python is needed, and nothing is written.
    await ask("/no/such/python");
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toEqual(lines);
  }, 180_000);

  test("samples, refuses what a model cannot read, and ends its process with the last policy", async () => {
    const policy = await openPolicy("dpo", `hf:${at("ckpt/dpo")}`, { gpu: "none", python: python! });
    const [one, two] = await policy.sample!(Int32Array.of(5, 6, 7), {
      n: 2,
      temperature: 1,
      topP: 1,
      maxTokens: 7,
      seed: 1,
      stopIds: [],
    });
    expect([one!.ids.length, two!.ids.length, one!.finishReason]).toEqual([7, 7, "length"]);
    if (policy.gives !== "logits") throw new Error("it gives logits");
    const long = { id: "long", ids: new Int32Array(129).fill(3), promptLength: 1 };
    const strange = { id: "strange", ids: Int32Array.of(3, 193), promptLength: 1 };
    const found: unknown[] = [];
    await policy.batches!.score([long, strange], [], {
      topK: 0,
      keep: false,
      signal: undefined,
      onText: (place, error) => found.push([place, (error as Error).message]),
    });
    expect(found).toEqual([
      [0, `text long has 129 tokens; the limit of ${at("ckpt/dpo")} is 128`],
      [1, `text strange has token 193 at position 1; the ids of ${at("ckpt/dpo")} are 0 to 192`],
    ]);
    await policy.close();
    const after = { ...long, ids: long.ids.subarray(0, 4) };
    await expect(policy.logits(after)[Symbol.asyncIterator]().next()).rejects.toThrow(
      "the policy dpo is closed",
    );
  }, 120_000);

  test("says which directories hold no model", async () => {
    const open = (where: string): Promise<unknown> =>
      openPolicy("p", `hf:${at(where)}`, { gpu: "none", python: python! });
    await expect(open("nowhere")).rejects.toThrow(/nowhere is not a directory/);
    await expect(open("ckpt@step_30")).rejects.toMatchObject({
      message: `${at("ckpt")} has no revision step_30`,
      likely: "its revisions are dpo, step_10, step_20",
    });
    await expect(open("ckpt")).rejects.toMatchObject({
      message: `${at("ckpt")} has no config.json`,
      _tag: "NotFoundError",
    });
    expect(existsSync(at("ckpt/dpo"))).toBe(true);
  }, 120_000);
});
