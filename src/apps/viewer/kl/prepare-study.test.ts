import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StudyTexts } from "../../../results/view.ts";
import { decodeStudyText, type WireStudyText } from "../../../results/wire/study-text.ts";
import type { KlReport } from "../../../study/results/report.ts";
import { analyzeStudy } from "../../../study/scoring/analyze-study.ts";
import { readAnalysisConfig } from "../../../study/scoring/config/read-analysis.ts";
import { readPair } from "../../../study/scoring/read-scored.ts";
import { readTexts, writeTexts } from "../../../study/scoring/store/texts-file.ts";
import { type ExampleStudy, exampleStudy } from "./example-study.test-data.ts";
import { isStudy, prepareStudy } from "./prepare-study.ts";
import type { PreparedStudy } from "./prepared-study.ts";

let example: ExampleStudy;
let study: PreparedStudy;
beforeAll(async () => {
  example = await exampleStudy();
  study = await prepareStudy(example.dir, { cache: join(example.folder, "cache") });
});
afterAll(async () => {
  await study.close();
  await example.remove();
});

async function json<T>(name: "study" | "texts"): Promise<T> {
  return JSON.parse(Buffer.from(await study.answer(name)).toString()) as T;
}

async function text(index: number): Promise<WireStudyText> {
  return decodeStudyText((await study.text(index))!);
}

describe("a prepared study", () => {
  it("is told from other directories", () => {
    expect([isStudy(example.dir), isStudy(example.folder)]).toEqual([true, false]);
  });

  it("says what it is, and gives the report of kl", async () => {
    expect(study.info).toMatchObject({
      kind: "view-study",
      // A title, not a path.
      name: basename(example.dir),
      reference: "dpo",
      checkpoints: ["rlvr_step_100", "rlvr_step_1000"],
      problems: 4,
      texts: 4,
      status: "ready",
    });
    const own = await analyzeStudy(example.dir, {
      ...readAnalysisConfig({}, undefined),
      writeResults: false,
    });
    expect(await json<KlReport>("study")).toEqual(JSON.parse(JSON.stringify(own)));
  });

  it("writes nothing into the study but its cache", async () => {
    expect(await readdir(example.dir)).not.toContain("results");
    const own = await prepareStudy(example.dir);
    expect(own.directory.startsWith(join(example.dir, ".logratio"))).toBe(true);
    await own.close();
  });

  it("lists the texts with the means of the report", async () => {
    const { checkpoints, texts, scale, largest } = await json<StudyTexts>("texts");
    const report = await json<KlReport>("study");
    expect(texts.map(({ handle }) => handle)).toEqual(["q0", "q1", "q2", "q3"]);
    for (const [at, name] of checkpoints.entries()) {
      const figures = report.checkpoints[name]!;
      const mean = texts.reduce((sum, { mean_kl }) => sum + mean_kl[at]!, 0) / texts.length;
      expect(mean).toBeCloseTo(figures.mean_kl!, 12);
      expect(texts.reduce((sum, { spikes }) => sum + spikes[at]!, 0)).toBe(figures.spikes_total);
      expect(Math.max(...texts.map(({ max_kl }) => max_kl[at]!))).toBeCloseTo(figures.token_max_kl!, 12);
    }
    expect(scale).toBeGreaterThan(0);
    expect(scale).toBeLessThanOrEqual(largest);
    expect(largest).toBeCloseTo(report.checkpoints.rlvr_step_1000!.token_max_kl!, 6);
  });

  it("gives each text the values of the scores, in the order of the checkpoints", async () => {
    const texts = await readTexts(example.dir);
    for (const [row, name] of study.info.checkpoints.entries()) {
      const read = { floor: undefined, vocabularySize: null };
      let seen = 0;
      for await (const { index, scored } of readPair(example.dir, texts, name, "dpo", read)) {
        const { meta, kl, delta, entropy, mask, referenceLogprob, referenceEntropy } = await text(index);
        const tokens = texts[index]!.tokenIds.length;
        const cutRow = (values: Float32Array): Float32Array => values.slice(row * tokens, (row + 1) * tokens);
        expect(meta.tokens).toEqual(texts[index]!.tokens);
        expect(mask).toEqual(texts[index]!.mask);
        expect(cutRow(kl)).toEqual(scored.pair.forwardKl);
        expect(cutRow(entropy)).toEqual(scored.p.entropies);
        expect(cutRow(delta)).toEqual(
          Float32Array.from(scored.p.logprobs, (value, t) => value - scored.q.logprobs[t]!),
        );
        expect(referenceLogprob).toEqual(scored.q.logprobs);
        expect(referenceEntropy).toEqual(scored.q.entropies);
        seen++;
      }
      expect(seen).toBe(texts.length);
    }
  });

  it("has the report's spikes and first errors", async () => {
    const { cases } = await json<KlReport>("study");
    expect(cases.length).toBeGreaterThan(0);
    for (const one of cases) {
      const { meta, categories } = await text(Number(one.handle.slice(1)));
      expect(meta.handle).toBe(one.handle);
      expect(meta.spikes.at(-1)).toMatchObject(
        one.spikes.map(({ position, kl, alternatives }) => ({ position, kl, alternatives })),
      );
      expect(meta.error?.token ?? null).toBe(one.error_token);
      expect(Array.from(categories, (code) => meta.categories[code])).toEqual(one.categories);
    }
  });

  it("has no other texts", async () => {
    expect(await study.text(4)).toBeUndefined();
  });
});

describe("the cache of a study", () => {
  it("is used while the study's files are what they were", async () => {
    const cache = join(example.folder, "kept");
    const open = async (): Promise<boolean> => {
      const prepared = await prepareStudy(example.dir, { cache });
      await prepared.close();
      return prepared.reused;
    };
    expect([await open(), await open()]).toEqual([false, true]);
    const scores = join(example.dir, "scores", "rlvr_step_100.parquet");
    await utimes(scores, new Date(), new Date(Date.now() + 5000));
    expect([await open(), await open()]).toEqual([false, true]);
    expect((await readdir(cache)).length).toBe(1);
  });

  it("says what to do about one that is cut off", async () => {
    const cache = join(example.folder, "cut");
    const prepared = await prepareStudy(example.dir, { cache });
    const values = join(prepared.directory, "values.bin");
    await writeFile(values, (await readFile(values)).subarray(0, 100));
    await expect(prepared.text(3)).rejects.toMatchObject({
      _tag: "FormatError",
      hint: expect.stringContaining(".logratio") as string,
    });
    await prepared.close();
  });

  it("leaves nothing behind when it is interrupted", async () => {
    const cache = join(example.folder, "none");
    const signal = AbortSignal.abort();
    await expect(prepareStudy(example.dir, { cache, signal })).rejects.toThrow();
    expect(await readdir(cache)).toEqual([]);
  });

  it("is not looked for in what is no study", async () => {
    await expect(prepareStudy(example.folder)).rejects.toMatchObject({ _tag: "NotFoundError" });
  });
});

describe("a text that a checkpoint has no scores of", () => {
  it("has no values there, and is listed without figures", async () => {
    const partial = await exampleStudy();
    const texts = await readTexts(partial.dir);
    await writeTexts(partial.dir, [...texts, { ...texts[0]!, id: "added", problem: "added" }]);
    const prepared = await prepareStudy(partial.dir);
    const { meta, kl, referenceLogprob } = decodeStudyText((await prepared.text(4))!);
    expect([...kl, ...referenceLogprob].every(Number.isNaN)).toBe(true);
    expect(meta.spikes).toEqual([[], []]);
    const list = JSON.parse(Buffer.from(await prepared.answer("texts")).toString()) as StudyTexts;
    expect(list.texts[4]).toMatchObject({
      text: "added",
      mean_kl: [null, null],
      max_kl: [null, null],
      spikes: [null, null],
    });
    await prepared.close();
    await partial.remove();
  });
});
