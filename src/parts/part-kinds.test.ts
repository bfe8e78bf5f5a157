import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chooseCorrections } from "../analyses/sweep/choose-corrections.ts";
import { ByteReader } from "../core/base/byte-reader.ts";
import { ByteWriter } from "../core/base/byte-writer.ts";
import { SchemaError, VersionError } from "../core/base/errors.ts";
import { decidesSums, PART_KINDS, parsePartKind } from "./kinds/index.ts";
import { SweepSums } from "./kinds/sweep-sums.ts";
import { mergePaths, PartMerger } from "./merge-parts.ts";
import type { Part } from "./part.ts";
import { decodePart, encodePart } from "./part-bytes.ts";
import { areParts } from "./part-files.ts";
import { partFindings } from "./part-findings.ts";
import { summarizeInto } from "./summarize-into.ts";
import { openShardReader } from "./summarize-shards.ts";

let folder = "";
const at = (...names: string[]): string => join(folder, ...names);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "logratio-part-kinds-"));
  await mkdir(at("run"));
  for (const name of ["step_0010.npz", "step_0020.npz", "step_0030.npz"])
    await cp(`examples/demo/stale/${name}`, at("run", name));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A part without shards, with a different description of its content. */
async function describePart(change: object): Promise<Uint8Array> {
  const { info, sums } = (await openShardReader([at("run")])).emptyPart();
  return encodePart({ info: { ...info, ...change }, sums });
}

describe("a part that this logratio does not know", () => {
  it.each([
    [
      { kind: "report", version: 5 },
      "a part for report of version 5; this logratio reads version 4",
      "newer",
    ],
    [
      { kind: "report", version: 1 },
      "a part for report of version 1; this logratio reads version 4",
      "older",
    ],
    [
      { kind: "sorted", version: undefined },
      "a part for sorted of version 1; this logratio reads parts for report, doctor, sweep, divergence, kl",
      "newer",
    ],
  ])("is refused with both versions, and the one who can help: %o", async (change, message, age) => {
    const bytes = await describePart(change);
    const error = (() => {
      try {
        return decodePart(bytes, "other.lrs");
      } catch (thrown) {
        return thrown as VersionError;
      }
    })();
    expect(error).toBeInstanceOf(VersionError);
    expect(error).toMatchObject({
      message: `other.lrs is ${message}`,
      likely: expect.stringContaining(age) as string,
      hint: expect.stringContaining(age === "newer" ? "npm install" : "summarize again") as string,
    });
  });

  it("is refused as of version 1 where it says none, as the first parts did", async () => {
    const bytes = await describePart({ version: undefined });
    expect(() => decodePart(bytes, "first.lrs")).toThrow("first.lrs is a part for report of version 1;");
  });

  it.each(["settings", "calls", "shards", "notes"])("is refused where it has no list of %s", async (name) => {
    for (const value of [undefined, "text"]) {
      const bytes = await describePart({ [name]: value });
      expect(() => decodePart(bytes, "other.lrs")).toThrowError(
        expect.objectContaining({
          _tag: "FormatError",
          message: `other.lrs does not state its contents: ${name} is not a list`,
          at: { file: "other.lrs" },
        }),
      );
    }
  });
});

describe("names of what parts are for", () => {
  it("are those of the verbs that take them", () => {
    expect(parsePartKind("doctor")).toBe("doctor");
    for (const name of ["compare", "toString", 3, undefined])
      expect(() => parsePartKind(name)).toThrow(`no parts are made for "${name}"`);
  });

  it("tell which flags belong to summarize", () => {
    for (const flag of ["methods", "preset", "set", "setting", "correction"])
      expect(decidesSums("sweep", flag, {}), flag).toBe(true);
    expect(decidesSums("report", "methods", {})).toBe(false);
    expect(decidesSums("report", "align", {})).toBe(true);
    expect(decidesSums("divergence", "every", {})).toBe(true);
    expect(decidesSums("divergence", "threshold", {})).toBe(false);
    // Texts are decoded when the log is written, unless a filter needs them.
    expect(decidesSums("divergence", "tokenizer", {})).toBe(false);
    expect(decidesSums("divergence", "tokenizer", { filter: undefined })).toBe(false);
    expect(decidesSums("divergence", "tokenizer", { filter: 'text~"a"' })).toBe(true);
    expect(decidesSums("report", "tokenizer", {})).toBe(true);
  });

  it("are named by the refusal of a flag of another verb, with the verb that takes it", async () => {
    await expect(openShardReader([at("run")], { for: "doctor", every: "3" })).rejects.toMatchObject({
      message: "--every 3 is not for doctor",
      hint: "leave it out, or add --for divergence",
    });
    await expect(openShardReader([at("run")], { for: "sweep", topK: "3" })).rejects.toMatchObject({
      message: "--top-k 3 is not for sweep",
    });
  });
});

describe("paths", () => {
  it("name parts where they end in .lrs, or hold nothing else", async () => {
    await mkdir(at("mixed"));
    await mkdir(at("pure", "below"), { recursive: true });
    await mkdir(at("bare"));
    for (const name of ["pure/a.lrs", "pure/.notes", "mixed/a.lrs", "mixed/b.npz"])
      await writeFile(at(name), "");
    expect(await areParts([at("pure")])).toBe(true);
    expect(await areParts([at("pure", "a.lrs"), at("pure")])).toBe(true);
    for (const path of ["mixed", "bare", "run", "nowhere"]) expect(await areParts([at(path)])).toBe(false);
    expect(await areParts(["-"])).toBe(false);
    await expect(areParts([at("run"), at("pure")])).rejects.toMatchObject({
      _tag: "UsageError",
      message: `${at("pure")} contains parts, but ${at("run")} does not`,
      at: { file: at("run") },
    });
  });
});

describe("sums of a sweep", () => {
  const [first, second] = ["token-tis", "seq-tis"].map((methods) => chooseCorrections({ methods }));

  it("do not merge with those of other corrections", () => {
    const sums = new SweepSums(first!);
    expect(() => sums.merge(new SweepSums(second!))).toThrow(SchemaError);
    sums.merge(new SweepSums());
    sums.merge(new SweepSums(first!));
    expect(sums.sweep!.corrections.length).toBe(first!.length);
  });

  it("are refused where their corrections cannot be read", () => {
    for (const text of ["{", "3", '[{"name":"x"}]']) {
      const to = new ByteWriter();
      to.text(text);
      const from = new ByteReader(to.finishApart(), "bad.lrs");
      expect(() => new SweepSums().mergeFrom(from)).toThrow(/its corrections cannot be decoded/);
    }
  });

  it("are those of nothing until something is added", () => {
    const sums = PART_KINDS.sweep.makeSums() as SweepSums;
    expect([sums.sweep, sums.sequences, sums.tokens, sums.sequencesByFile.size]).toEqual([
      undefined,
      0,
      0,
      0,
    ]);
  });
});

describe("what merging tells", () => {
  it("is how many shards have no part, of all that any call found", async () => {
    const reader = await openShardReader([at("run")], { threads: 1 });
    const merger = new PartMerger();
    merger.add(reader.emptyPart(), "call");
    const tell = (part: Part): string[] => partFindings(part.info).map(({ message }) => message);
    merger.add(await reader.summarize(reader.shards[1]!), "second");
    const part = merger.finish();
    expect(tell(part)).toContain("2 shards of 3 have no part");
    const [missing] = partFindings(part.info).filter(({ message }) => message.includes("no part"));
    expect(missing!.at.file).toContain("step_0010");
    // Again, but expecting fewer shards: the names from both calls are joined.
    const other = await openShardReader([at("run", "step_0020.npz")], { threads: 1 });
    merger.add(other.emptyPart(), "other call");
    expect(tell(merger.finish())).toContain("2 shards of 3 have no part");
    for (const shard of [reader.shards[2]!, reader.shards[0]!])
      merger.add(await reader.summarize(shard), shard.name);
    const whole = merger.finish();
    expect(tell(whole).join()).not.toContain("no part");
    // In the order of a single process, whatever order they arrived in.
    expect(whole.info.shards.map(({ name }) => name)).toEqual(reader.shards.map(({ name }) => name));
  });

  it("is that a shard was left out, until a part has it", async () => {
    const path = at("broken", "step_0010.npz");
    await mkdir(at("broken"));
    const good = await readFile(at("run", "step_0010.npz"));
    await writeFile(path, Uint8Array.from(good).fill(0, good.length / 2, good.length / 2 + 4000));
    const summarize = async (): Promise<Part> => {
      const { shards, summarize: read } = await openShardReader([path], { threads: 1 });
      return read(shards[0]!);
    };
    const broken = await summarize();
    await writeFile(path, good);
    const mended = await summarize();
    for (const [parts, failed] of [
      [[broken], true],
      [[broken, mended], false],
      [[mended, broken], false],
    ] as const) {
      const merger = new PartMerger();
      for (const part of parts) merger.add(part, "part");
      const { info, sums } = merger.finish();
      expect(info.shards.map((shard) => shard.failed)).toEqual([failed]);
      expect(sums.sequences).toBe(failed ? 0 : 64);
    }
  });

  it("is not that a shard was left out where some of its rows were read", async () => {
    const row = JSON.stringify({
      rollout_log_probs: [-1, -2],
      old_log_probs: [-1, -2.5],
      response_mask: [1, 1],
    });
    await writeFile(at("partly.jsonl"), `${row}\n{"rollout_log_probs": [-1,\n${row}\n`);
    const reader = await openShardReader([at("partly.jsonl")], { threads: 1 });
    const { info, sums } = await reader.summarize(reader.shards[0]!);
    expect([info.shards[0]!.failed, sums.sequences]).toEqual([false, 2]);
    expect(info.shards[0]!.findings.some(({ severity }) => severity === "skipped")).toBe(true);
  });

  it("is the counts of a filter, over all shards", async () => {
    const filter = "abs>0.1";
    const reader = await openShardReader([at("run")], { threads: 1, filter });
    const merger = new PartMerger();
    for (const shard of reader.shards) merger.add(await reader.summarize(shard), shard.name);
    const { info } = merger.finish();
    const tallies = info.shards.map(({ filtered }) => filtered!);
    expect(tallies.map(({ sequences }) => sequences)).toEqual([64, 64, 64]);
    for (const { keptTokens, tokens } of tallies) {
      expect(keptTokens).toBeGreaterThan(0);
      expect(keptTokens).toBeLessThan(tokens);
    }
    expect(info.filtersTokens).toBe(true);
    const kept = tallies.reduce((sum, { keptTokens }) => sum + keptTokens, 0).toLocaleString("en");
    const all = tallies.reduce((sum, { tokens }) => sum + tokens, 0).toLocaleString("en");
    const messages = partFindings(info).map(({ message }) => message);
    expect(messages.find((message) => message.includes(kept))).toContain(all);
    const bySequence = await openShardReader([at("run")], { threads: 1, filter: "step:10" });
    const second = await bySequence.summarize(bySequence.shards[1]!);
    expect(second.info.filtersTokens).toBe(false);
    // Nothing of it is left after the filter, which does not make it unreadable.
    expect([second.sums.sequences, second.info.shards[0]!.failed]).toEqual([0, false]);
    const unfiltered = await openShardReader([at("run")], { threads: 1 });
    expect((await unfiltered.summarize(unfiltered.shards[0]!)).info.shards[0]!.filtered).toBeNull();
  });
});

describe("a merge of parts for several verbs", () => {
  it("takes those of its verb from a directory, and refuses one that is named", async () => {
    const out = at("several");
    for (const kind of ["report", "doctor"] as const)
      await summarizeInto(await openShardReader([at("run", "step_0010.npz")], { for: kind, threads: 1 }), {
        out,
      });
    const part = await mergePaths("report", [out]);
    expect([part.info.kind, part.info.shards.length, part.sums.sequences]).toEqual(["report", 1, 64]);
    await expect(mergePaths("sweep", [out])).rejects.toMatchObject({
      message: expect.stringMatching(
        /no part for sweep found; found: 2 for (report, 2 for doctor|doctor, 2 for report)/,
      ) as string,
      at: { file: out },
      hint: expect.stringContaining("--for sweep --out DIR makes parts for sweep") as string,
    });
    await expect(mergePaths("report", [])).rejects.toThrow("no part given");
  });

  it("refuses to mix them, and says how the verb is named", async () => {
    const merger = new PartMerger();
    merger.add((await openShardReader([at("run")], { for: "report" })).emptyPart(), "a.lrs");
    const doctor = (await openShardReader([at("run")], { for: "doctor" })).emptyPart();
    expect(() => merger.add(doctor, "b.lrs")).toThrow(
      "a.lrs is for report, b.lrs for doctor: only parts for one verb merge",
    );
  });
});

describe("a shard reader", () => {
  it("ends before the next batch when its signal does", async () => {
    const stop = new AbortController();
    const reader = await openShardReader([at("run")], { threads: 1, batchTokens: 500, signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(reader.summarize(reader.shards[0]!)).rejects.toThrow("enough");
  });

  it("names the same call the same, and another one otherwise", async () => {
    const name = async (options: Parameters<typeof openShardReader>[1], path = at("run")): Promise<string> =>
      (await openShardReader([path], options)).call.id;
    expect(await name({ threads: 1 })).toBe(await name({ threads: 2, for: "report" }));
    expect(
      new Set([
        await name({}),
        await name({ for: "doctor" }),
        await name({ align: "none" }),
        await name({}, at("run", "step_0010.npz")),
      ]).size,
    ).toBe(4);
  });
});
