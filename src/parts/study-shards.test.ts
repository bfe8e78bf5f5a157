import { cp, mkdir, mkdtemp, readFile, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sized } from "../../test/support/run-size.ts";
import { resultJson } from "../core/base/json.ts";
import type { KlReport } from "../study/results/report.ts";
import { analyzeStudy } from "../study/scoring/analyze-study.ts";
import { readAnalysisConfig } from "../study/scoring/config/read-analysis.ts";
import {
  cutTexts,
  type DrawnText,
  drawTexts,
  makeRandom,
  nameStudy,
  writeDrawnStudy,
} from "../study/scoring/drawn-study.test-data.ts";
import { paths } from "../study/scoring/store/manifest.ts";
import type { KlSums } from "./kinds/kl-sums.ts";
import { reportStudies } from "./kl-part.ts";
import { mergePaths, PartMerger } from "./merge-parts.ts";
import type { Part } from "./part.ts";
import { decodePart, encodePart } from "./part-bytes.ts";
import { findParts, readPart, writePart } from "./part-files.ts";
import { areStudies, openStudyReader, sumStudies } from "./study-shards.ts";
import { summarizeInto } from "./summarize-into.ts";

let home = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "study-shards-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

let folders = 0;
const makeFolder = (): string => join(home, `f${folders++}`);
const plain = (result: unknown): KlReport => JSON.parse(resultJson(result)) as KlReport;

/** All use the same random draws; most of the time would go into them. */
const FEW = { bootstrap: 40 };
const FLAGS = { parity: "rl-probe", spikeThreshold: 1.5 };

/** The report that `logratio kl` makes of a single study. */
async function analyzeAlone(dir: string, more: object = {}): Promise<KlReport> {
  const config = { parity: "rl-probe", spikes: { threshold: 1.5 }, ...FEW, ...more };
  return plain(await analyzeStudy(dir, { ...readAnalysisConfig(config, undefined), writeResults: false }));
}

/** The texts as several studies in one folder. */
async function writePieces(pieces: readonly (readonly DrawnText[])[]): Promise<string> {
  const folder = makeFolder();
  for (const [i, texts] of pieces.entries()) await writeDrawnStudy(nameStudy(folder, i), texts);
  return folder;
}

async function summarize(folder: string, flags: object = FLAGS): Promise<string> {
  const out = makeFolder();
  await summarizeInto(await openStudyReader([folder], flags), { out });
  return out;
}

const report = (part: Part, more: Readonly<Record<string, unknown>> = {}): KlReport =>
  plain(reportStudies(part as Part<KlSums>, { ...FEW, ...more }).report);

describe("parts of studies", () => {
  test("give the report of one study with all texts, bit for bit, in any cut, order and tree", async () => {
    const arbitrary = fc.record({
      seed: fc.integer(),
      texts: fc.integer({ min: 2, max: 40 }),
      pieces: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ seed, texts: count, pieces }) => {
        const random = makeRandom(seed);
        const texts = drawTexts(count, random);
        const whole = await writeDrawnStudy(join(makeFolder(), "whole.study"), texts);
        const alone = await analyzeAlone(whole);
        const folder = await writePieces(cutTexts(texts, pieces, random));
        const out = await summarize(folder);
        const files = (await findParts([out])).map((path) => ({ path, key: random() }));
        const groups = [new PartMerger(), new PartMerger(), new PartMerger()];
        for (const { path } of files.sort((a, b) => a.key - b.key))
          groups[Math.floor(3 * random())]!.add(await readPart(path), path);
        const top = new PartMerger();
        const call = (await openStudyReader([folder], FLAGS)).emptyPart();
        for (const [i, group] of groups.entries()) {
          group.add(call, "call");
          top.add(decodePart(await encodePart(group.finish()), `group ${i}`), `group ${i}`);
        }
        expect(report(top.finish())).toEqual(alone);
      }),
      { numRuns: sized(1, 3) },
    );
  }, 400_000);

  test("keep few texts to look at again, however many studies are merged, and still all that a report shows", async () => {
    const random = makeRandom(5);
    const texts = drawTexts(520, random);
    const folder = await writePieces(cutTexts(texts, 11, random));
    const merged = await mergePaths("kl", [await summarize(folder)]);
    const looked = merged.sums
      .list(merged.info.shards.map(({ name }) => name))
      .flatMap(({ sums }) => sums.looked);
    expect(looked.length).toBeLessThanOrEqual(500);
    const whole = await writeDrawnStudy(join(makeFolder(), "whole.study"), texts);
    expect(report(merged, { cases: 8 })).toEqual(await analyzeAlone(whole, { cases: 8 }));
  }, 400_000);
});

describe("a study that cannot be read", () => {
  test("is left out, counted and named, alone in a part as in one process", async () => {
    const random = makeRandom(7);
    const texts = drawTexts(30, random);
    const pieces = cutTexts(texts, 4, random);
    const folder = await writePieces(pieces);
    await truncate(paths.scores(nameStudy(folder, 1), "rl_30"), 900);
    await rm(paths.scores(nameStudy(folder, 3), "ref"));
    const merged = await mergePaths("kl", [await summarize(folder)]);
    const found = report(merged);
    expect(found).toEqual(report(await sumStudies([folder], FLAGS)));
    expect(found.findings[0]).toMatchObject({
      code: "file-skipped",
      severity: "skipped",
      count: 2,
      message: expect.stringMatching(
        /^2 studies cannot be read, the first: the scores in .*001\.study.* have changed/,
      ),
      at: { file: paths.scores(nameStudy(folder, 1), "rl_30") },
    });
    const rest = report(await sumStudies([await writePieces([pieces[0]!, pieces[2]!])], FLAGS));
    expect({ ...found, findings: found.findings.slice(1) }).toEqual(rest);
  });

  test("is left out too where the system does not let it be looked at", async () => {
    const random = makeRandom(8);
    const pieces = cutTexts(drawTexts(20, random), 3, random);
    const folder = await writePieces(pieces);
    const [inaccessible, unreadable] = [nameStudy(folder, 1), nameStudy(folder, 2)];
    await rm(inaccessible, { recursive: true });
    await symlink(inaccessible, inaccessible);
    const scores = paths.scores(unreadable, "rl_30");
    await rm(scores);
    await symlink(scores, scores);
    const found = report(await sumStudies([folder], FLAGS));
    expect(found).toEqual(report(await mergePaths("kl", [await summarize(folder)])));
    expect(found.findings[0]).toMatchObject({
      code: "file-skipped",
      count: 2,
      at: { file: join(inaccessible, "scores") },
    });
    expect(found.findings[0]?.message).toContain("ELOOP");
    const rest = report(await sumStudies([await writePieces([pieces[0]!])], FLAGS));
    expect(found.checkpoints).toEqual(rest.checkpoints);
  });

  test("is not said to be missing where nothing else is there", async () => {
    const folder = makeFolder();
    await mkdir(folder);
    await symlink(join(folder, "a"), join(folder, "a"));
    await expect(sumStudies([folder])).rejects.toMatchObject({ _tag: "FileSystemError" });
    expect(await areStudies([folder])).toBe(false);
  });

  test("leaves nothing to report where it is the only one", async () => {
    const folder = await writePieces([drawTexts(4, makeRandom(1)), drawTexts(4, makeRandom(1))]);
    for (const i of [0, 1]) await writeFile(paths.manifest(nameStudy(folder, i)), "{}");
    await expect(sumStudies([folder]).then((part) => reportStudies(part))).rejects.toMatchObject({
      _tag: "EmptyInputError",
      message: "none of 2 studies could be read",
    });
  });
});

describe("what does not belong together is refused", () => {
  const two = async (change: (texts: DrawnText[]) => readonly DrawnText[]): Promise<string> => {
    const texts = drawTexts(12, makeRandom(3));
    return writePieces([texts.slice(0, 6), change(texts)]);
  };
  const refusal = async (folder: string, flags: object = {}): Promise<unknown> =>
    sumStudies([folder], flags).then(
      (part) => {
        try {
          return reportStudies(part);
        } catch (error) {
          return error;
        }
      },
      (error: unknown) => error,
    );

  test("a text in two studies, a problem with two prompts", async () => {
    const twice = await two((texts) => texts.slice(5));
    expect(await refusal(twice)).toMatchObject({
      _tag: "SchemaError",
      message: `the text t5 is in ${nameStudy(twice, 0)} and in ${nameStudy(twice, 1)}`,
    });
    const renamed = await two((texts) =>
      texts.slice(6).map(({ text, rows }) => {
        const other = { ...text, problem: texts[0]!.text.problem, promptIds: Int32Array.of(99) };
        return { text: other, rows };
      }),
    );
    expect(await refusal(renamed)).toMatchObject({
      message: `the problem ${drawTexts(1, makeRandom(3))[0]!.text.problem} has one prompt in ${nameStudy(renamed, 0)}, another in ${nameStudy(renamed, 1)}`,
    });
  });

  test("other settings, other references, other steps", async () => {
    const texts = drawTexts(12, makeRandom(4));
    const folder = await writePieces([texts.slice(0, 6)]);
    await writeDrawnStudy(nameStudy(folder, 1), texts.slice(6), { alpha: 0.01 });
    expect(await refusal(folder)).toMatchObject({
      _tag: "SchemaError",
      message: `${nameStudy(folder, 1)} is read with other settings than ${nameStudy(folder, 0)}: {"alpha":0.01}`,
    });
    await writeDrawnStudy(nameStudy(folder, 1), texts.slice(6));
    const manifest = JSON.parse(await readFile(paths.manifest(nameStudy(folder, 1)), "utf8"));
    delete manifest.sha256;
    const edit = (change: object): Promise<void> =>
      writeFile(paths.manifest(nameStudy(folder, 1)), JSON.stringify({ ...manifest, ...change }));
    await edit({ reference: "sft" });
    expect(await refusal(folder)).toMatchObject({
      message: expect.stringMatching(
        /^the reference is ref in .*000\.study, sft in .*001\.study: these studies cannot/,
      ),
    });
    await edit({ policies: { ...manifest.policies, rl_30: { ...manifest.policies.rl_30, step: 31 } } });
    expect(await refusal(folder)).toMatchObject({
      message: expect.stringContaining(
        `step of rl_30 is 30 in ${nameStudy(folder, 0)}, 31 in ${nameStudy(folder, 1)}`,
      ),
    });
  });

  test("flags of dumps, paths without a study, and parts of a newer version", async () => {
    await expect(openStudyReader([home.concat("/nothing")])).rejects.toMatchObject({ _tag: "NotFoundError" });
    await expect(openStudyReader([home], { spikes: "loud" })).rejects.toMatchObject({ _tag: "UsageError" });
    await expect(openStudyReader(["s3://bucket/a.study"])).rejects.toThrow(
      "studies are read from a file system",
    );
    const folder = await writePieces([drawTexts(3, makeRandom(2))]);
    const { info, sums } = await sumStudies([folder]);
    const newer = join(makeFolder(), "newer.lrs");
    await expect(
      encodePart({ info: { ...info, version: 3 }, sums }).then((bytes) => decodePart(bytes, newer)),
    ).rejects.toMatchObject({ _tag: "VersionError", found: 3, supported: 2 });
  });
});

test("summarize goes on where it was, and reads again what has changed", async () => {
  const texts = drawTexts(20, makeRandom(11));
  const folder = await writePieces([texts.slice(0, 8), texts.slice(8, 14), texts.slice(14)]);
  const out = makeFolder();
  const go = async (stopAfter = 99): Promise<number> => {
    let done = 0;
    const reader = await openStudyReader([folder], FLAGS);
    const { resumed } = await summarizeInto(reader, { out, isStopped: () => done++ >= stopAfter });
    return resumed;
  };
  expect(await go(2)).toBe(0);
  expect(await go()).toBe(2);
  expect(await go()).toBe(3);
  await writeDrawnStudy(nameStudy(folder, 1), texts.slice(8, 13));
  expect(await go()).toBe(2);
  // A new date without new content is not a change.
  await utimes(paths.texts(nameStudy(folder, 0)), new Date(), new Date());
  expect(await go()).toBe(3);
  const copy = makeFolder();
  await cp(folder, copy, { recursive: true });
  expect(report(await mergePaths("kl", [out]))).toEqual(report(await sumStudies([folder], FLAGS)));
});

test("a part that was written is the part that is read", async () => {
  const folder = await writePieces([drawTexts(9, makeRandom(21))]);
  const part = await sumStudies([folder], FLAGS);
  const file = join(home, "one.lrs");
  await writePart(file, part);
  const again = await readPart(file);
  expect(again.info).toEqual(part.info);
  expect([again.sums.sequences, again.sums.tokens]).toEqual([part.sums.sequences, part.sums.tokens]);
  expect(await encodePart(again)).toEqual(await encodePart(part));
});
