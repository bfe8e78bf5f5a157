import { afterEach, describe, expect, it } from "vitest";
import { expectedLogprobs, logprobsAfter, VOCABULARY } from "../bigram-model.test-data.ts";
import { type Fault, startServer, type TestServer } from "../http-server.test-data.ts";
import {
  collectRows,
  expectedRows,
  expectedTop,
  FAST,
  makeText,
  plain,
  refusal,
  TEXT,
  topK,
} from "../servers.test-data.ts";
import { openVllmPolicy, type VllmOptions } from "./open.ts";
import { type FakeVllm, vllmHandler } from "./vllm-server.test-data.ts";

const started: TestServer[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

async function serve(fake: FakeVllm = {}, delayMs = 0): Promise<TestServer> {
  const server = await startServer(vllmHandler(fake), delayMs);
  started.push(server);
  return server;
}

async function open(fake: FakeVllm = {}, options: VllmOptions = {}, delayMs = 0) {
  const server = await serve(fake, delayMs);
  return { server, policy: await openVllmPolicy("dpo", server.url, { ...FAST, ...options }) };
}

const SAMPLING = { n: 3, temperature: 1, topP: 1, maxTokens: 6, seed: 5, stopIds: [] };

describe("scores from vLLM", () => {
  it.each([0, 1, 5, 20])("are the model's own, with %i alternatives", async (k) => {
    const { policy } = await open({}, { topK: k });
    const scores = await topK(policy).score(TEXT);
    expect([...scores.logprobs]).toEqual(expectedLogprobs(TEXT.ids, TEXT.promptLength));
    expect(plain(scores)).toEqual(expectedTop(TEXT, k));
    expect(scores.topK.k).toBe(k);
  });

  it("come from the echo where a version gives no prompt_logprobs", async () => {
    const { policy, server } = await open({ onlyEcho: true }, { topK: 4 });
    const [first, second] = await Promise.all([topK(policy).score(TEXT), topK(policy).score(TEXT)]);
    expect([...first!.logprobs]).toEqual(expectedLogprobs(TEXT.ids, TEXT.promptLength));
    expect(plain(first!)).toMatchObject({ ids: expectedTop(TEXT, 4).ids });
    expect(second).toEqual(first);
    const before = server.asked.length;
    await topK(policy).score(TEXT);
    expect(server.asked.length).toBe(before + 1);
    expect(policy.facts.notes.filter((note) => note.includes("echo"))).toHaveLength(1);
  });

  it("come from the echo where a server refuses prompt_logprobs by name", async () => {
    const { policy, server } = await open({}, { topK: 4 });
    server.faults.push({
      status: 400,
      body: { detail: [{ loc: ["body", "prompt_logprobs"], msg: "Extra inputs are not permitted" }] },
    });
    const scores = await topK(policy).score(TEXT);
    expect([...scores.logprobs]).toEqual(expectedLogprobs(TEXT.ids, TEXT.promptLength));
    expect(server.asked.at(-1)!.body).toMatchObject({ echo: true });
    expect(policy.facts.notes.filter((note) => note.includes("echo"))).toHaveLength(1);
  });

  it.each<[string, boolean, Fault]>([
    ["an empty reply, the first", false, { body: {} }],
    ["an empty choice, the first", false, { body: { choices: [{}] } }],
    ["an empty reply", true, { body: {} }],
    [
      "a completion without prompt_logprobs",
      true,
      { body: { choices: [{ text: "", finish_reason: "stop" }] } },
    ],
    ["half a reply", true, "cut"],
  ])("are asked for as before after %s", async (_, later, fault) => {
    const { policy, server } = await open({}, { topK: 4 });
    if (later) await topK(policy).score(TEXT);
    server.faults.push(fault);
    expect((await refusal(topK(policy).score(TEXT))).reason).toMatch(/no-logprobs|server-failed/);
    expect(plain(await topK(policy).score(TEXT))).toEqual(expectedTop(TEXT, 4));
    expect(server.asked.some(({ body }) => Object.hasOwn((body ?? {}) as object, "echo"))).toBe(false);
    expect(policy.facts.notes.some((note) => note.includes("echo"))).toBe(false);
  });

  it("are asked for at temperature 1 and without truncation", async () => {
    const { policy, server } = await open({ processed: true });
    await topK(policy).score(TEXT);
    expect(server.asked.at(-1)!.body).toMatchObject({
      temperature: 1,
      top_p: 1,
      top_k: -1,
      repetition_penalty: 1,
    });
    expect(policy.facts).toMatchObject({
      backend: "vllm",
      model: "tiny",
      contextLength: 64,
      logprobs: "raw",
      temperature: 1,
    });
    expect(policy.facts.notes[0]).toBe("vLLM 0.11.0.");
  });

  it("note a server whose tokenizer writes the text otherwise", async () => {
    const { policy } = await open();
    await topK(policy).score(TEXT);
    expect(policy.facts.notes.some((note) => note.includes("differently"))).toBe(false);
    await topK(policy).score({ ...TEXT, responseText: "something else" });
    expect(policy.facts.notes.filter((note) => note.includes("differently"))).toHaveLength(1);
  });

  it("go through errors that pass", async () => {
    const { policy, server } = await open();
    server.faults.push({ status: 503, body: {} }, "half");
    expect([...(await topK(policy).score(TEXT)).logprobs]).toEqual(
      expectedLogprobs(TEXT.ids, TEXT.promptLength),
    );
  });
});

type Places = (Record<string, { logprob: number | null }> | null)[];

function spoilPlace(change: (place: Record<string, { logprob: number | null }>, id: string) => void) {
  return (choice: Record<string, unknown>): void => {
    const places = choice.prompt_logprobs as Places | null;
    const place = places?.[4];
    if (place) change(place, String(TEXT.ids[4]));
  };
}

describe("vLLM refuses or spoils a text", () => {
  it.each<[string, Fault, string, RegExp]>([
    ["503", { status: 503, body: {} }, "server-failed", /503, after 3 attempts/],
    ["a lost connection", "half", "server-failed", /no reply, after 3 attempts/],
    [
      "NaN that JSON cannot hold",
      { status: 500, body: "Out of range float values are not JSON compliant" },
      "non-finite",
      /500/,
    ],
  ])("%s", async (_name, fault, reason, message) => {
    const { policy, server } = await open();
    server.faults.push(fault, fault, fault);
    const error = await refusal(topK(policy).score(TEXT));
    expect(error.reason).toBe(reason);
    expect(error.message).toMatch(message);
    expect(error.at).toEqual({ file: `${server.url}/v1/completions`, entry: "q1" });
  });

  it.each<[string, Fault, string]>([
    ["a web page", { body: "<html></html>" }, "server-failed"],
    ["half a reply", "cut", "server-failed"],
    ["an empty reply", { body: {} }, "no-logprobs"],
    ["a wrong key", { status: 401, body: { error: "Unauthorized" } }, "server-refused"],
  ])("%s", async (_name, fault, reason) => {
    const { policy, server } = await open();
    server.faults.push(fault, fault);
    expect((await refusal(topK(policy).score(TEXT))).reason).toBe(reason);
  });

  it("says how to raise the limit of log-probs", async () => {
    const { policy } = await open({}, { topK: 40 });
    const error = await refusal(topK(policy).score(TEXT));
    expect(error.reason).toBe("server-refused");
    expect(error.message).toContain("Requested prompt logprobs of 40, which is greater than max allowed: 20");
    expect(error.hint).toBe("start vLLM with --max-logprobs 40 (-1: no limit), or request topK 20");
  });

  it("refuses what cannot be asked without asking", async () => {
    const { policy, server } = await open({}, { vocabularySize: VOCABULARY });
    const before = server.asked.length;
    const long = Array.from({ length: 64 }, (_, index) => index % 48);
    const reasons = await Promise.all(
      [
        makeText(long, 3),
        makeText([1, 2], 2),
        makeText([1, 2, 50], 1),
        makeText([1, 2, -1], 1),
        makeText([1], 0),
      ].map(async (text) => (await refusal(topK(policy).score(text))).reason),
    );
    expect(reasons).toEqual(["context-length", "empty-response", "unknown-token", "unknown-token", "other"]);
    expect(server.asked.length).toBe(before);
  });

  it("knows the server's own words for the context and the vocabulary", async () => {
    const { policy, server } = await open();
    expect((await refusal(topK(policy).score(makeText([1, 2, 77], 1)))).reason).toBe("unknown-token");
    const message = "This model's maximum context length is 64 tokens.";
    server.faults.push({ status: 400, body: { object: "error", message } });
    expect((await refusal(topK(policy).score(TEXT))).reason).toBe("context-length");
  });

  it.each<[string, FakeVllm["spoil"], string, RegExp]>([
    [
      "fewer tokens",
      (choice) => (choice.prompt_logprobs as Places | null)?.pop(),
      "fewer-tokens",
      /covers 7 tokens, but 8/,
    ],
    [
      "more tokens",
      (choice) => (choice.prompt_logprobs as Places | null)?.push(null),
      "other-tokens",
      /covers 9 tokens, but 8/,
    ],
    [
      "another token",
      spoilPlace((place, id) => delete place[id]),
      "other-tokens",
      /token 4 was sent as id 26/,
    ],
    ["null", spoilPlace((place, id) => (place[id]!.logprob = null)), "no-logprobs", /1 null of 5/],
    ["-9999", spoilPlace((place, id) => (place[id]!.logprob = -9999)), "no-logprobs", /1 -9999 or -inf of 5/],
    [
      "no entry",
      (choice) => {
        (choice.prompt_logprobs as Places | null)?.splice(6, 1, null);
      },
      "no-logprobs",
      /1 null of 5/,
    ],
    ["logits", spoilPlace((place, id) => (place[id]!.logprob = 3.5)), "no-logprobs", /a log-prob of 3.5/],
  ])("%s", async (_name, spoil, reason, message) => {
    const { policy } = await open({ spoil: spoil! });
    const error = await refusal(topK(policy).score(TEXT));
    expect(error.reason).toBe(reason);
    expect(error.message).toMatch(message);
  });

  it("keeps what is left when alternatives have probability 0", async () => {
    const spoil = spoilPlace((place, id) => {
      for (const key of Object.keys(place)) if (key !== id) place[key]!.logprob = -9999;
    });
    const scores = await topK((await open({ spoil }, { topK: 3 })).policy).score(TEXT);
    expect([...scores.topK.ids.subarray(3, 6)].filter((id) => id !== -1 && id !== TEXT.ids[4])).toEqual([]);
  });

  it("takes no more alternatives than a server gives all tokens", async () => {
    // Capped at 2; the sampled token's entry comes on top.
    const spoil = (choice: Record<string, unknown>): void => {
      const places = choice.prompt_logprobs as (Record<string, { rank: number }> | null)[] | null;
      for (const [index, place] of (places ?? []).entries()) {
        for (const [id, { rank }] of Object.entries(place ?? {})) {
          if (rank > 2 && Number(id) !== TEXT.ids[index]) delete place![id];
        }
      }
    };
    const { policy } = await open({ spoil }, { topK: 5 });
    const { topK: top } = await topK(policy).score(TEXT);
    const expected = expectedTop(TEXT, 2).ids;
    for (let row = 0; row < 5; row++) {
      const found = [...top.ids.subarray(5 * row, 5 * row + 5)].filter((id) => id !== -1);
      // A sampled token of rank 3 is the third alternative, whatever it was added for.
      const third = expectedTop(TEXT, 0).ranks[row] === 3 ? [TEXT.ids[3 + row]] : [];
      expect(found).toEqual([...expected.slice(2 * row, 2 * row + 2), ...third]);
    }
    expect(policy.facts.notes.at(-1)).toMatch(/returned 2 alternatives .* instead of 5/);
  });
});

describe("whole rows from vLLM", () => {
  it.each([undefined, VOCABULARY])(
    "are the model's, in order (vocabularySize %s)",
    async (vocabularySize) => {
      const { policy, server } = await open(
        { maxLogprobs: -1 },
        { fullVocabulary: true, vocabularySize, concurrency: 3 },
        2,
      );
      expect(policy.facts.vocabularySize).toBe(VOCABULARY);
      expect(await collectRows(policy, TEXT)).toEqual(expectedRows(TEXT));
      expect(server.mostAtOnce()).toBeLessThanOrEqual(3);
    },
  );

  it("become the most probable tokens where the server allows no more", async () => {
    const { policy } = await open({}, { fullVocabulary: true });
    expect(policy.gives).toBe("top-k");
    expect(policy.facts.notes.at(-1)).toMatch(/refused .*--max-logprobs -1.* greater than max allowed: 20/);
    expect([...(await topK(policy).score(TEXT)).logprobs]).toEqual(
      expectedLogprobs(TEXT.ids, TEXT.promptLength),
    );
  });

  it("are refused when columns are missing, and the rest is not asked for", async () => {
    const spoil = (choice: Record<string, unknown>): void => {
      const block = choice.logprobs as { top_logprobs: Record<string, number>[] } | null;
      if (block !== null) delete block.top_logprobs[0]!["token_id:7"];
    };
    const { policy, server } = await open(
      { maxLogprobs: -1, spoil },
      { fullVocabulary: true, concurrency: 2 },
    );
    const before = server.asked.length;
    const error = await refusal(collectRows(policy, TEXT));
    expect(error).toMatchObject({ reason: "no-logits", message: "the row for token 3 has 49 of 50 columns" });
    expect(server.asked.length - before).toBeLessThanOrEqual(2);
  });

  it("end when aborted or left", async () => {
    const { policy, server } = await open({ maxLogprobs: -1 }, { fullVocabulary: true, concurrency: 2 }, 5);
    const stop = new AbortController();
    const task = collectRows(policy, TEXT, stop.signal);
    stop.abort(new Error("enough"));
    await expect(task).rejects.toThrow("enough");
    const before = server.asked.length;
    if (policy.gives !== "logits") throw new Error("no rows");
    for await (const block of policy.logits(TEXT)) {
      expect(block.vocabulary).toBe(VOCABULARY);
      break;
    }
    expect(server.asked.length - before).toBeLessThanOrEqual(3);
  });
});

describe("sampling from vLLM", () => {
  it("gives ids and raw log-probs of n continuations", async () => {
    const { policy } = await open();
    const found = await policy.sample!(Int32Array.of(1, 2), SAMPLING);
    expect(found).toHaveLength(3);
    for (const { ids, logprobs, finishReason } of found) {
      expect(finishReason).toBe("length");
      expect([...logprobs]).toEqual(expectedLogprobs(Int32Array.of(2, ...ids), 1));
    }
    expect(new Set(found.map(({ ids }) => ids.join())).size).toBeGreaterThan(1);
    expect(await policy.sample!(Int32Array.of(1, 2), SAMPLING)).toEqual(found);
  });

  it("ends with the stop id, which is part of the text", async () => {
    const { policy } = await open();
    const [free] = await policy.sample!(Int32Array.of(1, 2), { ...SAMPLING, n: 1 });
    const stop = free!.ids[2]!;
    const [ended] = await policy.sample!(Int32Array.of(1, 2), { ...SAMPLING, n: 1, stopIds: [stop] });
    expect(ended!.finishReason).toBe("stop");
    expect(ended!.ids.at(-1)).toBe(stop);
  });

  it("repeats a greedy continuation", async () => {
    const { policy } = await open();
    const found = await policy.sample!(Int32Array.of(1), { ...SAMPLING, temperature: 0 });
    expect(found).toHaveLength(3);
    expect(found[1]).toEqual(found[0]);
    expect(logprobsAfter(1).reduce((best, p) => Math.max(best, p))).toBe(found[0]!.logprobs[0]);
  });

  it("asks again for raw log-probs where the server processes them", async () => {
    const { policy } = await open({ processed: true }, { logprobsMode: "processed_logprobs" });
    const found = await policy.sample!(Int32Array.of(1, 2), { ...SAMPLING, temperature: 0.5 });
    for (const { ids, logprobs } of found) {
      expect([...logprobs]).toEqual(expectedLogprobs(Int32Array.of(2, ...ids), 1));
    }
  });

  it("refuses a server that gives no ids", async () => {
    const spoil = (choice: Record<string, unknown>): void => {
      choice.token_ids = null;
      choice.logprobs = { tokens: [" w1"], token_logprobs: [-1], top_logprobs: [null] };
    };
    const { policy } = await open({ spoil });
    expect((await refusal(policy.sample!(Int32Array.of(1), SAMPLING))).reason).toBe("other-tokens");
  });

  it.each([{ n: 0 }, { temperature: -1 }, { topP: 0 }, { maxTokens: 0 }])("refuses %o", async (wrong) => {
    const { policy } = await open();
    await expect(policy.sample!(Int32Array.of(1), { ...SAMPLING, ...wrong })).rejects.toMatchObject({
      _tag: "UsageError",
    });
  });
});

describe("opening vLLM", () => {
  it("finds the one model, or takes the one named", async () => {
    const several = await serve({ models: ["base", "lora"] });
    expect((await openVllmPolicy("p", `${several.url}/v1/#lora`, FAST)).facts).toMatchObject({
      model: "lora",
      location: several.url,
    });
    await expect(openVllmPolicy("p", several.url, FAST)).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringContaining("serves 2 models: base, lora"),
    });
    await expect(openVllmPolicy("p", several.url, { ...FAST, model: "x" })).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringContaining('does not serve "x", only base, lora'),
    });
  });

  it("says that no server is there, and how to start one", async () => {
    const gone = await serve();
    await gone.close();
    await expect(openVllmPolicy("p", gone.url, FAST)).rejects.toMatchObject({
      _tag: "NotFoundError",
      message: expect.stringContaining(`no server answers at ${gone.url}/v1/models, after 2 attempts: `),
      hint: expect.stringContaining("vllm serve MODEL"),
    });
  });

  it.each([
    [404, { detail: "Not Found" }, "NotFoundError"],
    [503, {}, "NotFoundError"],
    [401, {}, "UsageError"],
    [200, "<html></html>", "UnsupportedError"],
    [200, { models: [] }, "UnsupportedError"],
    [200, { data: [] }, "UsageError"],
  ])("tells what answers with %i %o", async (status, body, tag) => {
    const other = await startServer(() => ({ status, body }));
    started.push(other);
    await expect(openVllmPolicy("p", other.url, FAST)).rejects.toMatchObject({ _tag: tag });
  });

  it("can be aborted", async () => {
    const slow = await serve({}, 200);
    const signal = AbortSignal.timeout(20);
    await expect(openVllmPolicy("p", slow.url, { ...FAST, signal })).rejects.toThrow(/timeout/);
  });
});
