import { cp, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportRun } from "../analyses/runs/report-run.ts";
import { crc32c } from "../core/base/crc32c.ts";
import { FormatError, VersionError } from "../core/base/errors.ts";
import { resultJson } from "../core/base/json.ts";
import { drawLogprobs, moveEntries } from "../ingest/alignment/logprobs.test-data.ts";
import type { MismatchReport } from "../results/report.ts";
import { answerRequests } from "./answer-requests.ts";
import type { ReportSums } from "./kinds/report-sums.ts";
import { mergePaths, PartMerger } from "./merge-parts.ts";
import type { Part } from "./part.ts";
import { decodePart, encodePart } from "./part-bytes.ts";
import { findParts, readPart } from "./part-files.ts";
import { reportPart } from "./report-part.ts";
import { openAnyShards } from "./study-shards.ts";
import { summarizeInto } from "./summarize-into.ts";
import { openShardReader, type SummarizeOptions } from "./summarize-shards.ts";

let folder = "";
const demo = (): string => join(folder, "stale");
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-parts-"));
  await cp("examples/demo/stale", demo(), { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function summarize(paths: string[], out: string, options: SummarizeOptions = {}) {
  return summarizeInto(await openShardReader(paths, { threads: 1, ...options }), { out: join(folder, out) });
}

async function merge(...parts: string[]): Promise<MismatchReport> {
  return reportPart(
    await mergePaths(
      "report",
      parts.map((part) => join(folder, part)),
    ),
  );
}

const plain = (report: MismatchReport): unknown => JSON.parse(resultJson(report));

describe("parts of a run", () => {
  it("merge to the report of one process, bit for bit, in any order and tree", async () => {
    const whole = plain(await reportRun([demo()], { threads: 1 }));
    await summarize([demo()], "all");
    expect(plain(await merge("all"))).toEqual(whole);
    const paths = await findParts([join(folder, "all")]);
    const [left, right, top] = [new PartMerger(), new PartMerger(), new PartMerger()];
    for (const [i, path] of paths.reverse().entries())
      (i % 3 === 0 ? left : right).add(await readPart(path), path);
    const half = decodePart(await encodePart(right.finish()), "half");
    top.add(half, "half");
    top.add(left.finish(), "left");
    expect(plain(reportPart(top.finish() as Part<ReportSums>))).toEqual(whole);
  });

  it("cannot be read when a byte is missing or another", async () => {
    await summarize([join(demo(), "step_0030.npz")], "whole.lrs");
    const bytes = await readFile(join(folder, "whole.lrs"));
    for (let at = 0; at < bytes.length; at += 97) {
      expect(() => decodePart(bytes.subarray(0, at), "cut")).toThrow(FormatError);
      const flipped = Uint8Array.from(bytes);
      flipped[at]! ^= 1 << (at % 8);
      expect(() => decodePart(flipped, "flipped")).toThrow(FormatError);
    }
    const newer = Uint8Array.from(bytes);
    const view = new DataView(newer.buffer);
    view.setUint32(8, 99, true);
    view.setUint32(newer.length - 4, crc32c(newer.subarray(0, newer.length - 4)), true);
    expect(() => decodePart(newer, "newer")).toThrow(VersionError);
  });

  it("go on where an earlier call was ended, and read a damaged part again", async () => {
    await summarize([demo()], "again");
    const [first, second] = (await readdir(join(folder, "again"))).filter((name) => name.startsWith("step_"));
    await rm(join(folder, "again", first!));
    await truncate(join(folder, "again", second!), 100);
    const { resumed, info } = await summarize([demo()], "again");
    expect([resumed, info.shards.length]).toEqual([10, 12]);
    expect((await merge("again")).metrics.sequences).toBe(768);
  });

  it("refuse other settings, and name both", async () => {
    await summarize([join(demo(), "step_0010.npz")], "ten.lrs");
    await summarize([join(demo(), "step_0020.npz")], "twenty.lrs", { align: "none" });
    await expect(merge("ten.lrs", "twenty.lrs")).rejects.toThrow(
      /different flags: .*ten\.lrs with no flags, .*twenty\.lrs with --align none/,
    );
  });

  it("count a shard once, and refuse what cannot be taken apart", async () => {
    await summarize([join(demo(), "step_0010.npz")], "one.lrs");
    await summarize([join(demo(), "step_0010.npz"), join(demo(), "step_0020.npz")], "two.lrs");
    await cp(join(folder, "one.lrs"), join(folder, "copy.lrs"));
    const report = await merge("one.lrs", "copy.lrs");
    expect(report.metrics.sequences).toBe(64);
    expect(report.findings.map(({ message }) => message)).toContain("1 shard is in two parts: counted once");
    await expect(merge("one.lrs", "two.lrs")).rejects.toThrow(
      /is in .*one\.lrs and in .*two\.lrs, which also/,
    );
  });

  it("find a shift that no file shows by itself, as one process does", async () => {
    const dumps = join(folder, "shifted");
    await mkdir(dumps);
    const draw = (seed: number): string[] =>
      drawLogprobs(seed, { sequences: 30, tokens: 100, open: 0.4, noise: 0.05 }).map(
        ({ rollout, trainer, mask }, i) =>
          JSON.stringify({
            responses: Array.from(mask, (_, t) => 100 * i + t),
            response_mask: [...mask],
            rollout_log_probs: [...rollout],
            old_log_probs: [...moveEntries(trainer, 1)],
          }),
      );
    const lines = draw(5);
    const writeDump = (name: string, some: readonly string[]) =>
      writeFile(join(dumps, name), `${some.join("\n")}\n`);
    for (let i = 0; i < 12; i++) await writeDump(`step_${i + 1}.jsonl`, lines.slice(2 * i, 2 * i + 2));
    for (const align of [undefined, "+1"] as const) {
      const options = align === undefined ? {} : { align };
      const whole = await reportRun([dumps], { threads: 1, ...options });
      expect(whole.findings.some(({ code }) => code === "shifted-columns")).toBe(align === undefined);
      await summarize([dumps], `shifted-${align}`, options);
      expect(plain(await merge(`shifted-${align}`))).toEqual(plain(whole));
    }
    // Found in one of the files, so it is reported for that file alone.
    await writeDump("step_13.jsonl", draw(6));
    const whole = await reportRun([dumps], { threads: 1 });
    await summarize([dumps], "shifted-more");
    expect(plain(await merge("shifted-more"))).toEqual(plain(whole));
  });

  it("say which shards were left out", async () => {
    await cp(demo(), join(folder, "damaged"), { recursive: true });
    await truncate(join(folder, "damaged/step_0020.npz"), 30_000);
    await summarize([join(folder, "damaged")], "some");
    const { findings, metrics } = await merge("some");
    expect(metrics.sequences).toBe(704);
    expect(findings.filter(({ severity }) => severity === "skipped")).toHaveLength(1);
    const [lost] = (await readdir(join(folder, "some"))).filter((name) => name.startsWith("step_0030"));
    await rm(join(folder, "some", lost!));
    const messages = (await merge("some")).findings.map(({ message }) => message);
    expect(messages).toContain("1 shard of 11 has no part");
  });
});

describe("the worker", () => {
  it("answers each line, whatever came before it", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const shard = join(demo(), "step_0010.npz");
    const out = join(folder, "worker.lrs");
    await writeFile(join(folder, "bad.lrs"), "no part");
    const requests = [
      { id: "a", summarize: [shard], out },
      { id: "b", merge: [join(folder, "bad.lrs")] },
      { id: "c" },
      { id: "d", report: [out] },
    ];
    input.end(`{\n${requests.map((request) => JSON.stringify(request)).join("\n")}\n`);
    const collected = output.toArray();
    await answerRequests(input, output, openAnyShards);
    output.end();
    const answers: { head: Record<string, unknown>; bytes: Buffer }[] = [];
    for (let rest = Buffer.concat(await collected); rest.length > 0; ) {
      const end = rest.indexOf("\n");
      const head = JSON.parse(rest.subarray(0, end).toString());
      answers.push({ head, bytes: rest.subarray(end + 1, end + 1 + head.bytes) });
      rest = rest.subarray(end + 1 + head.bytes);
    }
    expect(answers.map(({ head }) => [head.id, head.ok])).toEqual([
      [null, false],
      ["a", true],
      ["b", false],
      ["c", false],
      ["d", true],
    ]);
    expect(answers[2]!.head.error).toMatchObject({ tag: "FormatError" });
    expect(JSON.parse(answers[4]!.bytes.toString()).metrics.sequences).toBe(64);
  });
});
