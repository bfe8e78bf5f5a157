import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { LogitsPolicy, TextFigures } from "../policy.ts";
import { cutBatches } from "../score-batches.ts";
import { writeFakePython } from "./fake-worker.test-data.ts";
import { findCheckpoint } from "./find-checkpoint.ts";
import { encodeFrame, FrameReader } from "./frames.ts";
import { openTorchPolicy } from "./open-policy.ts";

let root: string;
const model = (name: string): string => {
  const dir = join(root, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "config.json"), "{}");
  writeFileSync(join(dir, "model.safetensors"), "");
  return dir;
};
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "torch-worker-"));
  model("a");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const open = (python: string): Promise<LogitsPolicy> => openTorchPolicy("a", join(root, "a"), { python });
const OPEN = `if (request.op === "open") answer({ model: 7, facts }); if (request.op === "close") answer();`;
const text = (id: string, length: number): { id: string; ids: Int32Array; promptLength: number } => ({
  id,
  ids: new Int32Array(length).fill(3),
  promptLength: 2,
});
const score = async (
  policy: LogitsPolicy,
  signal?: AbortSignal,
): Promise<[number, TextFigures | Error][]> => {
  const found: [number, TextFigures | Error][] = [];
  await policy.batches!.score([text("short", 4), text("long", 7)], [], {
    topK: 0,
    keep: false,
    signal,
    onText: (place, figures) => found.push([place, figures]),
  });
  return found;
};

describe.skipIf(process.platform === "win32")("a worker", () => {
  test("that is not there", async () => {
    await expect(open(join(root, "no-python"))).rejects.toMatchObject({
      _tag: "UnsupportedError",
      message: `hf: policies are run by Python, and there is no ${join(root, "no-python")}`,
      hint: "name a Python that has torch and transformers: --python PATH, or LOGRATIO_PYTHON",
    });
  });

  test.each([
    ["No module named 'numpy'", "hf: policies need the Python package numpy, which PYTHON does not have"],
    ["No module named logratio", "PYTHON does not find logratio's Python files"],
    ["Illegal thing", "the Python worker ended with status 1 while starting: Error: Illegal thing"],
  ])("that ends before it speaks: %s", async (log, message) => {
    const python = writeFakePython("", `(() => { fs.writeSync(2, "Error: ${log}\\n"); process.exit(1); })()`);
    await expect(open(python)).rejects.toMatchObject({ message: message.replace("PYTHON", python) });
  });

  test("whose Python has no torch", async () => {
    const error = {
      what: "no torch",
      kind: "unsupported",
      likely: "another has it",
      hint: "pip install torch",
    };
    const python = writeFakePython("", JSON.stringify({ hello: "fake", protocol: 1, error }));
    await expect(open(python)).rejects.toMatchObject({
      _tag: "UnsupportedError",
      message: "no torch",
      likely: "another has it",
      hint: "pip install torch",
    });
  });

  test("of another version, or of something else", async () => {
    await expect(open(writeFakePython("", "{ protocol: 2 }"))).rejects.toMatchObject({
      _tag: "VersionError",
      found: 2,
      supported: 1,
    });
    const loud = writeFakePython("", "fs.writeSync(1, 'Welcome to Python, what shall it be today?')");
    await expect(open(loud)).rejects.toThrow(/does not speak the scoring protocol/);
  });

  test("that answers: figures by text, a refusal, an error of all", async () => {
    const row =
      "logprobs: [-1, -2, 0], entropies: [1, 2, 3], ranks: [1, 4, -1], top_ids: [], top_logprobs: []";
    const python = writeFakePython(`${OPEN} if (request.op === "score") {
      if (request.model !== 7 || String(request.texts) !== "2,4,2,7") throw new Error(JSON.stringify(request));
      send({ request: request.request, text: 1, error: { what: "too large", kind: "refused", hint: "leave it out" } });
      send({ request: request.request, text: 0 }, { ${row} });
      answer();
    }
    if (request.op === "sample") send({ request: request.request, error: { what: "boom", kind: "unexpected" } });`);
    const policy = await open(python);
    expect(policy.facts).toMatchObject({
      backend: "hf",
      model: "Fake",
      vocabularySize: 10,
      contextLength: 64,
    });
    const [[, refused], [, figures]] = (await score(policy)) as [[number, Error], [number, TextFigures]];
    expect(refused).toMatchObject({ message: "text long was not scored: too large", hint: "leave it out" });
    // The row that predicts the token after the text does not belong to any token.
    expect([...figures.logprobs]).toEqual([-1, -2]);
    expect([...figures.ranks]).toEqual([1, 4]);
    const sampling = { n: 1, temperature: 1, topP: 1, maxTokens: 2, seed: 1, stopIds: [] };
    await expect(policy.sample!(Int32Array.of(1), sampling)).rejects.toMatchObject({
      _tag: "UnexpectedError",
      message: "the Python worker failed: boom",
    });
    await policy.close();
  });

  test("that is killed says so, and the next request starts another with the model in it", async () => {
    const python = writeFakePython(`${OPEN} if (request.op === "score") process.kill(process.pid, "SIGKILL");
      if (request.op === "sample") answer({ lengths: [0], stopped: [true] });
      if (request.op === "open") fs.appendFileSync(__dirname + "/opened", "x");`);
    const policy = await open(python);
    await expect(score(policy)).rejects.toMatchObject({
      message: "the Python worker was killed (SIGKILL) while scoring 2 texts of up to 7 tokens",
      likely: "memory ran out and the system stopped it, or someone did",
      hint: expect.stringContaining("scores so far are kept"),
    });
    await expect(score(policy)).rejects.toThrow(/killed/);
    expect(readFileSync(join(dirname(python), "opened"), "utf8")).toBe("xx");
    await policy.close();
  });

  test("that meets an instruction which its processor lacks says what else to try", async () => {
    const policy = await open(
      writeFakePython(`${OPEN} if (request.op === "score") process.kill(process.pid, "SIGILL");`),
    );
    await expect(score(policy)).rejects.toMatchObject({
      message: "the Python worker crashed (SIGILL) while scoring 2 texts of up to 7 tokens",
      hint: "set ONEDNN_MAX_CPU_ISA=AVX512_CORE, or take --dtype float32",
    });
    await policy.close();
  });

  test("that gives gradients: a list for each position, of all tokens before it", async () => {
    const policy = await open(
      writeFakePython(`${OPEN} if (request.op === "gradients") {
        if (request.reference !== 7 || String(request.positions) !== "1,0") throw new Error(JSON.stringify(request));
        send({ request: request.request, done: true }, { gradient_times_input: [1, 2, 3, 4, 5] });
      }`),
    );
    const found = await policy.klGradients!(text("t", 5), policy, [1, 0]);
    expect(found.map((values) => [...values])).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
    await expect(policy.klGradients!({ ...text("t", 5), promptLength: 0 }, policy, [1])).rejects.toThrow(
      /nothing predicts the first token/,
    );
    await policy.close();
    const short = await open(writeFakePython(`${OPEN} if (request.op === "gradients") answer();`));
    await expect(short.klGradients!(text("t", 5), short, [1])).rejects.toThrow(
      "the Python worker returned 0 gradients, not 3",
    );
    await short.close();
  });

  test("that crashes in the middle says with what", async () => {
    const policy = await open(
      writeFakePython(`${OPEN} if (request.op === "score") {
        fs.writeSync(2, "loading\\nCUDA error: device-side assert\\n");
        process.exit(9);
      }`),
    );
    await expect(score(policy)).rejects.toThrow(
      "the Python worker ended with status 9 while scoring 2 texts of up to 7 tokens: CUDA error: device-side assert",
    );
    await policy.close();
  });

  test("that is asked to stop is told which request, and goes on with the next", async () => {
    const policy = await open(
      writeFakePython(`${OPEN} if (request.op === "score") globalThis.asked = request.request;
      if (request.op === "cancel" && request.request === globalThis.asked)
        send({ request: globalThis.asked, error: { what: "cancelled", kind: "cancelled" } });
      if (request.op === "sample") {
        const values = { lengths: [2], stopped: [true] };
        send({ request: request.request, done: true, ...values }, { ids: [5, 2], logprobs: [-1, -2] });
      }`),
    );
    const stop = new AbortController();
    const running = score(policy, stop.signal);
    setTimeout(() => stop.abort(new Error("enough")), 20);
    await expect(running).rejects.toThrow("enough");
    const sampling = { n: 1, temperature: 1, topP: 1, maxTokens: 2, seed: 1, stopIds: [] };
    const [sampled] = await policy.sample!(Int32Array.of(1), sampling);
    expect(sampled).toEqual({
      ids: Int32Array.of(5, 2),
      logprobs: Float64Array.of(-1, -2),
      finishReason: "stop",
    });
    await policy.close();
  });

  test("is one for all policies with the same options", async () => {
    const python = writeFakePython(
      `${OPEN} if (request.op === "open") fs.appendFileSync(__dirname + "/pids", process.pid + " ");`,
    );
    const [a, b] = await Promise.all([open(python), open(python)]);
    const other = await open(writeFakePython(OPEN));
    expect([a.batches!.reaches(b), a.batches!.reaches(other)]).toEqual([true, false]);
    const [first, second] = readFileSync(join(dirname(python), "pids"), "utf8").split(" ");
    expect(second).toBe(first);
    await Promise.all([a.close(), b.close(), other.close()]);
    expect(() => process.kill(Number(first), 0)).toThrow();
    await expect(score(a)).rejects.toThrow("the policy a is closed");
  });
});

test("frames come back as they were, however the pipe cuts them", () => {
  const arrays = { ids: Int32Array.of(1, -2, 3), rows: Float64Array.of(0.5, -1), none: new Float32Array() };
  const bytes = Buffer.concat([
    encodeFrame({ request: 1, text: "größer" }, arrays),
    encodeFrame({ request: 2 }),
  ]);
  for (const size of [1, 7, 64, bytes.length]) {
    const reader = new FrameReader();
    const found = [];
    for (let start = 0; start < bytes.length; start += size)
      found.push(...reader.push(Buffer.from(bytes.subarray(start, start + size))));
    expect(found).toEqual([
      { header: { request: 1, text: "größer" }, arrays },
      { header: { request: 2 }, arrays: {} },
    ]);
  }
});

test("an array that is not in its frame is an error", () => {
  const head = Buffer.from(`{"arrays":{"x":{"dtype":"int32","shape":[9],"offset":0}}}`);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32LE(head.length, 0);
  lengths.writeUInt32LE(8, 4);
  const bytes = Buffer.concat([lengths, head, Buffer.alloc(8)]);
  expect(() => [...new FrameReader().push(bytes)]).toThrow(/the array x is not in its body/);
});

test("batches hold the longest texts first, and no more tokens than allowed with their padding", () => {
  const texts = [3, 9, 5, 20, 4].map((length) => ({ forced: text(`${length}`, length) }));
  const cut = (tokens: number): string[][] =>
    cutBatches(texts, tokens).map((batch) => batch.map(({ forced }) => forced.id));
  expect(cut(20)).toEqual([["20"], ["9", "5"], ["4", "3"]]);
  expect(cut(1)).toEqual([["20"], ["9"], ["5"], ["4"], ["3"]]);
  expect(cut(1000)).toEqual([["20", "9", "5", "4", "3"]]);
});

test("a revision is a folder of that name, of a trainer's form, or of the Hub's cache", async () => {
  model("run/checkpoint-40");
  model("run/step_7/huggingface");
  model("cache/snapshots/abc123");
  mkdirSync(join(root, "cache/refs"));
  writeFileSync(join(root, "cache/refs/step_500"), "abc123\n");
  model("odd@name");
  const find = async (where: string): Promise<string> =>
    (await findCheckpoint(join(root, where))).slice(root.length + 1);
  expect(await find("a")).toBe("a");
  expect(await find("run@40")).toBe("run/checkpoint-40");
  expect(await find("run@checkpoint-40")).toBe("run/checkpoint-40");
  expect(await find("run@7")).toBe("run/step_7/huggingface");
  expect(await find("cache@step_500")).toBe("cache/snapshots/abc123");
  expect(await find("cache@abc123")).toBe("cache/snapshots/abc123");
  expect(await find("odd@name")).toBe("odd@name");
  model("hub/models--org--name/snapshots/f00");
  mkdirSync(join(root, "hub/models--org--name/refs"));
  writeFileSync(join(root, "hub/models--org--name/refs/main"), "f00");
  vi.stubEnv("HF_HUB_CACHE", join(root, "hub"));
  const snapshot = join(root, "hub/models--org--name/snapshots/f00");
  expect(await findCheckpoint("org/name")).toBe(snapshot);
  expect(await findCheckpoint("org/name@f00")).toBe(snapshot);
  await expect(findCheckpoint("org/name@step_1")).rejects.toThrow(
    `the revision step_1 of org/name is not in the Hub's cache ${join(root, "hub")}, and org/name is not a directory`,
  );
  await expect(findCheckpoint("org/other")).rejects.toMatchObject({
    message: `org/other is not in the Hub's cache ${join(root, "hub")}, and org/other is not a directory`,
    hint: "download it first: hf download org/other",
  });
  vi.unstubAllEnvs();
  await expect(find("run@41")).rejects.toMatchObject({
    message: `${join(root, "run")} has no revision 41`,
    likely: "its revisions are checkpoint-40",
  });
  await expect(find("meta-llama/Llama")).rejects.toMatchObject({
    hint: expect.stringContaining("hf download"),
  });
});
