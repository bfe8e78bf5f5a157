import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KlReport } from "../../results/report.ts";
import { analyzeStudy } from "../analyze-study.ts";
import { readAnalysisConfig } from "../config/read-analysis.ts";
import { drawTexts, makeRandom, writeDrawnStudy } from "../drawn-study.test-data.ts";
import { paths, readManifest, writeManifest } from "./manifest.ts";
import { readTexts } from "./texts-file.ts";

const COUNT = 8;
const analysis = readAnalysisConfig({ bootstrap: 10 }, undefined);
// Every policy has scores for every text, so that each finding comes from a test's damage.
const texts = drawTexts(60, makeRandom(3))
  .filter(({ rows }) => rows.size === 4)
  .slice(0, COUNT);

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "texts-file-"));
  await writeDrawnStudy(dir, texts);
});
afterEach(() => rm(dir, { recursive: true }));

const analyze = (): Promise<KlReport> => analyzeStudy(dir, { ...analysis, writeResults: false });

/** Findings about texts; those about the random figures are left out. */
const said = ({ findings }: KlReport): unknown[] =>
  findings
    .filter(({ code }) => code !== "non-finite" && code !== "vocabulary")
    .map(({ severity, message, count, at }) => [severity, message, count, at.line]);

async function editLines(edit: (lines: string[]) => readonly string[]): Promise<void> {
  const lines = (await readFile(paths.texts(dir), "utf8")).trimEnd().split("\n");
  await writeFile(
    paths.texts(dir),
    edit(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

const editLine = (n: number, edit: (line: string) => string): Promise<void> =>
  editLines((lines) => lines.map((line, i) => (i === n ? edit(line) : line)));

/** The file as a version without digests wrote it. */
async function makeOld(): Promise<void> {
  const stored = await readTexts(dir);
  await editLines(() =>
    stored.map((text) =>
      JSON.stringify({
        ...text,
        ...{ promptIds: [...text.promptIds], tokenIds: [...text.tokenIds], mask: [...text.mask] },
      }),
    ),
  );
  const { texts: _, ...manifest } = (await readManifest(dir))!;
  await writeManifest(dir, manifest);
}

describe("a study's texts", () => {
  test("are read as they were written, with keys in snake_case", async () => {
    expect(await readTexts(dir)).toEqual(texts.map(({ text }) => text));
    const [line] = (await readFile(paths.texts(dir), "utf8")).split("\n");
    for (const key of Object.keys(JSON.parse(line!) as object)) expect(key).toMatch(/^[a-z_]+$/);
    expect(said(await analyze())).toEqual([]);
  });

  test.each([
    ["a token id", (line: string) => line.replace(/"token_ids":\[\d+/, '"token_ids":[99')],
    ["the mask", (line: string) => line.replace(/"mask":\[\d/, '"mask":[2')],
    ["a fact", (line: string) => line.replace(/"level":\d/, '"level":9')],
    ["a text", (line: string) => line.replace("Problem", "problem")],
    ["its end", (line: string) => line.slice(0, 100)],
    ["its digest", (line: string) => line.replace(/,"digest":"[0-9a-f]+"/, "")],
  ])("with %s changed: the text is left out, counted, and named by its line", async (_, edit) => {
    const level = texts.findIndex(({ text }) => text.level !== undefined);
    const whole = await analyze();
    await editLine(level, edit);
    const report = await analyze();
    expect(report.metrics.texts).toBe(COUNT - 1);
    expect(report.findings[0]).toMatchObject({
      severity: "skipped",
      count: 1,
      message: expect.stringContaining("1 text of the study is damaged: "),
      at: { file: paths.texts(dir), line: level + 1 },
    });
    expect(report.checkpoints.rl_30!.mean_kl).not.toBe(whole.checkpoints.rl_30!.mean_kl);
  });

  test("with a line gone: the text is counted", async () => {
    await editLines((lines) => lines.slice(0, -2));
    expect(said(await analyze())[0]).toEqual([
      "skipped",
      `2 texts of the study are gone from ${paths.texts(dir)}, and in no figure`,
      2,
      undefined,
    ]);
  });

  test("with lines moved: said, and the figures are the same", async () => {
    const whole = await analyze();
    await editLines((lines) => lines.toReversed());
    const report = await analyze();
    expect(said(report)).toEqual([
      ["warning", `${paths.texts(dir)} has changed since study.json was written`, 1, undefined],
    ]);
    expect(report.checkpoints.rl_30!.mean_kl).toBeCloseTo(whole.checkpoints.rl_30!.mean_kl!, 12);
  });

  test("all damaged: nothing can be said", async () => {
    await editLines((lines) => lines.map((line) => line.replace("{", "[")));
    await expect(analyze()).rejects.toMatchObject({ _tag: "FormatError", at: { line: 1 } });
  });

  test("of an older study, without digests: are read, and one that its scores do not know is counted", async () => {
    const whole = await analyze();
    await makeOld();
    expect(await analyze()).toEqual(whole);
    await editLine(2, (line) => line.replace(/"promptIds":\[\d+/, '"promptIds":[77'));
    const report = await analyze();
    expect(report.checkpoints.rl_30).toMatchObject({ texts: COUNT - 1, texts_missing: 1 });
    const { id } = texts[2]!.text;
    for (const name of ["ref", "rl_30", "rl_10", "sft"])
      expect(said(report)).toContainEqual([
        "skipped",
        `${name} has no scores of the text ${id}, which is left out of its figures`,
        1,
        undefined,
      ]);
  });
});

test("a study's report can be asked for some checkpoints only", async () => {
  const only = (...names: string[]) => analyzeStudy(dir, { ...analysis, writeResults: false, only: names });
  const report = await only("rl_10");
  expect(Object.keys(report.checkpoints)).toEqual(["rl_10"]);
  expect(Object.keys(report.policies).sort()).toEqual(["ref", "rl_10"]);
  expect(report.metrics.last_checkpoint).toBe("rl_10");
  await expect(only("rl_11")).rejects.toThrow("the checkpoint rl_11 is not one of the study's policies");
});

test("a reference that refused every text says so, and not that it was interrupted", async () => {
  const manifest = (await readManifest(dir))!;
  const refused = texts.map(({ text, rows }) => {
    return {
      text: text.id,
      key: rows.get("ref")!.key,
      reason: "context-length" as const,
      message: "too long",
    };
  });
  const ref = { ...manifest.policies.ref!, refused };
  await writeManifest(dir, { ...manifest, policies: { ...manifest.policies, ref } });
  await rm(paths.scores(dir, "ref"));
  await expect(analyze()).rejects.toMatchObject({
    likely: `it refused all ${COUNT} texts, the first: too long`,
  });
});

test("texts that a policy refused are counted again whenever its scores are read", async () => {
  const manifest = (await readManifest(dir))!;
  const [one, two] = texts.map(({ text, rows }) => ({ id: text.id, key: rows.get("ref")!.key }));
  await writeDrawnStudy(
    dir,
    texts.map(({ text, rows }) => ({
      text,
      rows: new Map([...rows].filter(([name]) => name !== "sft" || ![one!.id, two!.id].includes(text.id))),
    })),
  );
  const refused = [one!, two!].map(({ id, key }) => {
    return { text: id, key, reason: "context-length" as const, message: "it is too long" };
  });
  const policies = { ...manifest.policies, sft: { ...manifest.policies.sft!, refused } };
  await writeManifest(dir, { ...manifest, policies });
  expect(said(await analyze())).toEqual([
    [
      "skipped",
      `sft has no scores of 2 texts (context-length); the first is ${one!.id}: it is too long`,
      2,
      undefined,
    ],
  ]);
});
