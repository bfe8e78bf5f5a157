import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Tensor } from "../../../input/io/columns.ts";
import { openFile } from "../../../input/io/file-source.ts";
import { openNpz } from "../../../input/readers/npz/npz.ts";
import { labFile, withDocument } from "../../../input/readers/shared/fixtures.test-data.ts";
import { allRows, furthest, withPolicy } from "./fixtures.test-data.ts";

const checkpoints = labFile("ckpt") ?? "";
const present = labFile("ckpt/dpo/model.onnx") !== undefined && labFile("probe/logits_f32.npz") !== undefined;
if (!present) console.warn("skipped: ONNX models of the lab, which are not beside this checkout");

interface Forced {
  readonly unique_id: string;
  readonly prompt_ids: readonly number[];
}
interface Written {
  readonly response_token_ids: readonly number[];
  readonly response_mask: readonly number[];
  readonly finish_reason: string;
}
const json = <T>(name: string): T => JSON.parse(readFileSync(labFile(`probe/${name}`)!, "utf8")) as T;

describe.skipIf(!present)("the lab's checkpoints", () => {
  test.each([
    ["dpo", "dpo", 2 ** 20, "whole text"],
    ["rlvr_step_100", "rlvr_step_100", 400 * 4 * 7, "the head runs separately"],
    ["rlvr_step_1000", "rlvr_final", 400 * 4, "the head runs separately"],
  ])("%s gives the logits that PyTorch gave", async (checkpoint, key, maxBlockBytes, way) => {
    await withDocument(openNpz(await openFile(labFile("probe/logits_f32.npz")!)), async ({ root }) => {
      const read = async (name: string): Promise<ArrayLike<number>> => {
        const tensor = root[name] as Tensor;
        return tensor.readRows(0, tensor.shape[0] ?? 1);
      };
      await withPolicy(join(checkpoints, checkpoint), { maxBlockBytes }, async (policy) => {
        expect(policy.facts.notes.join(" ")).toContain(way);
        expect(policy.facts).toMatchObject({ vocabularySize: 400, contextLength: 192 });
        for (const k of [0, 1, 2, 3]) {
          const logits = await read(`${k}.${key}`);
          const ids = Int32Array.from(await read(`${k}.input_ids`));
          const promptLength = (await read(`${k}.prompt_length`))[0]!;
          const { values } = await allRows(policy, ids, promptLength);
          expect(furthest(values, Array.from(logits).slice((promptLength - 1) * 400))).toBeLessThan(1e-4);
        }
      });
    });
  });

  test("dpo, sampled greedily, writes its recorded responses again", async () => {
    const written = json<Readonly<Record<string, Written>>>("dpo_responses.json");
    const { problems } = json<{ readonly problems: readonly Forced[] }>("reference_kl.json");
    const toolless = problems.filter(({ unique_id: id }) =>
      written[id]?.response_mask.every((mask) => mask === 1),
    );
    expect(toolless.length).toBeGreaterThan(10);
    await withPolicy(join(checkpoints, "dpo"), {}, async (policy) => {
      for (const { unique_id: id, prompt_ids: prompt } of toolless.slice(0, 6)) {
        const [sampled] = await policy.sample!(Int32Array.from(prompt), {
          n: 1,
          temperature: 0,
          topP: 1,
          maxTokens: 128,
          seed: 0,
          stopIds: [],
        });
        expect([...sampled!.ids]).toEqual(written[id]!.response_token_ids);
        expect(sampled!.finishReason).toBe("stop");
      }
    });
  });
});
