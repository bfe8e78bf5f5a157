import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultJson } from "../../core/base/json.ts";
import { klRun } from "../../parts/kl-run.ts";
import type { KlReport } from "../../study/results/report.ts";
import {
  drawTexts,
  makeRandom,
  nameStudy,
  writeDrawnStudy,
} from "../../study/scoring/drawn-study.test-data.ts";
import { captured } from "./commands/captured.test-data.ts";
import { kl } from "./commands/kl.ts";
import { summarize } from "./commands/summarize.ts";

const FEW = { bootstrap: "20" };
let studies = "";
let parts = "";
const drawn = drawTexts(16, makeRandom(8));
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "logratio-kl-parts-"));
  [studies, parts] = [join(folder, "studies"), join(folder, "parts")];
  await writeDrawnStudy(nameStudy(studies, 0), drawn.slice(0, 7));
  await writeDrawnStudy(nameStudy(studies, 1), drawn.slice(7));
  const options = { for: "kl", out: parts, spikeThreshold: "1.5" };
  const { status, out, err } = await captured((terminal) => summarize([studies], options, terminal));
  // Some of the texts have no scores under a checkpoint, which is reported.
  expect([status, out]).toEqual([4, ""]);
  expect(err).toContain(`written: ${parts}: 2 shards for kl, 16 texts`);
}, 120_000);
afterAll(() => rm(join(studies, ".."), { recursive: true, force: true }));

describe("kl of several studies", () => {
  it("prints the same from parts as from the studies, as text and as JSON", async () => {
    for (const form of [{ json: true, seed: "7" }, {}]) {
      const own = { ...FEW, ...form, alpha: "0.1" };
      const [ours, theirs] = [
        await captured((terminal) => kl([parts], own, terminal)),
        await captured((terminal) => kl([studies], { ...own, spikeThreshold: "1.5" }, terminal)),
      ];
      expect([ours.status, ours.out]).toEqual([4, theirs.out]);
    }
    const { out } = await captured((terminal) =>
      kl([nameStudy(studies, 0), nameStudy(studies, 1)], { ...FEW, json: true }, terminal),
    );
    const { metrics, settings } = JSON.parse(out) as KlReport;
    expect([metrics.texts, settings.spikes.threshold]).toEqual([16, 2]);
  }, 120_000);

  it("prints what klRun returns, of one study and of several", async () => {
    for (const paths of [[studies], [nameStudy(studies, 0)]]) {
      const report = await klRun(paths, { spikeThreshold: 1.5, bootstrap: 20, alpha: 0.1, allSpikes: true });
      const flags = { ...FEW, alpha: "0.1", spikes: "all", spikeThreshold: "1.5", json: true };
      const { out } = await captured((terminal) => kl(paths, flags, terminal));
      expect(JSON.parse(out)).toEqual(JSON.parse(resultJson(report)));
    }
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(klRun([studies], { signal })).rejects.toThrow("enough");
    await expect(klRun([studies], { floor: "low" })).rejects.toThrow("--floor must be a number");
  }, 120_000);

  it("lists every spike with --spikes all, the same from parts, with the tokens of the texts", async () => {
    const run = (path: readonly string[], options: object) =>
      captured((terminal) => kl(path, { ...FEW, ...options }, terminal));
    const own = { spikeThreshold: "1.5", spikes: "all" };
    const pooled = await run([parts], { json: true, spikes: "all" });
    expect(pooled.out).toBe((await run([studies], { json: true, ...own })).out);
    const { all_spikes, checkpoints } = JSON.parse(pooled.out) as KlReport;
    const counts = Object.entries(checkpoints).map(([name, { spikes_total }]) => [name, spikes_total]);
    expect(Object.entries(all_spikes!).map(([name, spikes]) => [name, spikes.length])).toEqual(counts);

    const texts = new Map(drawn.map(({ text }) => [text.id, text]));
    for (const { text, position, token, token_id } of Object.values(all_spikes!).flat()) {
      const { mask, tokens, tokenIds } = texts.get(text)!;
      expect([mask[position], token, token_id]).toEqual([1, tokens[position], tokenIds[position]]);
    }

    const one = nameStudy(studies, 0);
    const plain = await run([one], { json: true });
    expect((JSON.parse(plain.out) as KlReport).all_spikes).toBeNull();
    const adaptive = await run([one], { json: true, spikes: "adaptive,all" });
    const report = JSON.parse(adaptive.out) as KlReport;
    expect([report.settings.spikes.method, report.all_spikes!.rl_10!.length]).toEqual([
      "adaptive",
      report.checkpoints.rl_10!.spikes_total,
    ]);
    const { out } = await run([one], { spikes: "all" });
    const all = (JSON.parse((await run([one], { json: true, spikes: "all" })).out) as KlReport).all_spikes!;
    const listed = out.slice(out.indexOf("All spikes")).match(/ q\d+\.t\d+ /g)!;
    expect(listed.slice(0, Object.values(all).flat().length).map((handle) => handle.trim())).toEqual(
      Object.values(all)
        .flat()
        .map(({ handle }) => handle),
    );
    await expect(run([one], { spikes: "adaptive,zscore" })).rejects.toThrow(
      "--spikes takes one method, not 2",
    );
    await expect(run([one], { spikes: "most" })).rejects.toThrow("spikes.method");
  }, 60_000);

  it("refuses flags that decided what the parts keep, flags of scoring, and stray --parts", async () => {
    const refusal = (options: object, path = parts): Promise<unknown> =>
      captured((terminal) => kl([path], options, terminal)).then(
        () => "it was done",
        (error: unknown) => error,
      );
    expect(await refusal({ spikes: "adaptive" })).toMatchObject({
      message: `--spikes adaptive belongs to summarize: ${parts} contains results, not dumps`,
      hint: "logratio summarize STUDIES --for kl --spikes adaptive --out DIR",
    });
    const hint = "give the texts and all policies again, with the study as --out: only what is new is scored";
    expect(await refusal({ policy: ["a=onnx:x"] })).toMatchObject({
      message: `${parts} holds parts of scored studies: --policy has no effect on existing scores`,
      hint,
    });
    const study = nameStudy(studies, 0);
    expect(await refusal({ attention: true, topK: "3", stage: ["a=1..2"] }, study)).toMatchObject({
      message: `${study} is an already scored study: --top-k, --attention, --stage have no effect on existing scores`,
      hint,
    });
    expect(await refusal({ limit: "3" }, studies)).toMatchObject({
      message: "the studies are already scored: --limit has no effect on existing scores",
    });
    expect(await refusal({ limit: "3", on: "ray://head:10001" }, studies)).toMatchObject({
      message: "--on pools studies that are already scored: --limit has no effect on existing scores",
    });
    expect(await refusal({ parts }, studies)).toMatchObject({ message: "--parts belongs to --on" });
    const mixed = { for: "kl", out: join(parts, "..", "other"), steps: "1..2" };
    await expect(captured((terminal) => summarize([studies], mixed, terminal))).rejects.toThrow(
      "--steps does not apply to kl: its shards are studies",
    );
  }, 60_000);
});
