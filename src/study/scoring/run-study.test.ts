import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { analyzeStudy } from "./analyze-study.ts";
import { readStudy } from "./config/read-study.ts";
import { openPolicy } from "./open-policy.ts";
import { readPair } from "./read-scored.ts";
import { runStudy } from "./run-study.ts";
import { logprobsAfter } from "./servers/bigram-model.test-data.ts";
import { startServer, type TestServer } from "./servers/http-server.test-data.ts";
import { vllmHandler } from "./servers/vllm/vllm-server.test-data.ts";
import { paths } from "./store/manifest.ts";
import { readScores, type ScoreRow } from "./store/scores-file.ts";
import { readTexts } from "./store/texts-file.ts";
import type { StudySpec } from "./study-spec.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const MODELS = at("test/fixtures/onnx");
const TOKENIZER = at("examples/demo/tokenizer");
const ONE_THREAD = { threads: 1 };

/** Ids that all models of these tests have. */
function ids(seed: number, length: number): number[] {
  return Array.from({ length }, (_, i) => 3 + ((seed * 7 + i * 11) % 40));
}

let dir: string;
let texts: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "study-"));
  texts = join(dir, "texts.jsonl");
  await writeTexts(
    [0, 1, 2, 3, 4, 5].map((seed) => ({
      id: `t${seed}`,
      prompt_ids: ids(seed, 3),
      response_ids: ids(seed + 9, 4 + seed),
    })),
  );
});
afterEach(() => rm(dir, { recursive: true }));

async function writeTexts(rows: readonly object[]): Promise<void> {
  await writeFile(texts, rows.map((row) => `${JSON.stringify({ correct: true, ...row })}\n`).join(""));
}

async function study(config: object = {}): Promise<StudySpec> {
  const base = {
    texts,
    tokenizer: TOKENIZER,
    policies: {
      plain: `onnx:${MODELS}/plain`,
      scaled_1: `onnx:${MODELS}/scaled`,
      scaled_2: `onnx:${MODELS}/cache`,
    },
    reference: "plain",
  };
  return (await readStudy({ ...base, ...config }, join(dir, "out"), undefined)).spec;
}

async function scores(policy: string): Promise<ScoreRow[]> {
  const rows: ScoreRow[] = [];
  for await (const row of readScores(paths.scores(join(dir, "out"), policy))) rows.push(row);
  return rows;
}

describe("runStudy", () => {
  test("scores the checkpoints that are named, and keeps what is scored of the others", async () => {
    const names = (policies: readonly { readonly name: string; readonly scored: number }[]): unknown[] =>
      policies.map(({ name, scored }) => [name, scored]);
    const one = await runStudy(await study({ checkpoints: "scaled_1" }), ONE_THREAD);
    expect(names(one.policies)).toEqual([
      ["plain", 6],
      ["scaled_1", 6],
    ]);
    const { analysis } = await study();
    const report = await analyzeStudy(join(dir, "out"), { analysis });
    expect(Object.keys(report.checkpoints)).toEqual(["scaled_1"]);
    expect(report.findings.filter(({ severity }) => severity === "skipped")).toEqual([]);
    const other = await runStudy(await study({ checkpoints: ["scaled_2"] }), ONE_THREAD);
    expect(names(other.policies)).toEqual([
      ["plain", 0],
      ["scaled_2", 6],
    ]);
    const both = await analyzeStudy(join(dir, "out"), { analysis });
    expect(Object.keys(both.checkpoints)).toEqual(["scaled_1", "scaled_2"]);
    await expect(study({ checkpoints: ["scaled_3"] })).rejects.toThrow(
      "the checkpoint scaled_3 is not one of the policies",
    );
  });

  test("scores wrong texts only, where that is asked for, and counts the others", async () => {
    const row = (name: string, seed: number): object => ({
      id: name,
      prompt_ids: ids(seed, 3),
      response_ids: ids(seed + 9, 4),
    });
    const lines = [
      { ...row("right", 1), correct: true },
      { ...row("wrong", 2), correct: false },
      row("unknown", 3),
      row("unknown_too", 4),
    ];
    await writeFile(texts, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const result = await runStudy(await study({ only_wrong: true }), ONE_THREAD);
    expect(result.texts.map(({ id }) => id)).toEqual(["wrong"]);
    expect(result.findings.map(({ severity, message }) => [severity, message])).toEqual([
      ["info", "1 text known to be right was left out by --only-wrong"],
      ["warning", "2 texts not known to be wrong were left out by --only-wrong"],
    ]);
  });

  test("a checkpoint that was asked for and could not be opened does not hide the others", async () => {
    const spec = await study({
      policies: {
        plain: `onnx:${MODELS}/plain`,
        scaled_1: `onnx:${MODELS}/scaled`,
        gone_2: `onnx:${dir}/gone`,
      },
      checkpoints: ["scaled_1", "gone_2"],
    });
    const { findings } = await runStudy(spec, ONE_THREAD);
    expect(findings.map(({ message }) => message).join()).toContain("gone_2");
    const { analysis, only } = spec;
    const report = await analyzeStudy(spec.out, { analysis, only, failed: only });
    expect(Object.keys(report.checkpoints)).toEqual(["scaled_1"]);
    await expect(analyzeStudy(spec.out, { analysis, only: ["gone_2"], failed: only })).rejects.toMatchObject({
      _tag: "EmptyInputError",
    });
    await expect(analyzeStudy(spec.out, { analysis, only })).rejects.toMatchObject({ _tag: "UsageError" });
  });

  test("gives each token of each text its own distribution's figures", async () => {
    const spec = await study();
    const { policies, findings, files } = await runStudy(spec, ONE_THREAD);
    expect(findings).toEqual([]);
    expect(policies.map(({ name, scored, kept }) => [name, scored, kept])).toEqual([
      ["plain", 6, 0],
      ["scaled_1", 6, 0],
      ["scaled_2", 6, 0],
    ]);
    for (const file of files) expect((await stat(file)).size).toBeGreaterThan(0);

    const [p, q] = [await distributions(spec, "scaled_1"), await distributions(spec, "plain")];
    const row = (await scores("scaled_1"))[2]!;
    const pair = row.pairs.plain!;
    row.logprobs.forEach((logprob, t) => {
      const kl = p[t]!.reduce((sum, value, i) => sum + Math.exp(value) * (value - q[t]![i]!), 0);
      const entropy = -p[t]!.reduce((sum, value) => sum + Math.exp(value) * value, 0);
      expect(logprob).toBeCloseTo(p[t]![ids(11, 6)[t]!]!, 5);
      expect(pair.forwardKl[t]! / kl).toBeCloseTo(1, 4);
      expect(row.entropies![t]).toBeCloseTo(entropy, 5);
    });
    const last = p.at(-1)!.reduce((sum, value, i) => sum + Math.exp(value) * (value - q.at(-1)![i]!), 0);
    expect(pair.forwardKlAfterEnd / last).toBeCloseTo(1, 4);
  });

  /** Log-probs of every column for text t2's response tokens and the place after it. */
  async function distributions(spec: StudySpec, name: string): Promise<number[][]> {
    const policy = await openPolicy(name, spec.policies.find((one) => one.name === name)!.at, ONE_THREAD);
    if (policy.gives !== "logits") throw new Error("a local model gives logits");
    const rows: number[][] = [];
    const text = { id: "t2", ids: Int32Array.from([...ids(2, 3), ...ids(11, 6)]), promptLength: 3 };
    for await (const { values, vocabulary } of policy.logits(text)) {
      for (let start = 0; start < values.length; start += vocabulary) {
        const row = Array.from(values.subarray(start, start + vocabulary));
        const sum = Math.log(row.reduce((total, value) => total + Math.exp(value), 0));
        rows.push(row.map((value) => value - sum));
      }
    }
    await policy.close();
    return rows;
  }

  test("scores only what is new: texts, and policies whose model has changed", async () => {
    await runStudy(await study(), ONE_THREAD);
    const kept = await runStudy(await study(), ONE_THREAD);
    expect(kept.policies.map(({ scored, kept }) => [scored, kept])).toEqual([
      [0, 6],
      [0, 6],
      [0, 6],
    ]);

    const rows = (await readFile(texts, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    await writeTexts([{ id: "new", prompt_ids: ids(1, 2), response_ids: ids(2, 5) }, ...rows.slice(1)]);
    const more = await runStudy(await study(), ONE_THREAD);
    expect(more.policies.map(({ scored, kept }) => [scored, kept])).toEqual([
      [1, 5],
      [1, 5],
      [1, 5],
    ]);
    expect((await scores("scaled_2")).map(({ text }) => text)).toEqual(["new", "t1", "t2", "t3", "t4", "t5"]);

    const moved = {
      plain: `onnx:${MODELS}/positions`,
      scaled_1: `onnx:${MODELS}/scaled`,
      scaled_2: `onnx:${MODELS}/cache`,
    };
    const changed = await runStudy(await study({ policies: moved }), ONE_THREAD);
    expect(changed.policies.map(({ scored }) => scored)).toEqual([6, 6, 6]);
  });

  test("goes on after an interrupt with what was scored before it", async () => {
    const controller = new AbortController();
    const first = await runStudy(await study(), {
      ...ONE_THREAD,
      signal: controller.signal,
      onProgress: ({ policy, texts: done }) => {
        if (policy === "scaled_1" && done === 3) controller.abort();
      },
    });
    expect(first.interrupted).toBe(true);
    const second = await runStudy(await study(), ONE_THREAD);
    expect(second.policies.map(({ scored, kept }) => [scored, kept])).toEqual([
      [0, 6],
      [3, 3],
      [6, 0],
    ]);
  });

  test("leaves out what a policy cannot take, says so, and keeps the rest", async () => {
    await writeTexts([
      { id: "fits", prompt_ids: ids(1, 3), response_ids: ids(2, 4) },
      { id: "long", prompt_ids: ids(1, 3), response_ids: ids(2, 400) },
      { id: "odd", prompt_ids: ids(1, 3), response_ids: [5, 399] },
      { id: "empty", prompt_ids: ids(1, 3), response_ids: [] },
    ]);
    const { findings, policies } = await runStudy(
      await study({
        policies: { plain: `onnx:${MODELS}/plain`, scaled_1: `onnx:${MODELS}/scaled`, gone_2: `onnx:${dir}` },
      }),
      ONE_THREAD,
    );
    expect(policies.map(({ name, scored, refused }) => [name, scored, refused])).toEqual([
      ["plain", 1, 2],
      ["scaled_1", 1, 2],
    ]);
    const messages = findings.map(({ severity, message }) => `${severity}: ${message}`).join("\n");
    expect(messages).toMatch(/skipped: 1 response.* without any token|skipped: .*empty/i);
    expect(messages).toMatch(/skipped: plain has no scores of long: .*403/);
    expect(messages).toMatch(/skipped: plain has no scores of odd: .*399/);
    expect(messages).toMatch(/skipped: gone_2 .* was not scored: /);
    const again = await runStudy(await study(), ONE_THREAD);
    expect(again.policies[0]).toMatchObject({ scored: 0, kept: 1, refused: 2 });
  });

  test("samples responses first, once", async () => {
    const problems = join(dir, "problems.json");
    await writeFile(
      problems,
      JSON.stringify([1, 2].map((id) => ({ unique_id: `p${id}`, prompt_ids: ids(id, 3), answer: "1" }))),
    );
    const generate = { n: 3, max_tokens: 5, temperature: 1, seed: 5 };
    const config = { texts: undefined, problems, generate };
    const first = await runStudy(await study(config), ONE_THREAD);
    expect(first.texts.map(({ id, source }) => `${id} by ${source}`)).toEqual(
      ["p1#0", "p1#1", "p1#2", "p2#0", "p2#1", "p2#2"].map((id) => `plain:${id} by plain`),
    );
    const second = await runStudy(await study(config), ONE_THREAD);
    expect(second.texts.map(({ tokenIds }) => [...tokenIds])).toEqual(
      first.texts.map(({ tokenIds }) => [...tokenIds]),
    );
    expect((await readFile(paths.rollouts(join(dir, "out")), "utf8")).trim().split("\n")).toHaveLength(6);
  });
});

describe("policies behind servers", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer(vllmHandler());
  });
  afterEach(() => server.close());

  test("two top-k policies give bounds that hold the exact KL", async () => {
    const config = {
      policies: { plain: `vllm:${server.url}`, hot_1: `onnx:${MODELS}/plain` },
      top_k: 20,
    };
    const spec = await study(config);
    const { findings } = await runStudy(spec, ONE_THREAD);
    expect(findings).toEqual([]);
    const read = readPair(spec.out, await readTexts(spec.out), "hot_1", "plain", {
      floor: -30,
      vocabularySize: 50,
    });
    let tokens = 0;
    for await (const { scored } of read) {
      const { forwardKlLower: lower, forwardKlUpper: upper } = scored.pair;
      const before = [...(await lastIds(scored.text.id))];
      for (const [t, low] of lower!.entries()) {
        const q = logprobsAfter(before[t]!);
        expect(low).toBeLessThanOrEqual(upper![t]!);
        expect(scored.q.logprobs[t]).toBeCloseTo(q[scored.text.tokenIds[t]!]!, 4);
        tokens++;
      }
    }
    expect(tokens).toBe(39);
  });

  /** The token before each response token. */
  async function lastIds(id: string): Promise<number[]> {
    const text = (await readTexts(join(dir, "out"))).find((one) => one.id === id)!;
    return [text.promptIds.at(-1)!, ...text.tokenIds.slice(0, -1)];
  }

  test("the whole study: bounds in the report, and no exact figure where none is known", async () => {
    const spec = await study({ policies: { plain: `vllm:${server.url}`, hot_1: `onnx:${MODELS}/plain` } });
    await runStudy(spec, ONE_THREAD);
    const report = await analyzeStudy(spec.out, { analysis: spec.analysis });
    const figures = report.checkpoints.hot_1!;
    expect(figures).toMatchObject({ exact: false, problems: 6, texts_missing: 0, mean_kl_upper: null });
    expect(figures.mean_kl_lower).toBeGreaterThan(0);
    expect(figures.upper_infinite_share).toBe(1);
    expect(report.caveats.join(" ")).toMatch(/bound/);
  });

  test("a server that stops answering is given up, and its texts are asked again next time", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => ({
      id: `t${i}`,
      prompt_ids: ids(i, 3),
      response_ids: ids(i, 4),
    }));
    await writeTexts(rows);
    const config = { policies: { plain: `onnx:${MODELS}/plain`, far_1: `vllm:${server.url}` } };
    const options = { ...ONE_THREAD, retries: 0, concurrency: 2 };
    const first = await runStudy(await study(config), {
      ...options,
      onProgress: ({ policy, texts: done }) => {
        if (policy === "far_1" && done === 5) void server.close();
      },
    });
    expect(first.findings.map(({ message }) => message).join("\n")).toMatch(
      /\d+ more texts were not sent to far_1/,
    );
    const kept = first.policies[1]!.scored;
    expect(kept).toBeGreaterThanOrEqual(5);
    expect(kept).toBeLessThan(30);

    server = await startServer(vllmHandler());
    const again = { policies: { ...config.policies, far_1: `vllm:${server.url}` } };
    const second = await runStudy(await study(again), options);
    expect(second.policies[1]).toMatchObject({ scored: 30, refused: 0 });
  });
});
