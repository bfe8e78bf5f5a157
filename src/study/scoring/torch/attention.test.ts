import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasSharedData, LAB, warnIfAbsent } from "../../../../test/support/shared-data.ts";
import { readStudy } from "../config/read-study.ts";
import { openPolicy } from "../open-policy.ts";
import { runStudy } from "../run-study.ts";
import { paths } from "../store/manifest.ts";
import { readScores, type ScoreRow } from "../store/scores-file.ts";
import { findTorchPython, makeTorchStudy, type TorchStudy } from "./torch-python.test-data.ts";

warnIfAbsent("attention of one checkpoint in both its forms");

const TOKENIZER = fileURLToPath(new URL("../../../../examples/demo/tokenizer", import.meta.url));
const python = findTorchPython();
const known = (values: ArrayLike<number> | undefined): number[] =>
  Array.from(values ?? []).flatMap((value, t) => (Number.isNaN(value) ? [] : [t]));

describe.skipIf(python === undefined)("attention of Hugging Face models", () => {
  let study: TorchStudy;
  beforeAll(() => {
    study = makeTorchStudy(python!);
    const lines = readFileSync(join(study.dir, "texts.jsonl"), "utf8").trimEnd().split("\n");
    const rows = lines.map((line, i) => {
      return { ...JSON.parse(line), correct: i > 1, ...(i < 2 && { error_token: 3 }) };
    });
    writeFileSync(join(study.dir, "wrong.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }, 120_000);
  afterAll(() => rmSync(study.dir, { recursive: true, force: true }));

  test("is kept in a study, with the KL where the error is hidden", async () => {
    const out = join(study.dir, "attention.study");
    const config = {
      texts: [join(study.dir, "wrong.jsonl")],
      policies: { dpo: `hf:${study.dir}/ckpt/dpo`, step_20: `hf:${study.dir}/ckpt/step_20` },
      reference: "dpo",
      tokenizer: TOKENIZER,
      attention: true,
      backend: { gpu: "none", python },
    };
    const { spec, backend } = await readStudy(config, out, undefined);
    const { findings, policies } = await runStudy(spec, backend);
    expect(findings.filter(({ severity }) => severity !== "warning")).toEqual([]);
    expect(policies[1]!.notes).toContain("Attention is read from 2 layers with 4 heads.");
    const rows: ScoreRow[] = [];
    for await (const row of readScores(paths.scores(out, "step_20"))) rows.push(row);
    const [wrong, right] = [rows.find(({ text }) => text === "t1")!, rows.find(({ text }) => text === "t3")!];
    const behind = Array.from({ length: 25 }, (_, i) => 5 + i);
    expect(wrong.attention!.error).toEqual({ from: 3, token: 3 });
    expect(known(wrong.attention!.toError)).toEqual(behind);
    expect(known(wrong.attention!.toControl)).toEqual(behind);
    expect(wrong.attention!.heads).toMatchObject({ layers: 2 });
    expect(wrong.attention!.heads.shares).toHaveLength(8);
    const { forwardKl, klWithoutError, klWithoutControl } = wrong.pairs.dpo!;
    expect(known(klWithoutError)).toEqual(behind);
    expect(known(klWithoutControl)).toEqual(behind);
    expect(klWithoutError![9]).not.toBeCloseTo(forwardKl[9]!, 6);
    expect(known(right.attention!.toError)).toEqual([]);
    // Everything is scored: nothing is opened again.
    const again = await runStudy(spec, { ...backend, python: "/no/such/python" });
    expect(again.policies.map(({ kept }) => kept)).toEqual([5, 5]);
  }, 180_000);

  test.skipIf(!hasSharedData)(
    "is that of the same checkpoint as an ONNX model",
    async () => {
      const ids = Int32Array.from({ length: 40 }, (_, i) => 3 + ((i * 37) % 390));
      const text = { id: "t", ids, promptLength: 12 };
      const request = {
        spans: [
          { from: 15, to: 18 },
          { from: 12, to: 15 },
        ],
        tokens: [20, 21, 30, 39],
      };
      const asked = { attention: true, threads: 1, gpu: "none", python: python! };
      const checkpoint = join(LAB, "ckpt/dpo");
      const both = [
        await openPolicy("hf", `hf:${checkpoint}`, asked),
        await openPolicy("onnx", `onnx:${checkpoint}`, asked),
      ];
      const read = await Promise.all(
        both.map(async (policy) => {
          if (policy.gives !== "logits") throw new Error("local models give logits");
          const shares = (await policy.attention!(text, request)).flatMap((one) => [
            ...one.shares,
            ...one.heads,
          ]);
          const hidden: number[] = [];
          for await (const block of policy.logitsWithout!({ ...text, promptLength: 18 }, request.spans[0]!))
            hidden.push(...(block.values as Float32Array));
          return { shares, hidden, facts: policy.facts.attention };
        }),
      );
      const [hf, onnx] = [read[0]!, read[1]!];
      expect(hf.facts).toEqual(onnx.facts);
      const furthest = (a: readonly number[], b: readonly number[]): number =>
        Math.max(...a.map((value, i) => Math.abs(value - b[i]!)));
      expect(hf.shares.length).toBe(onnx.shares.length);
      expect(furthest(hf.shares, onnx.shares)).toBeLessThan(1e-6);
      expect(hf.hidden.length).toBe(onnx.hidden.length);
      expect(furthest(hf.hidden, onnx.hidden)).toBeLessThan(1e-4);
      for (const policy of both) await policy.close();
    },
    120_000,
  );
});
