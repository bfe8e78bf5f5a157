import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasSharedData, LAB, warnIfAbsent } from "../../../../test/support/shared-data.ts";
import type { DoctorReport } from "../../../results/doctor.ts";
import { MODELS, withPolicy } from "../../../study/scoring/onnx/fixtures.test-data.ts";
import { scoreSample } from "../../../study/scoring/score-sample.ts";
import { policySpec } from "../../../study/scoring/study-spec.ts";
import { EXIT } from "../exit-status.ts";
import { type Captured, captured, DEMO } from "./captured.test-data.ts";
import { type DoctorOptions, doctor } from "./doctor.ts";

warnIfAbsent("which checkpoints the lab's runs used", LAB);

const [PLAIN, SCALED] = [join(MODELS, "plain"), join(MODELS, "scaled")];
const PROMPTS = 12;
const RESPONSES = 4;

let folder: string;
/** A run that `plain` sampled and `scaled` trains. */
let run: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-checkpoints-"));
  run = await write("run.jsonl", await drawRun());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, rows: readonly object[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return file;
}

interface Row {
  readonly step: number;
  readonly group_id: string;
  readonly prompt_token_ids: readonly number[];
  readonly response_token_ids: readonly number[];
  readonly rollout_logprobs: readonly number[];
  readonly trainer_logprobs: readonly number[];
}

async function drawRun(): Promise<Row[]> {
  const drawn = await withPolicy(PLAIN, {}, async (policy) => {
    const rows: Omit<Row, "trainer_logprobs">[] = [];
    for (let prompt = 0; prompt < PROMPTS; prompt++) {
      const ids = Int32Array.of(1, 8 + prompt, 20 + prompt);
      const options = { n: RESPONSES, temperature: 1, topP: 1, maxTokens: 30, seed: prompt, stopIds: [48] };
      for (const sampled of await policy.sample!(ids, options))
        rows.push({
          step: 3,
          group_id: `p${prompt}`,
          prompt_token_ids: [...ids],
          response_token_ids: [...sampled.ids],
          rollout_logprobs: [...sampled.logprobs],
        });
    }
    return rows;
  });
  const texts = drawn.map(({ prompt_token_ids: prompt, response_token_ids: response }, i) => ({
    id: String(i),
    ids: Int32Array.of(...prompt, ...response),
    promptLength: prompt.length,
  }));
  const { scores } = await scoreSample([policySpec("t", `onnx:${SCALED}`, undefined)], texts, { threads: 1 });
  return drawn.map((row, i) => ({ ...row, trainer_logprobs: [...scores[0]!.logprobs.get(String(i))!] }));
}

const judge = (path: string, checkpoints: readonly string[], more: DoctorOptions = {}): Promise<Captured> =>
  captured((terminal) => doctor([path], { json: true, threads: "1", checkpoints, ...more }, terminal));
const read = ({ out }: Captured): DoctorReport => JSON.parse(out) as DoctorReport;
const [ENGINE, TRAINER] = [`engine=onnx:${PLAIN}`, `trainer=onnx:${SCALED}`];

describe("doctor --checkpoints", () => {
  it("says which one the engine used and which the trainer, with the distance to each", async () => {
    const judged = await judge(run, [TRAINER, ENGINE]);
    expect([judged.status, judged.err]).toEqual([EXIT.fine, ""]);
    const { checkpoints: served } = read(judged);
    expect(served).toMatchObject({
      sequences: PROMPTS * RESPONSES,
      prompts: PROMPTS,
      tokens: PROMPTS * RESPONSES * 30,
      rollout: { checkpoint: "engine", nearest: "engine" },
      trainer: { checkpoint: "trainer", nearest: "trainer" },
      by_step: [],
    });
    expect(served?.sentence).toMatch(/^The engine used engine and the trainer trainer: /);
    expect(served?.checkpoints.map(({ name, at }) => `${name}=${at}`)).toEqual([ENGINE, TRAINER]);
    const [first, second] = served!.checkpoints;
    expect(first!.rollout.probability).toBeGreaterThan(0.99);
    expect(second!.trainer.probability).toBeGreaterThan(0.99);
    expect(first!.rollout.logit_noise).toBeLessThan(1e-4);
    expect(first!.trainer.delta_abs_median).toBeCloseTo(second!.rollout.delta_abs_median, 4);
  });

  it("says so if it was none of them", async () => {
    const { checkpoints: served } = read(await judge(run, [TRAINER]));
    expect(served?.rollout).toMatchObject({ checkpoint: null, nearest: "trainer" });
    expect(served!.rollout.none).toBeGreaterThan(0.99);
    expect(served?.trainer.checkpoint).toBe("trainer");
    expect(served?.sentence).toMatch(/^The engine used none of these and the trainer trainer: /);
  });

  it("scores whole prompts up to the tokens that were asked for", async () => {
    const { checkpoints: served } = read(await judge(run, [ENGINE], { checkpointTokens: "250" }));
    expect(served).toMatchObject({ prompts: 2, sequences: 8, tokens: 240 });
  });

  it("has a section in every form, and a row on the first screen", async () => {
    const html = join(folder, "doctor.html");
    const { out } = await judge(run, [ENGINE, TRAINER], { json: false, markdown: true, html });
    expect(out).toContain("#### Checkpoints");
    expect(out).toContain("| engine | over 99 % |");
    expect(await readFile(html, "utf8")).toContain("The engine used engine and the trainer trainer");
    const text = await judge(run, [ENGINE, TRAINER], { json: false });
    expect(text.out).toMatch(/^checkpoints +The engine used engine and the trainer trainer/m);
  });
});

describe("checkpoints that cannot be scored", () => {
  it("are named, and the others are judged", async () => {
    const missing = `gone=onnx:${join(folder, "gone")}`;
    const { status, ...judged } = await judge(run, [missing, ENGINE]);
    expect(status).toBe(EXIT.skipped);
    expect(judged.err).toContain("gone (onnx:");
    const { checkpoints: served, findings } = read({ status, ...judged });
    expect(served?.checkpoints.map(({ name }) => name)).toEqual(["engine"]);
    expect(findings).toContainEqual(expect.objectContaining({ code: "policy-skipped", severity: "skipped" }));
    const none = await judge(run, [missing]);
    expect([none.status, read(none).checkpoints]).toEqual([EXIT.skipped, null]);
  });

  it("are those of another tokenizer", async () => {
    const other = join(folder, "other");
    await cp(PLAIN, other, { recursive: true });
    const tokenizer = await readFile(join(DEMO, "tokenizer/tokenizer.json"), "utf8");
    await writeFile(join(other, "tokenizer.json"), tokenizer.replaceAll('"1"', '"one"'));
    const judged = await judge(run, [`other=onnx:${other}`, ENGINE], { tokenizer: join(DEMO, "tokenizer") });
    expect(judged.status).toBe(EXIT.skipped);
    expect(judged.err).toContain("other has a different tokenizer");
    expect(read(judged).checkpoints?.rollout.checkpoint).toBe("engine");
  });

  it("are those of a smaller vocabulary", async () => {
    const rows = (await readFile(run, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Row);
    const wide = rows.map((row) => ({
      ...row,
      response_token_ids: row.response_token_ids.map((id) => id + 48),
    }));
    const judged = await judge(await write("wide.jsonl", wide), [ENGINE]);
    expect([judged.status, read(judged).checkpoints]).toEqual([EXIT.skipped, null]);
    expect(judged.err).toContain("the model's ids are 0 to 47");
  });

  it("cannot be compared with a record without token ids, whose diagnosis stands", async () => {
    const rows = (await readFile(run, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Row);
    const bare = rows.map(({ prompt_token_ids: _, ...row }) => row);
    const judged = await judge(await write("bare.jsonl", bare), [ENGINE]);
    expect(judged.status).toBe(EXIT.skipped);
    expect(judged.err).toContain("no sequence has the token ids of its prompt and response");
    expect([read(judged).checkpoints, read(judged).metrics.sequences]).toEqual([null, PROMPTS * RESPONSES]);
  });

  it("are refused where a flag names none", async () => {
    await expect(judge(run, ["plain"])).rejects.toMatchObject({ _tag: "UsageError" });
    await expect(judge(run, [ENGINE, ENGINE])).rejects.toThrow("two policies are named engine");
    await expect(judge(run, [ENGINE], { gpu: "x" })).rejects.toThrow("--gpu must be");
    await expect(judge(run, [ENGINE], { checkpointTokens: "none" })).rejects.toThrow("--checkpoint-tokens");
  });
});

describe.skipIf(!hasSharedData)("a run of which checkpoints are kept", () => {
  const at = (name: string): string => `onnx:${LAB}ckpt/${name}`;

  it("is told step by step: a bfloat16 engine and a float32 trainer, both with that step's weights", async () => {
    const paths = [`${LAB}main/npz/step_0001.npz`, `${LAB}main/npz/step_0500.npz`];
    const checkpoints = ["dpo", "rlvr_step_100", "rlvr_step_500"].map(at);
    const { out } = await captured((terminal) =>
      doctor(paths, { json: true, threads: "1", checkpoints, checkpointTokens: "3000" }, terminal),
    );
    const { checkpoints: served } = JSON.parse(out) as DoctorReport;
    const used = served!.by_step.map(({ step, rollout, trainer }) => [
      step,
      rollout.checkpoint,
      trainer.checkpoint,
    ]);
    expect(used).toEqual([
      [1, "dpo", "dpo"],
      [500, "rlvr_step_500", "rlvr_step_500"],
    ]);
    expect(served!.sentence).toBe(
      "In step 1 both sides used dpo; in step 500 both sides used rlvr_step_500.",
    );
  });

  it("is none of those that are not its own, though they are near", async () => {
    const paths = [`${LAB}main/npz/step_0001.npz`];
    const checkpoints = ["sft", "rlvr_step_100"].map(at);
    const { out } = await captured((terminal) =>
      doctor(paths, { json: true, threads: "1", checkpoints, checkpointTokens: "3000" }, terminal),
    );
    const { checkpoints: served } = JSON.parse(out) as DoctorReport;
    expect(served!.rollout).toMatchObject({ checkpoint: null, nearest: "rlvr_step_100" });
    expect(served!.trainer.checkpoint).toBeNull();
  });
});
