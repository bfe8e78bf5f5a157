import { describe, expect, it } from "vitest";
import { TOKEN_FLAGS } from "../../../../core/base/token-class.ts";
import { decodeBriefs, SPARK_BINS, sparkLevel, sparkRange } from "../../../../results/wire/briefs.ts";
import { decodeSequence, type WireSequence } from "../../../../results/wire/sequence.ts";
import { textBetween } from "../../../../results/wire/sequence-text.ts";
import { prepareRun } from "../cache/prepare-run.ts";
import { useDemoRun } from "../demo-run.test-data.ts";
import { DEMO, DEMO_TOKENIZER } from "../made-run.test-data.ts";
import { BRIEF_CHARACTERS, buildBrief } from "./build-brief.ts";

/** A sequence of these tokens; those in angle brackets are special. */
function spell(prompt: readonly string[], response: readonly string[]): WireSequence {
  const tokens = [...prompt, ...response];
  const parts = tokens.map((text) => new TextEncoder().encode(text));
  const textOffsets = new Uint32Array(tokens.length + 1);
  for (const [at, part] of parts.entries()) textOffsets[at + 1] = textOffsets[at]! + part.length;
  return {
    meta: { promptLength: prompt.length } as WireSequence["meta"],
    ids: new Int32Array(tokens.length),
    textOffsets,
    texts: Buffer.concat(parts),
    flags: Uint8Array.from(tokens, (text) => (/^<\|.*\|>$/.test(text) ? TOKEN_FLAGS.special : 0)),
    mask: new Uint8Array(response.length).fill(1),
    turnMarks: new Uint16Array(response.length),
    rollout: new Float32Array(response.length),
    trainer: new Float32Array(response.length),
    policies: {},
  };
}

const asked = (...prompt: readonly string[]): string => buildBrief(spell(prompt, [])).prompt;

describe("what was asked", () => {
  it("is what the user said last, in the templates of today", () => {
    const system = ["<|im_start|>", "system\nYou are helpful.", "<|im_end|>", "\n"];
    const turn = (who: string, text: string) => ["<|im_start|>", `${who}\n`, text, "<|im_end|>", "\n"];
    const begun = ["<|im_start|>", "assistant\n"];
    expect(asked(...system, ...turn("user", "What is\n 2 + 2?"), ...begun)).toBe("What is 2 + 2?");
    expect(
      asked(...turn("user", "Hello"), ...turn("assistant", "Hi"), ...turn("user", "What is 3?"), ...begun),
    ).toBe("What is 3?");
    const llama = (who: string, text: string) => [
      ...["<|start_header_id|>", who, "<|end_header_id|>"],
      ...["\n\n", text, "<|eot_id|>"],
    ];
    expect(asked("<|bos|>", ...llama("system", "Be brief, whatever comes."), ...llama("user", "Why?"))).toBe(
      "Why?",
    );
  });

  it("is the beginning of any other prompt", () => {
    expect(asked("Question: ", "How many?")).toBe("Question: How many?");
    expect(asked("<|bos|>", "Q: How many?")).toBe("Q: How many?");
    expect(asked()).toBe("");
  });

  it("is cut after so many characters, never within one", () => {
    const long = asked("<|bos|>", "😀".repeat(400));
    expect([...long]).toHaveLength(BRIEF_CHARACTERS);
    expect(long.endsWith("😀…")).toBe(true);
  });
});

describe("the end of an answer", () => {
  it("leaves out what ends every text, and takes the data's own text where tokens have none", () => {
    const { answer } = buildBrief(spell(["Q"], ["So\n", "it is 7.", "<|im_end|>", "<|eos|>"]));
    expect(answer).toBe("So it is 7.");
    expect(
      buildBrief(spell(["#1"], ["#2"]), { prompt: "<|im_start|>user\nWhy?<|im_end|>", answer: "So." }),
    ).toMatchObject({ prompt: "Why?", answer: "So." });
    const long = buildBrief(
      spell(
        ["Q"],
        Array.from({ length: 400 }, (_, at) => ` ${at}`),
      ),
    ).answer;
    expect(long).toMatch(/^… ?\d.* 398 399$/);
    expect([...long].length).toBeLessThanOrEqual(BRIEF_CHARACTERS);
  });
});

describe("of a run", () => {
  const demo = useDemoRun();

  it("has each sequence's prompt, answer and largest |Δ| by parts", async () => {
    const rows = [767, 0, 100];
    const briefs = decodeBriefs((await demo.run.briefs(rows))!);
    for (const [at, row] of rows.entries()) {
      const wire = decodeSequence((await demo.run.sequence(row))!);
      const { mask, trainer, rollout, meta } = wire;
      const prompt = textBetween(wire, 1, meta.promptLength);
      expect(briefs[at]!.prompt).toBe(prompt.trim());
      expect(textBetween(wire, meta.promptLength, wire.ids.length).replace(/\s+/g, " ")).toContain(
        briefs[at]!.answer.replace(/^…/, ""),
      );
      const levels = Array.from({ length: SPARK_BINS }, (_, bin) => {
        const [from, to] = sparkRange(bin, mask.length);
        const sizes = [...mask.keys()]
          .filter((token) => token >= from && token < to && mask[token] === 1)
          .map((token) => Math.abs(trainer[token]! - rollout[token]!));
        return sizes.length === 0 ? 0 : sparkLevel(Math.max(...sizes));
      });
      expect([...briefs[at]!.spark]).toEqual(levels);
    }
    expect(await demo.run.briefs([3, 768])).toBeUndefined();
    expect(demo.run.info.has.briefs).toBe(true);
  });

  it("has no text where texts are redacted or not known, and |Δ| all the same", async () => {
    for (const options of [{ tokenizer: DEMO_TOKENIZER, redact: "text" as const }, {}]) {
      const quiet = await prepareRun([DEMO], { ...options, cache: demo.work.path("quiet") });
      const [brief] = decodeBriefs((await quiet.briefs([0]))!);
      expect([brief!.prompt, brief!.answer]).toEqual(["", ""]);
      expect(Math.max(...brief!.spark)).toBeGreaterThan(0);
      expect(quiet.info.has.briefs).toBe(false);
      await quiet.close();
    }
  });

  it("takes texts that the data have, unless they are redacted", async () => {
    const file = await demo.work.run("texts.jsonl", [
      { input: "What is 2 + 2?", output: "It is four.", step: 1 },
    ]);
    const shown = await prepareRun([file], { cache: demo.work.path("shown") });
    const redacted = await prepareRun([file], { cache: demo.work.path("hidden"), redact: "text" });
    const [one] = decodeBriefs((await shown.briefs([0]))!);
    const [none] = decodeBriefs((await redacted.briefs([0]))!);
    expect([one!.prompt, one!.answer]).toEqual(["What is 2 + 2?", "It is four."]);
    expect([none!.prompt, none!.answer]).toEqual(["", ""]);
    await Promise.all([shown.close(), redacted.close()]);
  });
});
