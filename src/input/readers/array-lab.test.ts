import { describe, expect, it } from "vitest";
import type { Tensor, TreeDocument, TreeMap } from "../io/columns.ts";
import { openFile } from "../io/file-source.ts";
import { openNpz } from "./npz/npz.ts";
import { openSafetensors } from "./safetensors/safetensors.ts";
import { labFile, type Opener, withDocument } from "./shared/fixtures.test-data.ts";
import { openTorch } from "./torch/torch.ts";

// The figures here were printed by NumPy 2.4.6, torch 2.15.0 and safetensors 0.8.0 from the same files.

const present = labFile("main/npz/step_0001.npz") !== undefined;
if (!present) {
  console.warn("skipped: array readers on the lab's recordings, which are not beside this checkout");
}

async function withLab(
  path: string,
  open: Opener,
  use: (document: TreeDocument) => Promise<void>,
): Promise<void> {
  await withDocument(open(await openFile(labFile(path)!)), use);
}

async function whole(map: TreeMap, name: string): Promise<ArrayLike<number>> {
  const tensor = map[name] as Tensor;
  return tensor.readRows(0, tensor.shape[0] ?? 1);
}

function sum(values: ArrayLike<number>): number {
  return Array.from(values).reduce((total, value) => total + value, 0);
}

function shapes(map: TreeMap): Record<string, string> {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => {
      const { dtype, shape } = value as Tensor;
      return [name, `${dtype} ${shape.join("x")}`];
    }),
  );
}

const DATA_PROTO = {
  prompts: "int64 64x48",
  responses: "int64 64x136",
  input_ids: "int64 64x184",
  attention_mask: "int64 64x184",
  position_ids: "int64 64x184",
  response_mask: "int64 64x136",
  rollout_log_probs: "float32 64x136",
  old_log_probs: "float32 64x136",
  rollout_top_ids: "int32 64x136x5",
  rollout_top_log_probs: "float32 64x136x5",
  old_top_ids: "int32 64x136x5",
  old_top_log_probs: "float32 64x136x5",
  token_level_scores: "float32 64x136",
  advantages: "float32 64x136",
};

describe.skipIf(!present)("the lab's recordings", () => {
  it("read from npz", async () => {
    await withLab("main/npz/step_0001.npz", openNpz, async ({ root }) => {
      expect(shapes(root)).toEqual({
        ...DATA_PROTO,
        ref_log_probs: "float32 64x136",
        rollout_entropy: "float32 64x136",
        old_entropy: "float32 64x136",
        acc: "float32 64",
        num_turns: "int64 64",
        uid: "string 64",
        problem_id: "string 64",
        template: "string 64",
        ground_truth: "string 64",
        stop_reason: "string 64",
        global_step: "int64 ",
      });
      const rollout = root.rollout_log_probs as Tensor;
      const old = root.old_log_probs as Tensor;
      expect((await old.readRows(5, 6)).slice(10, 13)).toEqual(
        Float32Array.of(-0.00037853704998269677, -0.00035506143467500806, -0.6493093967437744),
      );
      expect((await rollout.readRows(63, 64)).slice(0, 3)).toEqual(
        Float32Array.of(-6.496695277746767e-5, -4.7444173105759546e-5, -0.00018070495571009815),
      );
      expect(sum(await whole(root, "rollout_log_probs"))).toBeCloseTo(-554.4978840706781, 9);
      expect(Math.min(...Array.from(await whole(root, "rollout_log_probs")))).toBe(-9.875242233276367);
      expect(sum(await whole(root, "responses"))).toBe(440_679);
      expect(sum(await whole(root, "response_mask"))).toBe(4027);
      expect(await (root.rollout_top_ids as Tensor).readRows(63, 64)).toHaveLength(680);
      expect(await whole(root, "global_step")).toEqual(Int32Array.of(1));
      const uid = await (root.uid as Tensor).readStrings?.(0, 64);
      expect([uid?.[0], uid?.[63]]).toEqual([
        "449e84a7-a9fc-5f09-a184-e8c8fea7f7fa",
        "7314dbd8-5d1b-5c34-ab60-00cf366c5352",
      ]);
    });
  });

  it("read from torch", async () => {
    await withLab("main/pt/step_0500.pt", openTorch, async ({ root, metadata }) => {
      expect(metadata).toEqual({ version: "3", format_version: "1", byteorder: "little" });
      expect(shapes(root.batch as TreeMap)).toEqual({
        ...DATA_PROTO,
        ref_log_prob: "float32 64x136",
        entropys: "float32 64x136",
        rollout_entropys: "float32 64x136",
        token_level_rewards: "float32 64x136",
        returns: "float32 64x136",
      });
      const batch = root.batch as TreeMap;
      expect(sum(await whole(batch, "rollout_log_probs"))).toBeCloseTo(-352.9005870494402, 9);
      expect(sum(await whole(batch, "responses"))).toBe(438_440);
      expect((await (batch.old_log_probs as Tensor).readRows(63, 64)).slice(0, 3)).toEqual(
        Float32Array.of(-4.255681051290594e-5, -3.111314072157256e-5, -0.0001567479339428246),
      );
      const extra = root.non_tensor_batch as TreeMap;
      expect(Object.keys(extra)).toEqual([
        "uid",
        "acc",
        "__num_turns__",
        "data_source",
        "stop_reason",
        "reward_model",
      ]);
      expect((extra.acc as Float64Array).slice(0, 2)).toEqual(Float64Array.of(0, 1));
      expect((extra.__num_turns__ as Int32Array).slice(0, 2)).toEqual(Int32Array.of(4, 4));
      expect((extra.reward_model as TreeMap[])[0]).toEqual({ style: "rule", ground_truth: "224" });
      expect(root.meta_info).toEqual({ global_steps: 500, temperature: 1, eos_token_id: 2, pad_token_id: 0 });
    });
  });

  it("read from packed safetensors", async () => {
    await withLab("main/packed/step_1000.safetensors", openSafetensors, async ({ root, metadata }) => {
      expect(Object.keys(metadata).sort()).toEqual(["global_step", "layout", "uid"]);
      expect(metadata.layout).toBe("packed, next-token aligned");
      expect(shapes(root)).toEqual({
        advantages: "float32 7627",
        cu_seq_lens_q: "int32 65",
        input_ids: "int64 7627",
        num_tokens: "int64 64",
        old_logprobs: "float32 7627",
        position_ids: "int64 7627",
        ref_logprobs: "float32 7627",
        rewards: "float32 64",
        rollout_logprobs: "float32 7627",
        shifted_labels: "int64 7627",
      });
      expect(sum(await whole(root, "old_logprobs"))).toBeCloseTo(-8063.211280927913, 8);
      expect(sum(await whole(root, "rollout_logprobs"))).toBeCloseTo(-383.4742131358189, 9);
      expect(sum(await whole(root, "shifted_labels"))).toBe(227_372);
      expect((await whole(root, "cu_seq_lens_q"))[64]).toBe(7627);
      expect(await (root.shifted_labels as Tensor).readRows(7624, 7627)).toEqual(Int32Array.of(64, 2, -100));
    });
  });

  it("agree where one step was saved twice", async () => {
    await withLab("main/npz/step_0500.npz", openNpz, async (npz) => {
      await withLab("main/pt/step_0500.pt", openTorch, async (torch) => {
        const batch = torch.root.batch as TreeMap;
        for (const name of Object.keys(DATA_PROTO)) {
          expect(await whole(batch, name), name).toEqual(await whole(npz.root, name));
        }
      });
    });
  });
});
