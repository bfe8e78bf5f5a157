import { afterEach, describe, expect, it } from "vitest";
import { memoryLimit, setMemoryLimit } from "../../core/base/memory-limit.ts";
import { FindingLog } from "../../core/schema/findings.ts";
import type { Sampling, Sides } from "../../core/schema/record.ts";
import type { SequenceDraft } from "../../core/schema/sequence-draft.ts";
import { joinSides } from "./join-sides.ts";
import { PromptSums } from "./prompt-sums.ts";

type Part = Partial<SequenceDraft>;

function half(ids: readonly number[], side: "rollout" | "trainer", more: Part = {}): SequenceDraft {
  const logprobs = Float64Array.from(ids, (id) => -id / (side === "rollout" ? 8 : 16));
  return {
    length: ids.length,
    responseMask: new Uint8Array(ids.length).fill(1),
    ...(side === "rollout" ? { rolloutLogprobs: logprobs } : { trainerLogprobs: logprobs }),
    responseTokenIds: Int32Array.from(ids),
    ...more,
  };
}

async function* blocks(drafts: readonly SequenceDraft[]): AsyncGenerator<readonly SequenceDraft[]> {
  // One at a time, in one buffer, so what is held must have been copied.
  for (const draft of drafts) {
    yield [draft];
    if (draft.responseTokenIds instanceof Int32Array) draft.responseTokenIds.fill(-1);
  }
}

async function join(rollout: readonly SequenceDraft[], trainer: readonly SequenceDraft[]) {
  const findings = new FindingLog();
  const prompts = new PromptSums();
  const joined: SequenceDraft[] = [];
  const [a, b] = [
    { file: "a", blocks: blocks(rollout) },
    { file: "b", blocks: blocks(trainer) },
  ];
  const provenance = { file: "a + b", format: "jsonl", trainer: "pair", alignment: "token" } as const;
  for await (const block of joinSides(a, b, { findings, prompts, provenance }))
    joined.push(...block.map((draft) => ({ ...draft, responseTokenIds: draft.responseTokenIds?.slice() })));
  const found = findings.list();
  return { joined, prompts, findings: found, messages: found.map(({ message }) => message) };
}

const ids = (drafts: readonly SequenceDraft[]) =>
  drafts.map(({ responseTokenIds }) => Array.from(responseTokenIds!));

describe("what finds the other side", () => {
  it.each([
    ["id", { sampleId: "s" }, { sampleId: "s" }],
    ["group and index", { groupId: "g", indexInGroup: 1 }, { groupId: "g", indexInGroup: 1 }],
    ["group and tokens", { groupId: "g" }, { groupId: "g" }],
    ["prompt and tokens", { promptText: "p" }, { promptText: "p" }],
    ["prompt and tokens", { promptTokenIds: [1, 2] }, { promptTokenIds: Int32Array.of(1, 2) }],
    ["tokens", { sampleId: "s" }, { sampleId: undefined, promptText: "p" }],
  ])("%s", async (by, a, b) => {
    const other = half([9, 9, 9, 9, 9], "trainer", { sampleId: "x", groupId: "x", promptText: "x" });
    const mine = half([1, 2, 3, 4], "rollout", a as Part);
    const theirs = half([1, 2, 3, 4], "trainer", b as Part);
    const { joined, messages } = await join([mine], [other, theirs]);
    expect(ids(joined)).toEqual([[1, 2, 3, 4]]);
    expect([...joined[0]!.trainerLogprobs!]).toEqual([-0.0625, -0.125, -0.1875, -0.25]);
    expect(messages).toEqual([
      `1 sequence joined from the two sides: 1 by ${by}`,
      "1 sequence has no counterpart in a: its id is not there",
    ]);
  });

  it("samples of one prompt by their tokens, in whatever order they stand", async () => {
    const more = { groupId: "g", promptText: "p" };
    const { joined } = await join(
      [half([1, 2], "rollout", more), half([3, 4], "rollout", more)],
      [half([3, 4], "trainer", more), half([1, 2], "trainer", more)],
    );
    expect(ids(joined)).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });

  it("never what says another step or another prompt", async () => {
    const at = (step: number, promptText: string): Part => ({ sampleId: "s", step, promptText });
    await expect(
      join([half([1], "rollout", at(1, "p"))], [half([1], "trainer", at(2, "p"))]),
    ).rejects.toThrow("none of 1 sequence in a has a counterpart among the 1 in b");
    const { joined } = await join(
      [half([1], "rollout", at(1, "p"))],
      [half([1], "trainer", at(1, "q")), half([1], "trainer", at(1, "p"))],
    );
    expect(joined[0]!.promptText).toBe("p");
  });

  it("each that did not join is counted with the reason", async () => {
    const { messages } = await join(
      [
        half([1], "rollout", { sampleId: "s" }),
        half([2], "rollout", { sampleId: "t" }),
        half([3], "rollout", { groupId: "g" }),
        half([4], "rollout", { promptText: "p" }),
        half([5], "rollout"),
        half([6], "rollout"),
      ],
      [half([1], "trainer", { sampleId: "s" })],
    );
    expect(messages).toEqual([
      "1 sequence joined from the two sides: 1 by id",
      "1 sequence has no counterpart in b: its id is not there",
      "1 sequence has no counterpart in b: its group is not there",
      "1 sequence has no counterpart in b: its prompt is not there",
      "2 sequences have no counterpart in b: they have no id, group or prompt",
    ]);
  });
});

describe("halves that differ from the first token on", () => {
  const pair = (id: string, rollout: number[], trainer: number[]) =>
    [half(rollout, "rollout", { sampleId: id }), half(trainer, "trainer", { sampleId: id })] as const;
  const joinAll = (pairs: readonly ReturnType<typeof pair>[]) =>
    join(
      pairs.map(([rollout]) => rollout),
      pairs.map(([, trainer]) => trainer),
    );

  it("are refused where all are so, and the first of them is named", async () => {
    const pairs = [pair("s", [1, 2], [3, 2]), pair("t", [4, 2], [5, 2])];
    await expect(joinAll(pairs)).rejects.toMatchObject({
      message:
        "the two files hold different texts: all 2 sequences differ from the first token on (sequence s: token 1 in a, token 3 in b)",
      at: { file: "b" },
    });
  });

  it("do not keep others from being joined", async () => {
    const { joined } = await joinAll([pair("s", [1, 2], [3, 2]), pair("t", [4, 2], [4, 2])]);
    expect(ids(joined)).toEqual([[4, 2]]);
  });
});

describe("two halves", () => {
  it("keep what either says, each policy under its own side, and mask what either masks", async () => {
    const top = { k: 1, ids: Int32Array.of(5, 6), logprobs: Float32Array.of(-1, -2) };
    const { joined } = await join(
      [
        half([1, 2], "rollout", {
          sampleId: "s",
          reward: 1,
          topK: { rollout: top },
          responseMask: Uint8Array.of(1, 1),
        }),
      ],
      [
        half([1, 2], "rollout", {
          sampleId: "s",
          reward: 0,
          step: 3,
          topK: { rollout: top },
          entropies: { rollout: Float64Array.of(0.5, 0.25) },
          policyLogprobs: { reference: Float64Array.of(-3, -4) },
          responseMask: Uint8Array.of(0, 1),
        }),
      ],
    );
    const [draft] = joined;
    expect([draft!.reward, draft!.step, [...draft!.responseMask]]).toEqual([1, 3, [0, 1]]);
    expect(Object.keys(draft!.topK!).sort()).toEqual(["rollout", "trainer"]);
    expect([...draft!.entropies!.trainer!]).toEqual([0.5, 0.25]);
    expect([...draft!.policyLogprobs!.reference!]).toEqual([-3, -4]);
  });

  it("keep what the engine knew, and each side's prompt", async () => {
    const { joined } = await join(
      [
        half([1, 2], "rollout", {
          sampleId: "s",
          promptTokenIds: Int32Array.of(7, 8),
          finishReason: "stop",
          cachedTokens: 1,
        }),
      ],
      [half([1, 2], "trainer", { sampleId: "s", promptTokenIds: Int32Array.of(7, 9), engineId: "e" })],
    );
    expect(joined[0]).toMatchObject({
      promptTokenIds: Int32Array.of(7, 8),
      trainerPromptTokenIds: Int32Array.of(7, 9),
      finishReason: "stop",
      cachedTokens: 1,
      engineId: "e",
    });
  });

  it("without tokens are taken as they stand where they are as long, and that is said", async () => {
    const bare = (length: number, sampleId: string): SequenceDraft =>
      half(
        Array.from({ length }, () => 8),
        "trainer",
        { sampleId, responseTokenIds: undefined },
      );
    const { joined, messages } = await join(
      [half([1, 2], "rollout", { sampleId: "s" }), half([1, 2], "rollout", { sampleId: "t" })],
      [bare(2, "s"), bare(3, "t")],
    );
    expect(ids(joined)).toEqual([[1, 2]]);
    expect(messages).toEqual([
      "2 sequences joined from the two sides: 2 by id",
      "1 sequence has tokens on one side only: whether both sides scored the same tokens was not checked",
      "1 sequence has different lengths on the two sides and no tokens to align them by",
    ]);
  });
});

describe("what the two files say of sampling and of their sides", () => {
  const from = (file: string, sampling: Sampling, sides?: Sides): Part => ({
    sampleId: "s",
    origin: {
      provenance: { file, format: "jsonl", trainer: "own", alignment: "token" },
      sampling,
      ...(sides && { sides }),
    },
  });

  it("is carried, each under its side, the rollout's parameters first", async () => {
    const { joined, messages } = await join(
      [
        half(
          [1],
          "rollout",
          from("a", { temperature: 1, topP: 0.9 }, { rollout: { software: "vllm 0.11", topology: "tp2" } }),
        ),
      ],
      [
        half(
          [1],
          "trainer",
          from("b", { temperature: 1, topK: 20 }, { trainer: { software: "fsdp", weights: "w1" } }),
        ),
      ],
    );
    expect(joined[0]!.origin).toEqual({
      provenance: { file: "a + b", format: "jsonl", trainer: "pair", alignment: "token" },
      sampling: { temperature: 1, topP: 0.9, topK: 20 },
      sides: {
        rollout: { software: "vllm 0.11", topology: "tp2" },
        trainer: { software: "fsdp", weights: "w1" },
      },
    });
    expect(messages).toEqual(["1 sequence joined from the two sides: 1 by id"]);
  });

  it("of a second engine's file, whose own column is called rollout, belongs to the trainer side", async () => {
    const { joined, messages } = await join(
      [half([1], "rollout", from("a", {}, { rollout: { weights: "w1" } }))],
      [half([1], "rollout", from("b", {}, { rollout: { weights: "w2" } }))],
    );
    expect(joined[0]!.origin!.sides).toEqual({ rollout: { weights: "w1" }, trainer: { weights: "w2" } });
    expect(messages[0]).toBe("1 sequence has weights w1 on the rollout side and w2 on the trainer side");
  });

  it("is one origin for all pairs that say the same, so that they stay in one batch", async () => {
    const rows = (side: "rollout" | "trainer"): SequenceDraft[] =>
      ["s", "t", "u"].map((sampleId, i) =>
        half([1], side, { ...from(`${side}-${i}`, { temperature: 0.7 }), sampleId }),
      );
    const { joined } = await join(rows("rollout"), rows("trainer"));
    expect(joined).toHaveLength(3);
    expect(new Set(joined.map(({ origin }) => origin)).size).toBe(1);
  });

  it.each([
    [{ temperature: 1 }, { temperature: 0.7 }, "temperature 1 on the rollout side and 0.7 on"],
    [{ topP: 0.9 }, { topP: 1 }, "top-p 0.9 on the rollout side and 1 on"],
    [
      { logprobsMode: "raw_logprobs" },
      { logprobsMode: "processed_logprobs" },
      "log-prob mode raw_logprobs on the rollout side and processed_logprobs on",
    ],
    [{ temperature: 0.7 }, { temperature: Math.fround(0.7) }, undefined],
    [{ temperature: 0.7 }, {}, undefined],
  ] as const)("that %j against %j is a finding: %s", async (a, b, says) => {
    const { joined, findings } = await join(
      [half([1], "rollout", from("a", a)), half([2], "rollout", { ...from("a", a), sampleId: "t" })],
      [half([1], "trainer", from("b", b)), half([2], "trainer", { ...from("b", b), sampleId: "t" })],
    );
    const found = findings.filter(({ code }) => code === "sides-differ");
    expect(found.map(({ message, severity, count, at }) => [message, severity, count, at.file])).toEqual(
      says === undefined ? [] : [[`2 sequences have ${says} the trainer side`, "warning", 2, "b"]],
    );
    const [[fact, value]] = Object.entries(a) as [[string, unknown]];
    expect(found.map(({ sides }) => sides)).toEqual(
      says === undefined ? [] : [{ fact, rollout: value, trainer: Object.values(b)[0] }],
    );
    expect(joined[0]!.origin!.sampling).toMatchObject(a);
  });
});

describe("prompts that both sides scored", () => {
  const prompt = (logprobs: number[], tokenIds?: number[]): Part => ({
    sampleId: "s",
    promptLogprobs: {
      logprobs: Float64Array.from(logprobs),
      ...(tokenIds && { tokenIds: Int32Array.from(tokenIds) }),
    },
  });

  it("are compared apart, from their ends, without nulls and sentinels", async () => {
    const { prompts } = await join(
      [half([1], "rollout", prompt([NaN, -1, -2, -9999], [7, 8, 9, 10]))],
      [half([1], "trainer", prompt([-1, -2.5, -3], [8, 9, 10]))],
    );
    const { sums, sequences } = prompts.summarize()!;
    expect([sums[0], sequences.count, prompts.incomparable]).toEqual([2, 1, 0]);
  });

  it("of other tokens are counted, and so are those that no token or text identifies", async () => {
    for (const [a, b] of [
      [prompt([-1, -2], [7, 8]), prompt([-1, -2], [7, 9])],
      [prompt([-1, -2]), prompt([-1, -2])],
    ]) {
      const { prompts, messages } = await join([half([1], "rollout", a!)], [half([1], "trainer", b!)]);
      expect(prompts.summarize()).toBeUndefined();
      expect(messages.at(-1)).toBe("2 prompt tokens have log-probs in both files but cannot be compared");
    }
  });
});

describe("memory", () => {
  const before = memoryLimit();
  afterEach(() => setMemoryLimit(before));

  it("a side that does not fit is refused with the flag", async () => {
    setMemoryLimit(1 << 20);
    const many = Array.from({ length: 2000 }, (_, i) => half([1, 2], "trainer", { sampleId: String(i) }));
    await expect(join([half([1, 2], "rollout", { sampleId: "1" })], many)).rejects.toMatchObject({
      _tag: "LimitError",
      message: "the side of a join that is held in memory takes more than the limit of 1 MiB decoded",
      at: { file: "b" },
    });
  });
});
