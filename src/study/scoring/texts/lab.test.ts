import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LAB, REAL, warnIfAbsent } from "../../../../test/support/shared-data.ts";
import { compareTokenizers } from "../../../input/tokens/compare-tokenizers.ts";
import { openTokenizer } from "../../../input/tokens/open-tokenizer.ts";
import { readOutcomes } from "./outcomes.ts";
import { readStudyTexts } from "./read-study-texts.ts";
import { RL_PROBE_TEMPLATE } from "./template.ts";

const ORIGINAL = `${REAL}Tingting-Olivia-Du__RL-Probe/`;
warnIfAbsent("texts of a real study", LAB);
warnIfAbsent("the original study's texts", ORIGINAL);

describe.skipIf(!existsSync(LAB))("the lab's study", () => {
  const TOKENIZER = `${LAB}ckpt/tokenizer`;
  const problems = `${LAB}probe/filtered_problems.json`;

  test("text alone gives the ids that the models wrote", async () => {
    const responses = { dpo: `${LAB}probe/dpo_responses.json`, rlvr: `${LAB}probe/rlvr_responses.json` };
    const { texts, findings } = await readStudyTexts({ tokenizer: TOKENIZER, problems, responses });
    expect(texts).toHaveLength(520);
    expect(findings).toMatchObject([{ code: "note", severity: "info", count: 2 * 540 }]);
    const { encodeStart, eosId } = await openTokenizer(TOKENIZER);
    for (const text of texts) {
      expect([text.idsFrom, text.correct]).toEqual(["file", text.source === "rlvr"]);
      expect(encodeStart(text.promptText! + text.responseText).concat(eosId!)).toEqual([
        ...text.promptIds,
        ...text.tokenIds,
      ]);
    }
    // Tool output is masked out: 7 of dpo's wrong responses called the calculator, all of rlvr's did.
    expect(texts.filter(({ mask }) => mask.includes(0))).toHaveLength(7 + 260);
  });

  test("rows of rollouts with ids and masks", async () => {
    const { texts, findings } = await readStudyTexts({
      tokenizer: TOKENIZER,
      files: [`${LAB}main/jsonl/step_0001.jsonl`, `${LAB}main/jsonl/step_0020.jsonl.gz`],
    });
    expect(findings).toEqual([]);
    expect(texts).toHaveLength(128);
    expect(new Set(texts.map(({ problem }) => problem)).size).toBe(16);
    expect(new Set(texts.map(({ id }) => id)).size).toBe(128);
    const [first] = texts;
    expect(first).toMatchObject({ correct: false, answer: "581", promptLength: 27 });
    expect(first!.id).toBe(`${first!.problem}#0`);
  });

  test("checkpoints share one tokenizer", async () => {
    expect(await compareTokenizers(`${LAB}ckpt/dpo`, `${LAB}ckpt/rlvr_step_1000`)).toBeUndefined();
  });

  test("which problems a checkpoint solves", async () => {
    const solved = (await readOutcomes(`${LAB}probe/rlvr_responses.json`)).get("")!;
    const listed = JSON.parse(readFileSync(problems, "utf8")) as { readonly unique_id: string }[];
    expect(solved.size).toBe(800);
    expect(listed.every(({ unique_id }) => solved.get(unique_id) === true)).toBe(true);
  });
});

describe.skipIf(!existsSync(ORIGINAL) || !existsSync(LAB))("the original study's files", () => {
  test("20 filtered problems with their responses and levels", async () => {
    const { texts, findings } = await readStudyTexts({
      tokenizer: `${LAB}ckpt/tokenizer`,
      problems: `${ORIGINAL}data/filtered/filtered_problems.json`,
      responses: {
        dpo: `${ORIGINAL}data/filtered/dpo_responses.json`,
        rlvr: `${ORIGINAL}data/filtered/rlvr_responses.json`,
      },
      files: [`${ORIGINAL}rollouts/rlvr_step_500/all_rollouts.json`],
      promptTemplate: RL_PROBE_TEMPLATE,
    });
    const bySource = (source: string | undefined): typeof texts =>
      texts.filter((text) => text.source === source);
    expect([bySource("dpo").length, bySource("rlvr").length, texts.length]).toEqual([20, 20, 60]);
    expect(bySource("dpo").every(({ correct }) => correct === false)).toBe(true);
    expect(bySource("rlvr").every(({ correct }) => correct === true)).toBe(true);
    expect(texts.every(({ level }) => level === 3 || level === 4)).toBe(true);
    const rollouts = texts.filter(({ source }) => source !== "dpo" && source !== "rlvr");
    expect(rollouts.map(({ id }) => id.slice(-2)).slice(0, 5)).toEqual(["#0", "#1", "#2", "#3", "#4"]);
    expect(texts[0]).toMatchObject({
      problem: expect.stringMatching(/^test\//),
      promptText: expect.stringContaining("\\boxed{answer}"),
    });
    expect(findings.filter(({ severity }) => severity === "skipped")).toEqual([]);
  });

  test("which problems ten checkpoints solve", async () => {
    const all = await readOutcomes(
      `${ORIGINAL}outputs/checkpoint_evaluations_100_1000/all_checkpoint_results.json`,
    );
    expect([...all.keys()]).toEqual(Array.from({ length: 10 }, (_, i) => `rlvr_step_${100 * (i + 1)}`));
    expect([...all.values()].map(({ size }) => size)).toEqual(Array(10).fill(20));
    const one = await readOutcomes(
      `${ORIGINAL}outputs/checkpoint_evaluations_100_1000/rlvr_step_500_results.json`,
    );
    const responses = await readOutcomes(
      `${ORIGINAL}outputs/checkpoint_evaluations_100_1000/rlvr_step_500_responses.json`,
    );
    expect(one.get("")).toEqual(all.get("rlvr_step_500"));
    expect(responses.get("")).toEqual(one.get(""));
  });
});
