import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LAB, warnIfAbsent } from "../../../../test/support/shared-data.ts";
import { decodeRow } from "../../../core/kernels/distribution/decode.ts";
import { logitsPolicyNames, openLogitsPolicy, readLogitsTexts } from "./open-logits-policy.ts";

const PROBE = `${LAB}probe/`;
const there = existsSync(PROBE);
warnIfAbsent("saved logits of a real study", PROBE);

interface Reference {
  readonly problems: readonly {
    readonly unique_id: string;
    readonly prompt_ids: readonly number[];
    readonly response_ids: readonly number[];
  }[];
  readonly checkpoints: Readonly<
    Record<string, Readonly<Record<string, { readonly log_prob: readonly number[] }>>>
  >;
}

describe.skipIf(!there)("the lab's saved logits", () => {
  const F32 = ["logits_f32.npz", "logits_f32.safetensors"];
  const POLICIES = ["dpo", "rlvr_step_100", "rlvr_final"];

  async function rows(
    file: string,
    name: string,
    text: number,
    maxBlockBytes: number,
  ): Promise<Float32Array> {
    const policy = await openLogitsPolicy(name, PROBE + file, { maxBlockBytes });
    const { ids, promptLength } = (await readLogitsTexts(PROBE + file))[text]!;
    const parts: number[] = [];
    for await (const block of policy.logits({ id: "", ids, promptLength: promptLength! }))
      for (let row = 0; row < block.rows; row++) parts.push(...decodeRow(block, row));
    await policy.close();
    return Float32Array.from(parts);
  }

  test.each(F32)("%s holds three policies' logits of the first reference problems", async (file) => {
    const { problems } = JSON.parse(readFileSync(`${PROBE}reference_kl.json`, "utf8")) as Reference;
    expect(new Set(await logitsPolicyNames(PROBE + file))).toEqual(new Set(POLICIES));
    const texts = await readLogitsTexts(PROBE + file);
    expect(texts.map(({ ids, promptLength }) => [[...ids], promptLength])).toEqual(
      problems
        .slice(0, 4)
        .map(({ prompt_ids, response_ids }) => [[...prompt_ids, ...response_ids], prompt_ids.length]),
    );
  });

  test("npz and safetensors give equal rows, bfloat16 the same rounded", async () => {
    for (const name of POLICIES) {
      for (const text of [0, 1, 2, 3]) {
        const [npz, safetensors] = await Promise.all(F32.map((file) => rows(file, name, text, 4096)));
        expect(npz!.length).toBeGreaterThan(30 * 400);
        expect(safetensors).toEqual(npz);
        const rounded = await rows("logits_bf16.safetensors", name, text, 2 ** 20);
        expect(rounded.length).toBe(npz!.length);
        const worst = rounded.reduce(
          (most, x, i) => Math.max(most, Math.abs(x - npz![i]!) / Math.abs(npz![i]!)),
          0,
        );
        expect(worst).toBeLessThanOrEqual(2 ** -8);
        expect(worst).toBeGreaterThan(2 ** -10);
      }
    }
  });

  test("rows predict the tokens that the reference says they do", async () => {
    const { problems, checkpoints } = JSON.parse(
      readFileSync(`${PROBE}reference_kl.json`, "utf8"),
    ) as Reference;
    const { unique_id: id, response_ids: ids } = problems[0]!;
    const values = await rows(F32[0]!, "rlvr_step_100", 0, 2 ** 20);
    const logprobs = ids.map((token, t) => {
      const row = values.subarray(400 * t, 400 * (t + 1));
      const most = row.reduce((a, b) => Math.max(a, b));
      return row[token]! - most - Math.log(row.reduce((sum, x) => sum + Math.exp(x - most), 0));
    });
    const reference = checkpoints.rlvr_step_100![id]!.log_prob;
    expect(values.length).toBe(400 * (ids.length + 1));
    logprobs.forEach((logprob, t) => {
      expect(logprob).toBeCloseTo(reference[t]!, 5);
    });
  });
});
