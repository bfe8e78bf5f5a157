import { afterEach, describe, expect, it } from "vitest";
import { expectedLogprobs, VOCABULARY } from "../bigram-model.test-data.ts";
import { startServer, type TestServer } from "../http-server.test-data.ts";
import {
  collectRows,
  expectedRows,
  expectedTop,
  FAST,
  makeText,
  refusal,
  TEXT,
  topK,
} from "../servers.test-data.ts";
import { openSglangPolicy, type SglangOptions } from "./open.ts";
import { type FakeSglang, type GenerateRequest, sglangHandler } from "./sglang-server.test-data.ts";

const started: TestServer[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

async function open(fake: FakeSglang = {}, options: SglangOptions = {}) {
  const server = await startServer(sglangHandler(fake));
  started.push(server);
  return { server, policy: await openSglangPolicy("rlvr", server.url, { ...FAST, ...options }) };
}

type Triple = [number | null, number, null];
type Meta = {
  input_token_logprobs: Triple[];
  input_top_logprobs?: (Triple[] | null)[];
  prompt_tokens: number;
};

function spoiling(change: (meta: Meta) => void): FakeSglang {
  return { spoil: (meta) => change(meta as unknown as Meta) };
}

const SAMPLING = { n: 2, temperature: 1, topP: 1, maxTokens: 5, seed: 5, stopIds: [] };

describe("scores from SGLang", () => {
  it.each([0, 1, 6, 20])("are the model's own, with %i alternatives", async (k) => {
    const { policy, server } = await open({}, { topK: k });
    const scores = await topK(policy).score(TEXT);
    const expected = expectedTop(TEXT, k);
    expect([...scores.logprobs]).toEqual(expectedLogprobs(TEXT.ids, TEXT.promptLength));
    expect([...scores.topK.ids]).toEqual(expected.ids);
    expect([...scores.topK.logprobs]).toEqual(expected.logprobs);
    // SGLang gives no ranks; they are known only if the token is among the alternatives.
    expect([...scores.ranks]).toEqual(expected.ranks.map((rank) => (rank <= k ? rank : -1)));
    const { logprob_start_len: start, sampling_params: sampling } = server.asked.at(-1)!
      .body as GenerateRequest;
    expect([start, sampling.max_new_tokens]).toEqual([2, 0]);
  });

  it("take a prompt of one token, and the last token of the vocabulary", async () => {
    const { policy } = await open({}, { vocabularySize: VOCABULARY });
    const text = makeText([7, 49, 3, 49], 1);
    expect([...(await topK(policy).score(text)).logprobs]).toEqual(expectedLogprobs(text.ids, 1));
    const unsized = (await open()).policy;
    const error = await refusal(topK(unsized).score(text));
    expect(error.reason).toBe("other-tokens");
    expect(error.likely).toContain("last id of the vocabulary");
  });

  it("are found behind what a server gives in front", async () => {
    const { policy } = await open(
      spoiling((meta) => meta.input_token_logprobs.unshift([-1, 3, null], [-1, 14, null])),
    );
    expect([...(await topK(policy).score(TEXT)).logprobs]).toEqual(
      expectedLogprobs(TEXT.ids, TEXT.promptLength),
    );
  });

  it("say what temperature means", async () => {
    const { policy } = await open();
    expect(policy.facts).toMatchObject({
      backend: "sglang",
      model: "org/tiny",
      contextLength: 64,
      logprobs: "raw",
      temperature: 1,
    });
    expect(policy.facts.notes.join(" ")).toMatch(/SGLang 0\.5\.5.*always at temperature 1/);
  });
});

describe("SGLang refuses or spoils a text", () => {
  it.each<[string, (meta: Meta) => void, string, RegExp]>([
    [
      "a cut input",
      (meta) => {
        meta.prompt_tokens = 6;
      },
      "fewer-tokens",
      /covers 6 tokens, but 8 were sent/,
    ],
    [
      "fewer entries",
      (meta) => {
        meta.input_token_logprobs.splice(1, 2);
      },
      "fewer-tokens",
      /covers 6 tokens, but 8/,
    ],
    [
      "another id",
      (meta) => {
        meta.input_token_logprobs[2]![1] = 44;
      },
      "other-tokens",
      /token 4 was sent as id 26; the reply has id 44/,
    ],
    [
      "null",
      (meta) => {
        meta.input_token_logprobs[2]![0] = null;
      },
      "no-logprobs",
      /1 null of 5/,
    ],
    [
      "NaN beside",
      (meta) => {
        meta.input_top_logprobs![2]![0]![0] = null;
      },
      "non-finite",
      /1 of 20 alternatives/,
    ],
    [
      "no log-probs",
      (meta) => {
        delete (meta as Partial<Meta>).input_token_logprobs;
      },
      "no-logprobs",
      /no log-probs/,
    ],
    [
      "an abort",
      (meta) => {
        Object.assign(meta, { finish_reason: { type: "abort", message: "out of memory" } });
      },
      "server-refused",
      /out of memory/,
    ],
  ])("%s", async (_name, change, reason, message) => {
    const { policy } = await open(spoiling(change));
    const error = await refusal(topK(policy).score(TEXT));
    expect(error.reason).toBe(reason);
    expect(error.message).toMatch(message);
  });

  it("knows what is too long, from the facts and from the server's words", async () => {
    const { policy, server } = await open();
    const long = makeText(
      Array.from({ length: 64 }, (_, index) => index % 48),
      3,
    );
    expect((await refusal(topK(policy).score(long))).message).toContain(
      "64 tokens; the server's context of 64 has room for 63",
    );
    server.faults.push({
      status: 400,
      body: {
        error: { message: "The input (70 tokens) is longer than the model's context length (64 tokens)." },
      },
    });
    expect((await refusal(topK(policy).score(TEXT))).reason).toBe("context-length");
  });
});

describe("whole rows from SGLang", () => {
  it("are the model's", async () => {
    const { policy } = await open({}, { fullVocabulary: true, vocabularySize: VOCABULARY });
    expect(await collectRows(policy, TEXT)).toEqual(expectedRows(TEXT));
  });

  it("need the size of the vocabulary, and a right one", async () => {
    await expect(open({}, { fullVocabulary: true })).rejects.toMatchObject({ _tag: "UsageError" });
    const { policy } = await open({}, { fullVocabulary: true, vocabularySize: 40 });
    const error = await refusal(collectRows(policy, makeText([3, 14, 15], 1)));
    expect(error).toMatchObject({
      reason: "other-tokens",
      message: expect.stringContaining("of a vocabulary of 40"),
    });
    await expect(open({}, { fullVocabulary: true, vocabularySize: 60 })).rejects.toMatchObject({
      _tag: "NotFoundError",
    });
  });
});

describe("sampling from SGLang", () => {
  it.each([0, 0.5, 1])("gives raw log-probs at temperature %d", async (temperature) => {
    const { policy } = await open({ deterministic: true });
    const found = await policy.sample!(Int32Array.of(1, 2), { ...SAMPLING, temperature });
    expect(found).toHaveLength(2);
    for (const { ids, logprobs } of found) {
      expect([...logprobs]).toEqual(expectedLogprobs(Int32Array.of(2, ...ids), 1));
    }
    expect(found[0]!.ids.join() === found[1]!.ids.join()).toBe(temperature === 0);
  });

  it("says when a seed is not heeded", async () => {
    const { policy, server } = await open();
    await policy.sample!(Int32Array.of(1), SAMPLING);
    const body = server.asked.at(-1)!.body as GenerateRequest;
    expect(body.sampling_params.sampling_seed).toBeUndefined();
    expect(policy.facts.notes.at(-1)).toContain("without a seed");
  });

  it("ends with the stop id", async () => {
    const { policy } = await open();
    const [free] = await policy.sample!(Int32Array.of(1), { ...SAMPLING, n: 1 });
    const stopIds = [free!.ids[1]!];
    const [ended] = await policy.sample!(Int32Array.of(1), { ...SAMPLING, n: 1, stopIds });
    expect(ended).toMatchObject({ finishReason: "stop" });
    expect(ended!.ids.at(-1)).toBe(stopIds[0]);
  });
});

describe("opening SGLang", () => {
  it("knows old versions, and makes sure of the model", async () => {
    expect((await open({ old: true })).policy.facts.model).toBe("org/tiny");
    await expect(open({}, { model: "other" })).rejects.toMatchObject({ _tag: "UsageError" });
    expect((await open({}, { model: "org/tiny" })).policy.facts.model).toBe("org/tiny");
  });

  it.each([
    [404, {}, "NotFoundError"],
    [200, {}, "UnsupportedError"],
    [200, { model_path: "e5", is_generation: false }, "UnsupportedError"],
  ])("tells what answers with %i %o", async (status, body, tag) => {
    const other = await startServer(() => ({ status, body }));
    started.push(other);
    await expect(openSglangPolicy("p", other.url, FAST)).rejects.toMatchObject({ _tag: tag });
    await other.close();
    await expect(openSglangPolicy("p", other.url, FAST)).rejects.toMatchObject({ _tag: "NotFoundError" });
  });
});
