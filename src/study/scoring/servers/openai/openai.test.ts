import { afterEach, describe, expect, it } from "vitest";
import { decode, encode, expectedLogprobs } from "../bigram-model.test-data.ts";
import { startServer, type TestServer } from "../http-server.test-data.ts";
import { expectedTop, FAST, makeText, refusal, TEXT, topK } from "../servers.test-data.ts";
import { type OpenAiOptions, openOpenAiPolicy } from "./open.ts";
import { type FakeOpenAi, openAiHandler } from "./openai-server.test-data.ts";

const started: TestServer[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

async function open(fake: FakeOpenAi = {}, options: OpenAiOptions = {}) {
  const server = await startServer(openAiHandler(fake));
  started.push(server);
  return {
    server,
    policy: await openOpenAiPolicy("p", server.url, { ...FAST, encode, topK: 5, ...options }),
  };
}

const LOGPROBS = expectedLogprobs(TEXT.ids, TEXT.promptLength);
const SAMPLING = { n: 2, temperature: 1, topP: 1, maxTokens: 4, seed: 1, stopIds: [] };

/** The k most probable tokens of the model, up to the first one without a text of its own. */
function knownTop(k: number, width: number): number[][] {
  const { ids } = expectedTop(TEXT, k);
  return Array.from({ length: TEXT.ids.length - TEXT.promptLength }, (_, row) => {
    const top = ids.slice(row * k, row * k + k);
    const unknown = top.findIndex((id) => id >= 48);
    const known = unknown === -1 ? top : top.slice(0, unknown);
    return [...known, ...Array.from({ length: width - known.length }, () => -1)];
  });
}

function rows(ids: Int32Array, k: number): number[][] {
  return Array.from({ length: ids.length / k }, (_, row) => [...ids.subarray(row * k, row * k + k)]);
}

describe("scores from an OpenAI-compatible server", () => {
  it("are the model's own, their ids found by the tokenizer", async () => {
    const { policy } = await open();
    const { logprobs, topK: top } = await topK(policy).score(TEXT);
    expect([...logprobs]).toEqual(LOGPROBS);
    expect(rows(top.ids, 5)).toEqual(knownTop(5, 5));
    expect(policy.facts).toMatchObject({ backend: "openai", model: "tiny", contextLength: null });
  });

  it("hold no sampled token as an alternative that a server with a lower limit only adds", async () => {
    const { policy } = await open({ asIds: true }, { topK: 20, encode: undefined });
    const { topK: top } = await topK(policy).score(TEXT);
    const expected = expectedTop(TEXT, 5).ids;
    const nothing = Array.from({ length: 15 }, () => -1);
    expect(rows(top.ids, 20)).toEqual(rows(Int32Array.from(expected), 5).map((row) => [...row, ...nothing]));
    expect(policy.facts.notes.at(-1)).toContain("returned 5 alternatives");
  });

  it("leave out what has no text of its own, and all that is less probable", async () => {
    const { policy } = await open({}, { topK: 4 });
    const text = makeText(
      Array.from({ length: 48 }, (_, id) => id),
      1,
    );
    const { topK: top } = await topK(policy).score(text);
    const { ids } = expectedTop(text, 4);
    for (const [row, found] of rows(top.ids, 4).entries()) {
      const expected = ids.slice(4 * row, 4 * row + 4);
      const unknown = expected.findIndex((id) => id >= 48);
      const kept = unknown === -1 ? 4 : unknown;
      expect(found.slice(0, kept)).toEqual(expected.slice(0, kept));
      expect(found.slice(kept).every((id) => id === -1)).toBe(true);
    }
    expect(ids.some((id) => id >= 48)).toBe(true);
    expect(policy.facts.notes.some((note) => note.includes("left out"))).toBe(true);
  });

  it("ask for one token where a server must generate something", async () => {
    const { policy, server } = await open({ needsAToken: true });
    expect([...(await topK(policy).score(TEXT)).logprobs]).toEqual(LOGPROBS);
    const before = server.asked.length;
    expect([...(await topK(policy).score(TEXT)).logprobs]).toEqual(LOGPROBS);
    expect(server.asked.length).toBe(before + 1);
  });

  it.each([[[]], [[1]]])(
    "are found when the prompt goes as text, behind start tokens %o",
    async (startTokens) => {
      const { policy, server } = await open({ startTokens, needsAToken: true }, { decode });
      expect([...(await topK(policy).score(TEXT)).logprobs]).toEqual(LOGPROBS);
      expect(server.asked.at(-1)!.body).toMatchObject({ prompt: decode([...TEXT.ids]) });
    },
  );

  it("do without ids when only sampled tokens are asked for", async () => {
    const { policy } = await open({}, { encode: undefined, topK: 0 });
    expect([...(await topK(policy).score(TEXT)).logprobs]).toEqual(LOGPROBS);
  });
});

type Block = { tokens: string[]; token_logprobs: (number | null)[]; top_logprobs: unknown[] };

function spoiling(change: (block: Block) => void): FakeOpenAi {
  return { spoil: ({ logprobs }) => change(logprobs as Block) };
}

describe("an OpenAI-compatible server refuses or spoils a text", () => {
  it.each<[string, FakeOpenAi, OpenAiOptions, string, RegExp]>([
    ["texts and no tokenizer", {}, { encode: undefined }, "other-tokens", /by their texts only/],
    ["no echo", { noEcho: true }, {}, "server-refused", /'echo' and 'logprobs'/],
    ["an extra field", {}, { extraBody: { best: 1 } }, "server-refused", /Unrecognized request argument/],
    [
      "another token",
      spoiling(({ tokens }) => {
        tokens[4] = " w1";
      }),
      {},
      "other-tokens",
      /token 4 was sent as id 26; the reply has id 1/,
    ],
    [
      "fewer tokens",
      spoiling(({ tokens }) => {
        tokens.length = 6;
      }),
      {},
      "fewer-tokens",
      /covers 6 tokens, but 8/,
    ],
    [
      "nothing echoed",
      spoiling(({ tokens }) => {
        tokens.length = 0;
      }),
      {},
      "no-logprobs",
      /covers 0 tokens/,
    ],
    [
      "-9999",
      spoiling((block) => {
        block.token_logprobs[5] = -9999;
      }),
      {},
      "no-logprobs",
      /1 -9999/,
    ],
    [
      "no block",
      {
        spoil: (choice) => {
          choice.logprobs = null;
        },
      },
      {},
      "no-logprobs",
      /no log-probs/,
    ],
  ])("%s", async (_name, fake, options, reason, message) => {
    const { policy } = await open(fake, options);
    const error = await refusal(topK(policy).score(TEXT));
    expect(error.reason).toBe(reason);
    expect(error.message).toMatch(message);
  });

  it("refuses a text that its tokenizer reads otherwise", async () => {
    const { policy } = await open({}, { decode: (ids) => decode(ids).replace("w26", "w27") });
    expect((await refusal(topK(policy).score(TEXT))).reason).toBe("other-tokens");
  });
});

describe("sampling from an OpenAI-compatible server", () => {
  const tokenIds = (ids: number[]) => ids.filter((id) => id < 48);

  it("gives ids and, at temperature 1, log-probs", async () => {
    const { policy } = await open({ asIds: true });
    const found = await policy.sample!(Int32Array.of(1, 2), { ...SAMPLING, stopIds: [3] });
    for (const { ids, logprobs } of found) {
      expect([...logprobs]).toEqual(expectedLogprobs(Int32Array.of(2, ...ids), 1));
      expect(tokenIds([...ids]).length).toBeGreaterThan(0);
    }
    expect(policy.facts.notes.at(-1)).toContain("no stop ids");
    const [hot] = await policy.sample!(Int32Array.of(1, 2), { ...SAMPLING, temperature: 0.7 });
    expect(hot!.logprobs.every(Number.isNaN)).toBe(true);
  });

  it("refuses texts in place of ids", async () => {
    const { policy } = await open({}, { encode: undefined });
    expect((await refusal(policy.sample!(Int32Array.of(1), SAMPLING))).reason).toBe("other-tokens");
  });
});

describe("opening an OpenAI-compatible server", () => {
  it("does without a list of models when one is named", async () => {
    expect((await open({ listsModels: false }, { model: "m" })).policy.facts.model).toBe("m");
    await expect(open({ listsModels: false })).rejects.toMatchObject({ _tag: "NotFoundError" });
  });

  it.each([{ fullVocabulary: true }, { encode: undefined, decode }])("refuses %o", async (options) => {
    await expect(open({}, options)).rejects.toMatchObject({ _tag: "UsageError" });
  });
});
