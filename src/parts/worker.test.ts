import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportRun } from "../analyses/runs/report-run.ts";
import { crc32c } from "../core/base/crc32c.ts";
import { resultJson } from "../core/base/json.ts";
import type { MismatchReport } from "../results/report.ts";
import { answerRequests } from "./answer-requests.ts";
import { findParts } from "./part-files.ts";
import { openAnyShards } from "./study-shards.ts";
import { summarizeInto } from "./summarize-into.ts";
import { openShardReader } from "./summarize-shards.ts";

let folder = "";
const at = (...names: string[]): string => join(folder, ...names);
const STEPS = ["step_0010.npz", "step_0020.npz"] as const;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-worker-"));
  await mkdir(at("run"));
  for (const step of STEPS) await cp(`examples/demo/stale/${step}`, at("run", step));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Answer {
  readonly head: Readonly<Record<string, unknown>> & { readonly error?: Readonly<Record<string, unknown>> };
  readonly bytes: Buffer;
}

/** The worker's replies, line by line. */
async function askLines(...lines: readonly string[]): Promise<Answer[]> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  input.end(`${lines.join("\n")}\n`);
  const collected = output.toArray();
  await answerRequests(input, output, openAnyShards);
  output.end();
  const answers: Answer[] = [];
  for (let rest = Buffer.concat(await collected); rest.length > 0; ) {
    const end = rest.indexOf("\n");
    const head = JSON.parse(rest.subarray(0, end).toString());
    answers.push({ head, bytes: rest.subarray(end + 1, end + 1 + head.bytes) });
    rest = rest.subarray(end + 1 + head.bytes);
  }
  return answers;
}

const ask = async (request: object): Promise<Answer> => (await askLines(JSON.stringify(request)))[0]!;
async function write(request: object, out: string): Promise<Answer["head"]> {
  const { head } = await ask({ ...request, out: at(out) });
  expect(head).toMatchObject({ ok: true, out: at(out) });
  return head;
}
async function report(...parts: string[]): Promise<MismatchReport> {
  const { head, bytes } = await ask({ report: parts.map((part) => at(part)) });
  expect(head.error).toBeUndefined();
  return JSON.parse(bytes.toString());
}
const refusal = async (...parts: string[]) =>
  (await ask({ merge: parts.map((part) => at(part)) })).head.error!;
const plain = (whole: MismatchReport): unknown => JSON.parse(resultJson(whole));
const messages = ({ findings }: MismatchReport): string[] => findings.map(({ message }) => message);

describe("shards that a plan names", () => {
  it("come to the report of one process, and what is missing is told until then", async () => {
    const { head } = await ask({ id: 7, plan: [at("run")] });
    expect(head).toMatchObject({ id: 7, ok: true });
    const shards = head.shards as { name: string; paths: string[]; bytes: number; digest: string }[];
    expect(shards.map(({ paths }) => paths)).toEqual(STEPS.map((step) => [at("run", step)]));
    for (const { bytes, paths } of shards) expect(bytes).toBe((await readFile(paths[0]!)).length);
    // Each has different content and so a different digest, equal to the one in its part.
    expect(new Set(shards.map(({ digest }) => digest)).size).toBe(STEPS.length);
    for (const { digest } of shards) expect(digest).toMatch(/^[0-9a-f]{32}$/);
    await write({ plan: [at("run")] }, "plan.lrs");
    const counts = [];
    for (const [i, { paths }] of shards.entries())
      counts.push(await write({ summarize: paths, planned: true }, `planned-${i}.lrs`));
    const partly = await report("plan.lrs", "planned-0.lrs");
    expect(messages(partly)).toContain("1 shard of 2 has no part");
    expect(partly.findings.find(({ message }) => message.includes("no part"))).toMatchObject({
      severity: "skipped",
      code: "file-skipped",
    });
    const whole = await reportRun([at("run")], { threads: 1 });
    expect(await report("planned-1.lrs", "plan.lrs", "planned-0.lrs")).toEqual(plain(whole));
    expect(counts).toMatchObject([
      { shards: 1, failed: 0, sequences: 64 },
      { shards: 1, failed: 0, sequences: 64 },
    ]);
    expect(counts.reduce((sum, { tokens }) => sum + Number(tokens), 0)).toBe(whole.metrics.tokens);
    expect(messages(await report("plan.lrs", "planned-0.lrs", "planned-1.lrs"))).toEqual(messages(whole));
  });

  it("are read by the same filter as one process does, which is told with its counts", async () => {
    const options = { filter: "abs>0.1" };
    await write({ summarize: [at("run")], options }, "filtered.lrs");
    const whole = await reportRun([at("run")], { threads: 1, ...options });
    expect(await report("filtered.lrs")).toEqual(plain(whole));
    await write({ summarize: [at("run")] }, "unfiltered.lrs");
    expect(await refusal("filtered.lrs", "unfiltered.lrs")).toMatchObject({
      tag: "UsageError",
      message: expect.stringContaining("unfiltered.lrs with no flags") as string,
      at: { file: at("unfiltered.lrs") },
    });
  });

  it("come as bytes where no file is named, the same that would be written", async () => {
    const [step] = STEPS;
    const { head, bytes } = await ask({ summarize: [at("run", step)] });
    await write({ summarize: [at("run", step)] }, "written.lrs");
    expect(head.out).toBeUndefined();
    expect(head.bytes).toBe(bytes.length);
    await writeFile(at("sent.lrs"), bytes);
    expect(await report("sent.lrs")).toEqual(await report("written.lrs"));
    const merged = await write({ merge: [at("sent.lrs")] }, "merged.lrs");
    expect(merged).toMatchObject({ shards: 1, failed: 0, sequences: 64 });
    expect(await report("merged.lrs")).toEqual(await report("written.lrs"));
  });
});

describe("requests that ask for nothing that can be done", () => {
  it.each([
    ["{", "the request is not JSON"],
    ["[]", "the request is not a JSON object"],
    ["null", "the request is not a JSON object"],
    ["1", "the request is not a JSON object"],
    ['{"summarize":"run"}', "summarize must be a list of paths"],
    ['{"summarize":[]}', "summarize must be a list of paths"],
    ['{"merge":["a",1]}', "merge must be a list of paths"],
    ['{"report":{}}', "report must be a list of paths"],
    ['{"plan":["-"]}', "requests arrive on standard input, so - cannot be read: give a path"],
    ["{}", "the request has no task"],
  ])("are answered with their error: %s", async (line, message) => {
    const [answer] = await askLines(line);
    expect(answer!.head).toMatchObject({
      id: null,
      ok: false,
      bytes: 0,
      error: { tag: "UsageError", message },
    });
  });

  it("do not end the worker, and blank lines are no requests", async () => {
    const answers = await askLines(
      "",
      "  ",
      '{"id":"a"}',
      `{"id":"b","plan":["${at("none")}"]}`,
      '{"id":{"c":1}}',
    );
    expect(answers.map(({ head }) => [head.id, head.ok])).toEqual([
      ["a", false],
      ["b", false],
      [{ c: 1 }, false],
    ]);
    expect(answers[0]!.head.error!.hint).toContain("plan, summarize, merge or report");
  });
});

describe("parts on disk", () => {
  it("are found in a directory by their ending, each once, in the order of names", async () => {
    await mkdir(at("found"));
    for (const name of ["b.lrs", "a.lrs", ".hidden.lrs", "c.lrs.partial", "d.npz"])
      await writeFile(at("found", name), "");
    const parts = [at("found", "a.lrs"), at("found", "b.lrs")];
    expect(await findParts([at("found")])).toEqual(parts);
    expect(await findParts([at("found", "b.lrs"), at("found"), at("found", "b.lrs")])).toEqual(parts);
    await mkdir(at("empty"));
    await expect(findParts([at("empty")])).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringContaining("contains no parts") as string,
      hint: expect.stringContaining("--out") as string,
    });
    await expect(findParts([at("nowhere")])).rejects.toMatchObject({ _tag: "NotFoundError" });
  });

  it("are refused where they are something else, cut off, or of another version", async () => {
    await write({ summarize: [at("run", STEPS[0])] }, "good.lrs");
    const good = await readFile(at("good.lrs"));
    const refuse = async (bytes: Uint8Array) => {
      await writeFile(at("bad.lrs"), bytes);
      return refusal("bad.lrs");
    };
    /** A part with another number at a place in the header, and a matching checksum. */
    const renumber = (place: number, change: (value: number) => number): Uint8Array => {
      const bytes = Uint8Array.from(good);
      const view = new DataView(bytes.buffer);
      view.setUint32(place, change(view.getUint32(place, true)), true);
      view.setUint32(bytes.length - 4, crc32c(bytes.subarray(0, -4)), true);
      return bytes;
    };
    expect(await refuse(Buffer.from("a text of some length"))).toMatchObject({
      tag: "FormatError",
      likely: "it is another kind of file",
    });
    const short = await refuse(good.subarray(0, 7));
    expect(short.message).toContain("is not a part");
    expect(short.likely).not.toBe("it is another kind of file");
    expect((await refuse(good.subarray(0, -1))).message).toContain("checksum");
    expect((await refuse(good.subarray(0, 20))).message).toContain("checksum");
    expect(await refuse(renumber(8, (version) => version + 1))).toMatchObject({
      tag: "VersionError",
      likely: "a newer logratio wrote it",
    });
    expect(await refuse(renumber(8, (version) => version - 1))).toMatchObject({
      tag: "VersionError",
      likely: "an older logratio wrote it",
    });
    expect(await refuse(renumber(12, (length) => length + 1))).toMatchObject({
      message: expect.stringContaining("declares") as string,
      at: { file: at("bad.lrs") },
    });
    expect((await refuse(renumber(16, (length) => length + 1))).message).toContain("does not decompress");
    expect((await refuse(renumber(16, () => 2 ** 32 - 1))).tag).toBe("LimitError");
  });

  it("of one shard count once, however often they come", async () => {
    for (const [i, step] of STEPS.entries()) await write({ summarize: [at("run", step)] }, `once-${i}.lrs`);
    await write({ summarize: [at("run")] }, "both.lrs");
    await cp(at("both.lrs"), at("copy.lrs"));
    const twice = await report("both.lrs", "copy.lrs");
    expect(twice.metrics.sequences).toBe(128);
    expect(messages(twice)).toContain("2 shards are in several parts: counted once");
    expect(messages(await report("once-0.lrs", "once-1.lrs"))).not.toContainEqual(
      expect.stringContaining("counted once"),
    );
    // The same file under another name is still the same shard.
    await mkdir(at("renamed"));
    await cp(at("run", STEPS[0]), at("renamed", "other.npz"));
    await write({ summarize: [at("renamed")] }, "renamed.lrs");
    expect((await report("once-0.lrs", "renamed.lrs")).metrics.sequences).toBe(64);
    const counts = await write({ merge: [at("once-0.lrs"), at("renamed.lrs")] }, "same.lrs");
    expect(counts).toMatchObject({ shards: 1, failed: 0 });
  });

  it("of a file that has changed since are refused", async () => {
    await mkdir(at("changing"));
    await cp(at("run", STEPS[0]), at("changing", "step.npz"));
    await write({ summarize: [at("changing")] }, "before.lrs");
    await cp(at("run", STEPS[1]), at("changing", "step.npz"));
    await write({ summarize: [at("changing")] }, "after.lrs");
    expect(await refusal("before.lrs", "after.lrs")).toMatchObject({
      tag: "SchemaError",
      message: expect.stringContaining("is not the same file in both") as string,
      hint: "remove the older part",
    });
  });

  it("of several runs are read as one, which is told with their names", async () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    for (const [i, name] of names.entries()) {
      await mkdir(at("runs", name), { recursive: true });
      const step = (await readdir("examples/demo/stale")).filter((file) => file.endsWith(".npz"))[i]!;
      await cp(join("examples/demo/stale", step), at("runs", name, step));
      await write({ summarize: [at("runs", name)] }, `${name}.lrs`);
    }
    const two = await report("a.lrs", "b.lrs");
    expect(messages(two)).toContain("the files belong to 2 runs (a, b) but are read as one");
    expect(two.run).toBe("a+b");
    expect(messages(await report(...names.map((name) => `${name}.lrs`)))).toContain(
      "the files belong to 6 runs (a, b, c, d, e and 1 more) but are read as one",
    );
    expect(messages(await report("a.lrs")).join()).not.toContain("belong to");
  });
});

describe("shards that are summarized one after the other", () => {
  it("wait beside the file that they go into, and go on where the work was stopped", async () => {
    const reader = await openShardReader([at("run")], { threads: 1 });
    const seen: string[] = [];
    const stopped = await summarizeInto(reader, {
      out: at("slow.lrs"),
      onProgress: ({ done, shards, name }) => seen.push(`${done} of ${shards} ${name.includes("step_")}`),
      isStopped: () => seen.length === 1,
    });
    expect(seen).toEqual(["0 of 2 true"]);
    expect([stopped.sequences, stopped.resumed, stopped.info.shards.length]).toEqual([64, 0, 1]);
    expect(await readdir(at("slow.lrs.partial"))).toHaveLength(2);
    await writeFile(at("slow.lrs.partial", "notes.txt"), "mine");
    const again = await openShardReader([at("run")], { threads: 1 });
    const done = await summarizeInto(again, { out: at("slow.lrs") });
    expect([done.sequences, done.resumed, done.info.shards.length]).toEqual([128, 1, 2]);
    expect(await readdir(at("slow.lrs.partial"))).toEqual(["notes.txt"]);
    expect(await report("slow.lrs")).toEqual(plain(await reportRun([at("run")], { threads: 1 })));
  });

  it("are read again where the file has changed, and leave no part where nothing can be read", async () => {
    await mkdir(at("edited"));
    for (const step of STEPS) await cp(at("run", step), at("edited", step));
    const run = async () =>
      summarizeInto(await openShardReader([at("edited")], { threads: 1 }), { out: at("edited-parts") });
    expect((await run()).resumed).toBe(0);
    expect((await run()).resumed).toBe(2);
    await cp("examples/demo/stale/step_0030.npz", at("edited", STEPS[1]));
    expect((await run()).resumed).toBe(1);
    const damaged = await readFile(at("edited", STEPS[0]));
    await writeFile(at("edited", STEPS[0]), damaged.fill(0, damaged.length / 2, damaged.length / 2 + 4000));
    await rm(at("edited-parts"), { recursive: true });
    const { info, sequences } = await run();
    expect(info.shards.map(({ failed }) => failed)).toEqual([true, false]);
    expect(sequences).toBe(64);
    const parts = await readdir(at("edited-parts"));
    expect(parts.filter((name) => name.startsWith("step_0010"))).toEqual([]);
    expect(await write({ merge: [at("edited-parts")] }, "edited.lrs")).toMatchObject({
      shards: 1,
      failed: 1,
      sequences: 64,
    });
    expect(parts.filter((name) => /^call-[0-9a-f]{16}\.lrs$/.test(name))).toHaveLength(1);
    // The part of work that an interrupted call left is reported as progress, shard by shard.
    const told: object[] = [];
    const reader = await openShardReader([at("edited")], { threads: 1 });
    const again = await summarizeInto(reader, {
      out: at("edited-parts"),
      onProgress: (progress) => told.push(progress),
    });
    expect(again.resumed).toBe(1);
    expect(told).toEqual([
      { done: 0, shards: 2, name: reader.shards[0]!.name },
      { done: 1, shards: 2, name: reader.shards[1]!.name },
    ]);
    // A part of the same file with another filter is a different part.
    const filtered = await openShardReader([at("edited")], { threads: 1, filter: "turn:0" });
    expect((await summarizeInto(filtered, { out: at("edited-parts") })).resumed).toBe(0);
    expect(parts.filter((name) => /^step_0020\.npz-[0-9a-f]{12}\.lrs$/.test(name))).toHaveLength(1);
  });
});
