import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasSharedData, LAB, warnIfAbsent } from "../../../test/support/shared-data.ts";
import { compareRows } from "../../core/kernels/distribution/index.ts";
import { analyzeStudy } from "./analyze-study.ts";
import { readStudy } from "./config/read-study.ts";
import { readLogitsTexts } from "./logits/open-logits-policy.ts";
import { openPolicy } from "./open-policy.ts";
import { prepareTexts } from "./prepare-texts.ts";
import { runStudy } from "./run-study.ts";
import { scoreStudy } from "./score-study.ts";
import { paths } from "./store/manifest.ts";
import { readScores, type ScoreRow } from "./store/scores-file.ts";

warnIfAbsent("teacher forcing on the lab's checkpoints");

interface Series {
  readonly forward_kl: readonly number[];
  readonly reverse_kl: readonly number[];
  readonly js_divergence: readonly number[];
  readonly entropy: readonly number[];
  readonly log_prob: readonly number[];
}
interface Reference {
  readonly meta: { readonly logit_sequences: readonly string[] };
  readonly problems: readonly { readonly unique_id: string }[];
  readonly checkpoints: Readonly<Record<string, Readonly<Record<string, Series>>>>;
}

let dir: string;
let reference: Reference;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "lab-study-"));
  if (hasSharedData)
    reference = JSON.parse(await readFile(`${LAB}probe/reference_kl.json`, "utf8")) as Reference;
});
afterAll(() => rm(dir, { recursive: true }));

async function scores(out: string, policy: string): Promise<ScoreRow[]> {
  const rows: ScoreRow[] = [];
  for await (const row of readScores(paths.scores(out, policy))) rows.push(row);
  return rows;
}

/** The largest distance of a row from its reference, over all five series. */
function distance(row: ScoreRow, series: Series): number {
  const pair = row.pairs.dpo!;
  const both = [
    [pair.forwardKl, series.forward_kl],
    [pair.reverseKl, series.reverse_kl],
    [pair.jsDivergence, series.js_divergence],
    [row.entropies!, series.entropy],
    [row.logprobs, series.log_prob],
  ] as const;
  return Math.max(
    ...both.flatMap(([ours, theirs]) => Array.from(ours, (value, t) => Math.abs(value - theirs[t]!))),
  );
}

describe.skipIf(!hasSharedData)("the lab's study", () => {
  test("its ONNX checkpoints reproduce every reference value within 1e-4", async () => {
    const out = join(dir, "onnx");
    const config = {
      problems: `${LAB}probe/filtered_problems.json`,
      responses: `${LAB}probe/dpo_responses.json`,
      policies: `onnx:${LAB}ckpt/*`,
      reference: "dpo",
    };
    const { spec } = await readStudy(config, out, undefined);
    const wanted = new Set(reference.problems.map(({ unique_id }) => unique_id));
    const { texts } = await prepareTexts(spec, {});
    const some = texts.filter(({ problem }) => wanted.has(problem));
    expect(some).toHaveLength(12);
    const { findings } = await scoreStudy(spec, some, { threads: 1 });
    expect(findings).toEqual([]);
    for (const [checkpoint, problems] of Object.entries(reference.checkpoints)) {
      const rows = await scores(out, checkpoint);
      expect(rows).toHaveLength(12);
      for (const [i, row] of rows.entries())
        expect(distance(row, problems[some[i]!.problem]!)).toBeLessThan(1e-4);
    }
  }, 120_000);

  test.each(["logits_f32.npz", "logits_f32.safetensors"])("%s gives them within 1e-5", async (name) => {
    const out = join(dir, name);
    const { spec } = await readStudy({ texts: `${LAB}probe/${name}`, reference: "dpo" }, out, undefined);
    await runStudy(spec);
    for (const [policy, checkpoint] of [
      ["rlvr_step_100", "rlvr_step_100"],
      ["rlvr_final", "rlvr_step_1000"],
    ] as const) {
      for (const row of await scores(out, policy)) {
        const problem = reference.meta.logit_sequences[Number(row.text)]!;
        expect(distance(row, reference.checkpoints[checkpoint]![problem]!)).toBeLessThan(1e-5);
      }
    }
    const report = await analyzeStudy(out, { analysis: spec.analysis });
    expect(Object.keys(report.checkpoints)).toEqual(["rlvr_step_100", "rlvr_final"]);
    expect(report.metrics.last_checkpoint).toBe("rlvr_final");
  });

  test("bfloat16 logits give what float64 arithmetic on those same logits gives", async () => {
    const file = `${LAB}probe/logits_bf16.safetensors`;
    const out = join(dir, "bf16");
    const { spec } = await readStudy({ texts: file, reference: "dpo" }, out, undefined);
    await runStudy(spec);
    const rows = await scores(out, "rlvr_final");
    const policies = await Promise.all(
      ["rlvr_final", "dpo"].map((name) => openPolicy(name, `logits:${file}`, {})),
    );
    for (const [i, { key, ids, promptLength = 1 }] of (await readLogitsTexts(file)).entries()) {
      const text = { id: key, ids, promptLength };
      const [p, q] = await Promise.all(
        policies.map(async (policy) => {
          if (policy.gives !== "logits") throw new Error("saved logits are logits");
          const blocks = [];
          for await (const block of policy.logits(text))
            blocks.push({ ...block, values: block.values.slice() });
          return blocks;
        }),
      );
      expect([p!.length, q!.length]).toEqual([1, 1]);
      const tokens = Int32Array.from([...ids.subarray(promptLength), -1]);
      const plain = compareRows(p![0]!, q![0]!, tokens, 5, { engine: "scalar" });
      const length = ids.length - promptLength;
      const within = (ours: Float32Array, theirs: Float64Array): void => {
        for (let t = 0; t < length; t++) expect(ours[t]! / theirs[t]!).toBeCloseTo(1, 5);
      };
      within(rows[i]!.pairs.dpo!.forwardKl, plain.divergences.forwardKl);
      within(rows[i]!.pairs.dpo!.jsDivergence, plain.divergences.jsDivergence);
      within(rows[i]!.entropies!, plain.p.entropies);
    }
    for (const policy of policies) await policy.close();
  });
});
