import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FindingLog } from "../../../core/schema/findings.ts";
import type { SequenceDraft } from "../../../core/schema/sequence-draft.ts";
import { openDocument } from "../../../ingest/open-document.ts";
import { memorySource } from "../../io/file-source.ts";
import type { Match } from "../adapter.ts";
import { FIXTURES, readAll, readError } from "../read.test-data.ts";
import { servers } from "./index.ts";

const fixture = (name: string): string => `${FIXTURES}servers/${name}`;

async function* slices(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

interface Seen {
  readonly match: Match | undefined;
  readonly drafts: readonly SequenceDraft[];
  readonly messages: readonly string[];
}

async function readDrafts(name: string, way: "whole" | "sliced" | "nameless"): Promise<Seen> {
  const bytes = new Uint8Array(readFileSync(fixture(name)));
  const input =
    way === "sliced"
      ? { name, bytes: slices(bytes, 7) }
      : memorySource(way === "nameless" ? "file" : name, bytes);
  const document = await openDocument(input);
  const findings = new FindingLog();
  const match = await servers.detect(document);
  const drafts: SequenceDraft[] = [];
  if (match?.onePolicy !== undefined) {
    const reading = await servers.read(document, { findings, blockTokens: 1000 });
    for await (const block of reading.blocks) drafts.push(...block);
  }
  await document.close();
  return { match, drafts, messages: findings.list().map(({ message }) => message) };
}

/** What all fixtures hold: three tokens, the last two of them parts of one character. */
const IDS = [11, 12, 13];
const LOGPROBS = [-0.5, -1.25, -9999];
const BYTES = [" is", "<0x20><0xE6><0x97>", "<0xA5>"];
const PLAIN = [" is", " 日", "\uFFFD"];
const TEXT = " is 日";

const numbers = (values: ArrayLike<number> | undefined): number[] | undefined => values && Array.from(values);

describe.each(["whole", "sliced", "nameless"] as const)("a server's reply, %s", (way) => {
  it.each([
    ["openai_chat.json", "OpenAI chat completions", undefined, BYTES],
    ["openai_chat_n2.json", "OpenAI chat completions", undefined, BYTES],
    ["openai_batch.jsonl", "OpenAI chat completions, batch results", undefined, BYTES],
    ["openai_stream.json", "OpenAI chat completions", undefined, BYTES],
    ["openai_stream.txt", "OpenAI chat completions", undefined, BYTES],
    ["openai_response.json", "OpenAI responses", undefined, BYTES],
    ["openai_completion.json", "OpenAI completions", undefined, BYTES],
    ["vllm_echo.json", "OpenAI completions", IDS, undefined],
    ["vllm_offline.jsonl", "vLLM's offline outputs", IDS, PLAIN],
    ["vllm_recorded.json", "vLLM's recorded outputs", IDS, PLAIN],
    ["sglang.json", "SGLang replies", IDS, undefined],
    ["sglang_stream.txt", "SGLang replies", IDS, undefined],
    ["tgi.json", "text-generation-inference replies", IDS, PLAIN],
    ["tgi_stream.json", "text-generation-inference replies", IDS, PLAIN],
    ["llama_cpp.json", "llama.cpp completions", IDS, BYTES],
    ["ollama_stream.jsonl", "Ollama replies", undefined, PLAIN],
    ["gemini.json", "Gemini replies", IDS, PLAIN],
  ])("%s", async (name, server, ids, tokens) => {
    const { match, drafts } = await readDrafts(name, way);
    expect(match?.found[0]).toBe(server);
    expect(match?.onePolicy?.has).toBe("rollout");
    expect(match?.onePolicy?.error.message).toBe(`${server}: only one policy's log-probs are present`);
    const [draft] = drafts;
    expect(numbers(draft!.rolloutLogprobs)).toEqual(LOGPROBS);
    expect(draft!.trainerLogprobs).toBeUndefined();
    expect(numbers(draft!.responseTokenIds)).toEqual(ids);
    expect(draft!.responseTokens).toEqual(tokens);
    expect(draft!.row).toBe(0);
  });
});

describe("what a reply says beside its log-probs", () => {
  const first = async (name: string): Promise<SequenceDraft> => (await readDrafts(name, "whole")).drafts[0]!;

  it("the prompt, where the server gives its log-probs", async () => {
    for (const name of ["vllm_echo.json", "vllm_offline.jsonl", "sglang.json", "tgi.json"]) {
      const { promptLogprobs, promptTokenIds } = await first(name);
      expect([name, numbers(promptLogprobs?.logprobs)]).toEqual([name, [NaN, -2.5]]);
      expect([name, numbers(promptTokenIds)]).toEqual([name, [1, 2]]);
    }
    expect((await first("tgi.json")).promptText).toBe("The sun");
    expect((await first("vllm_offline.jsonl")).sampleId).toBe("0");
    expect((await first("openai_chat.json")).promptLogprobs).toBeUndefined();
  });

  it("alternatives by their ids, the most probable first, sentinels left off", async () => {
    const { k, ids, logprobs } = (await first("vllm_offline.jsonl")).topK!.rollout!;
    expect([k, numbers(ids), numbers(logprobs)]).toEqual([
      2,
      [11, 21, 12, 22, 23, -1],
      [-0.5, -1, -1.25, -2, -3, NaN],
    ]);
    for (const name of ["vllm_echo.json", "sglang.json", "llama_cpp.json"])
      expect([name, numbers((await first(name)).topK!.rollout!.ids)]).toEqual([name, numbers(ids)]);
    expect(numbers((await first("gemini.json")).topK!.rollout!.ids)).toEqual([21, 22, 23]);
  });

  it("alternatives that have a text only are said not to be used", async () => {
    const { drafts, messages } = await readDrafts("openai_chat.json", "whole");
    expect(drafts[0]!.topK).toBeUndefined();
    expect(messages).toEqual(["6 alternatives have a text but no token id and are not used"]);
  });

  it("several continuations are one group, and a batch file's name is the id", async () => {
    const { drafts } = await readDrafts("openai_chat_n2.json", "whole");
    expect(drafts.map(({ groupId, indexInGroup }) => [groupId, indexInGroup])).toEqual([
      ["row 0", 0],
      ["row 0", 1],
    ]);
    const batch = await readDrafts("openai_batch.jsonl", "whole");
    expect(batch.drafts.map(({ sampleId, groupId }) => [sampleId, groupId])).toEqual([["q1", undefined]]);
    expect(batch.messages).toContain("1 row cannot be read: the request failed: rate limit");
  });

  it("texts, weight versions and sampling", async () => {
    for (const name of ["openai_stream.txt", "ollama_stream.jsonl"])
      expect((await first(name)).responseText).toBe(" is 日\uFFFD");
    for (const name of ["openai_response.json", "sglang_stream.txt", "tgi_stream.json", "gemini.json"])
      expect([name, (await first(name)).responseText]).toEqual([name, TEXT]);
    expect(numbers((await first("sglang.json")).weightVersions)).toEqual([7, 7, 7]);
    const document = await openDocument(
      memorySource("a.json", new Uint8Array(readFileSync(fixture("llama_cpp.json")))),
    );
    const reading = await servers.read(document, { findings: new FindingLog(), blockTokens: 10 });
    expect(reading.sampling).toEqual({ temperature: 0.5, topP: 0.75, topK: 40 });
  });

  it("why it stopped, and what came out of the prefix cache", async () => {
    for (const [name, reason, cached] of [
      ["sglang.json", "stop", 1],
      ["vllm_offline.jsonl", "stop", 2],
      ["openai_completion.json", "stop", 1],
      ["openai_chat.json", "stop", undefined],
      ["tgi.json", "length", undefined],
    ] as const) {
      const { finishReason, cachedTokens } = await first(name);
      expect([name, finishReason, cachedTokens]).toEqual([name, reason, cached]);
    }
  });

  it("llama.cpp before December 2024 gives probabilities by text", async () => {
    const { rolloutLogprobs, responseTokens, promptText } = await first("llama_cpp_old.json");
    expect([numbers(rolloutLogprobs), responseTokens, promptText]).toEqual([
      [Math.log(0.5)],
      [" is"],
      "The sun",
    ]);
  });
});

describe("replies that cannot be used say why", () => {
  it("no log-probs: the request's flag", async () => {
    const error = await readError(fixture("openai_chat_without.json"));
    expect([error._tag, error.message, error.hint]).toEqual([
      "SchemaError",
      "OpenAI chat completions: the reply has no log-probs",
      'request them: "logprobs": true, and "top_logprobs": 5 for alternatives',
    ]);
  });

  it("logits in place of log-probs", async () => {
    const error = await readError(fixture("vllm_logits.json"));
    expect([error.message, error.likely, error.hint]).toEqual([
      "OpenAI completions: token 0 has a log-prob of 12.5, above 0",
      "the server returned logits instead of log-probs",
      "start vLLM with --logprobs-mode raw_logprobs",
    ]);
  });
});

describe("two servers' replies", () => {
  it("are joined by what tokens spell where one has no ids, up to what bytes can tell", async () => {
    const { batches, findings } = await readAll([
      fixture("openai_chat.json"),
      fixture("openai_completion.json"),
    ]);
    expect([...batches[0]!.offsets]).toEqual([0, 3]);
    expect(batches[0]!.responseTokenIds).toBeUndefined();
    expect(findings.map(({ message }) => message)).toContain(
      "1 sequence joined from the two sides: 1 by order",
    );
  });

  it("take ids from whichever has them, and compare the prompts that both scored", async () => {
    const { run, batches } = await readAll([fixture("tgi.json"), fixture("sglang.json")]);
    expect([...batches[0]!.responseTokenIds!]).toEqual(IDS);
    expect(batches[0]!.topK.rollout!.k).toBe(1);
    expect(batches[0]!.topK.trainer!.k).toBe(2);
    expect(run.promptSummary()?.sequences.count).toBe(1);
  });

  it("one of which scored the other's tokens as a prompt", async () => {
    const { batches, findings } = await readAll([fixture("vllm_offline.jsonl"), fixture("vllm_scored.json")]);
    expect([...batches[0]!.rolloutLogprobs!]).toEqual([-0.5, -1.25, NaN]);
    expect([...batches[0]!.trainerLogprobs!]).toEqual([-0.75, -1.5, -0.25]);
    expect(findings.map(({ message }) => message)).toContain(
      "1 sequence joined from the two sides: 1 by scored text",
    );
  });

  it("with nothing in common to tell tokens by are refused", async () => {
    const error = await readError([fixture("ollama_stream.jsonl"), fixture("vllm_echo.json")]);
    expect([error._tag, error.likely]).toEqual([
      "SchemaError",
      "one file names tokens by id and the other by text, and nothing else says which belong together",
    ]);
  });
});
