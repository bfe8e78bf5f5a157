/**
 * Damages every file of a study's directory in every way: scoring again gives the same scores, rescores only what was
 * lost, and reports it.
 */
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sample } from "../../../../test/support/run-size.ts";
import { flipEnd, DAMAGE as KINDS } from "../../../input/io/damage.test-data.ts";
import { analyzeStudy } from "../analyze-study.ts";
import { readStudy } from "../config/read-study.ts";
import { type RunStudyResult, runStudy } from "../run-study.ts";
import type { StudySpec } from "../study-spec.ts";
import { paths } from "./manifest.ts";
import { readScores, type ScoreRow } from "./scores-file.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const MODELS = at("test/fixtures/onnx");
const ONE_THREAD = { threads: 1 };
const POLICIES = ["plain", "scaled_1"];
const TEXTS = 6;

const DAMAGE: Readonly<Record<string, (path: string) => Promise<void>>> = {
  ...KINDS,
  "flipped at the end": flipEnd,
};

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "store-damage-"));
  const ids = (seed: number, length: number): number[] =>
    Array.from({ length }, (_, i) => 3 + ((seed * 7 + i * 11) % 40));
  const rows = Array.from({ length: TEXTS }, (_, seed) => ({
    id: `t${seed}`,
    prompt_ids: ids(seed, 3),
    response_ids: ids(seed + 9, 4 + seed),
    correct: true,
  }));
  await writeFile(join(home, "texts.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const problems = [1, 2].map((id) => ({ unique_id: `p${id}`, prompt_ids: ids(id, 3), answer: "1" }));
  await writeFile(join(home, "problems.json"), JSON.stringify(problems));
});
afterAll(() => rm(home, { recursive: true }));

async function study(out: string, more: object = {}): Promise<StudySpec> {
  const config = {
    texts: join(home, "texts.jsonl"),
    tokenizer: at("examples/demo/tokenizer"),
    policies: { plain: `onnx:${MODELS}/plain`, scaled_1: `onnx:${MODELS}/scaled` },
    reference: "plain",
    ...more,
  };
  return (await readStudy(config, join(home, out), undefined)).spec;
}

/** Stops after this many texts of a policy. */
async function interrupted(out: string, name: string, count: number): Promise<void> {
  const controller = new AbortController();
  let scored = 0;
  await runStudy(await study(out), {
    ...ONE_THREAD,
    signal: controller.signal,
    onProgress: ({ policy }) => {
      if (policy === name && ++scored === count) controller.abort();
    },
  });
}

async function scoresIn(out: string): Promise<ScoreRow[]> {
  const rows: ScoreRow[] = [];
  for (const policy of POLICIES)
    for await (const row of readScores(paths.scores(join(home, out), policy))) rows.push(row);
  return rows;
}

const filesIn = async (out: string): Promise<string[]> =>
  (await readdir(join(home, out), { recursive: true })).filter(
    (name) => /\.[a-z]+$/.test(name) && !name.endsWith(".parts"),
  );

const scoredBy = ({ policies }: RunStudyResult): number[] => policies.map(({ scored }) => scored);

async function damagedCopy(out: string, file: string, kind: string): Promise<string> {
  const copy = `${out}-damaged`;
  await rm(join(home, copy), { recursive: true, force: true });
  await cp(join(home, out), join(home, copy), { recursive: true });
  await DAMAGE[kind]!(join(home, copy, file));
  return copy;
}

const said = ({ findings }: RunStudyResult): string => findings.map(({ message }) => message).join("\n");

describe("a study's directory", () => {
  let whole: ScoreRow[];
  beforeAll(async () => {
    await runStudy(await study("done"), ONE_THREAD);
    whole = await scoresIn("done");
    await interrupted("halted", "scaled_1", 2);
    await interrupted("halted", "scaled_1", 3);
    expect(await filesIn("halted")).toEqual(
      expect.arrayContaining(
        ["000000", "000001"].map((part) => join("scores/scaled_1.parts", `${part}.parquet`)),
      ),
    );
  });

  /** Texts of plain and of scaled_1 that are lost with a file; files not named here are rebuilt from the inputs. */
  const LOST: Readonly<Record<string, readonly [number, number]>> = {
    "scores/plain.parquet": [TEXTS, 0],
    "scores/scaled_1.parquet": [0, TEXTS],
    "scores/scaled_1.parts/000000.parquet": [0, 2],
    "scores/scaled_1.parts/000001.parquet": [0, 3],
  };
  /** Rewritten by every run, from the inputs and the scores. */
  const DERIVED = ["texts.jsonl", "record.parquet"];

  it.each(
    Object.keys(DAMAGE).flatMap(
      (kind) =>
        [
          [kind, "done"],
          [kind, "halted"],
        ] as const,
    ),
  )("with a file %s (%s): scores the same again, and only what is lost", async (kind, out) => {
    const left = out === "done" ? 0 : 1;
    // In the ordinary run, each kind damages different files.
    for (const file of sample(await filesIn(out), 3, Object.keys(DAMAGE).indexOf(kind))) {
      const copy = await damagedCopy(out, file, kind);
      const result = await runStudy(await study(copy), ONE_THREAD);
      const [plain, scaled] = LOST[file] ?? [0, 0];
      expect([file, ...scoredBy(result)]).toEqual([file, plain, scaled + left]);
      expect(await scoresIn(copy), file).toEqual(whole);
      // A run that was stopped before saving its last part would leave the same files.
      const isLastPart = kind === "missing" && file.endsWith("000001.parquet");
      if (DERIVED.includes(file) || isLastPart) expect(said(result), file).toBe("");
      else expect(said(result), file).toContain(join(home, copy, file));
      const again = await runStudy(await study(copy), ONE_THREAD);
      expect([file, ...scoredBy(again), said(again)]).toEqual([file, 0, 0, ""]);
    }
  });

  it.each(["empty", "half", "flipped", "flipped at the end"])(
    "with scores %s is not analysed",
    async (kind) => {
      for (const policy of POLICIES) {
        const copy = await damagedCopy("done", `scores/${policy}.parquet`, kind);
        const { analysis } = await study(copy);
        await expect(analyzeStudy(join(home, copy), { analysis, writeResults: false })).rejects.toMatchObject(
          {
            _tag: "FormatError",
            message: expect.stringContaining(`${policy}.parquet have changed since they were written`),
            hint: expect.stringContaining("run logratio score again"),
          },
        );
      }
    },
  );

  it("whose models changed and whose manifest is lost keeps no scores of the old ones", async () => {
    const copy = await damagedCopy("done", "study.json", "missing");
    const policies = { plain: `onnx:${MODELS}/positions`, scaled_1: `onnx:${MODELS}/scaled` };
    expect(scoredBy(await runStudy(await study(copy, { policies }), ONE_THREAD))).toEqual([TEXTS, TEXTS]);
  });
});

describe("sampled responses", () => {
  const generate = { n: 3, max_tokens: 5, temperature: 1, seed: 5 };
  const config = { problems: "", texts: undefined, generate };
  it.each(Object.keys(DAMAGE))("%s: are sampled again where they are lost", async (kind) => {
    const more = { ...config, problems: join(home, "problems.json") };
    if (!existsSync(join(home, "sampled"))) await runStudy(await study("sampled", more), ONE_THREAD);
    const lines = await readFile(paths.rollouts(join(home, "sampled")), "utf8");
    const copy = await damagedCopy("sampled", "rollouts.jsonl", kind);
    const result = await runStudy(await study(copy, more), ONE_THREAD);
    expect(scoredBy(result)).toEqual([0, 0]);
    expect(result.texts).toHaveLength(6);
    const kept = await readFile(paths.rollouts(join(home, copy)), "utf8");
    expect([...new Set(kept.split("\n"))].sort()).toEqual(lines.split("\n").sort());
    // Half of the file may end with a complete line.
    if (kind.startsWith("flipped")) expect(said(result)).toContain("1 sampled response is damaged");
    expect(said(await runStudy(await study(copy, more), ONE_THREAD))).toBe("");
  });
});
