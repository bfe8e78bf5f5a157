import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answerRun } from "../../../../analyses/evidence/answer.ts";
import { summarizeBatches } from "../../../../analyses/parallel/summarize-batches.ts";
import { sourceSummaries } from "../../../../analyses/runs/read-batches.ts";
import { openSpeller, spellReport } from "../../../../analyses/runs/spell-report.ts";
import { resultJson } from "../../../../core/base/json.ts";
import { TOKEN_FLAGS } from "../../../../core/base/token-class.ts";
import { computeK3 } from "../../../../core/kernels/scalar.ts";
import { turnOfMark } from "../../../../core/kernels/turns.ts";
import { openRun } from "../../../../ingest/open-run.ts";
import type { MismatchReport } from "../../../../results/report.ts";
import type { CorrectBins, StepSeries, TopTokens } from "../../../../results/view.ts";
import { decodeSequence, decodeTopK } from "../../../../results/wire/sequence.ts";
import { decodeTable, type SequenceTable } from "../../../../results/wire/table.ts";
import { type Question, readQuestion } from "../correct/question.ts";
import { DEMO, DEMO_TOKENIZER, type Workspace, workspace } from "../made-run.test-data.ts";
import type { PrepareOptions } from "./options.ts";
import { prepareRun } from "./prepare-run.ts";
import type { PreparedRun } from "./prepared-run.ts";

let work: Workspace;
const opened: PreparedRun[] = [];
beforeEach(async () => {
  work = await workspace();
});
afterEach(async () => {
  for (const run of opened.splice(0)) await run.close();
  await work.remove();
});

function asking(correction: string): Question {
  return readQuestion({ correction });
}

async function prepared(paths: readonly string[], options: PrepareOptions = {}): Promise<PreparedRun> {
  const run = await prepareRun(paths, options);
  opened.push(run);
  return run;
}

async function json<T>(run: PreparedRun, name: "report" | "steps" | "tokens" | "correct-bins"): Promise<T> {
  return JSON.parse(Buffer.from(await run.answer(name)).toString()) as T;
}

async function readTable(run: PreparedRun): Promise<SequenceTable> {
  return decodeTable(await run.answer("sequences"));
}

async function readTexts(run: PreparedRun, index: number): Promise<string[]> {
  const { texts, textOffsets } = decodeSequence((await run.sequence(index))!);
  return Array.from({ length: textOffsets.length - 1 }, (_, i) =>
    Buffer.from(texts.subarray(textOffsets[i], textOffsets[i + 1])).toString(),
  );
}

describe("the demo run", () => {
  let home: Workspace;
  let run: PreparedRun;
  let report: MismatchReport;
  beforeAll(async () => {
    home = await workspace();
    run = await prepareRun([DEMO], { tokenizer: DEMO_TOKENIZER, cache: home.path("cache") });
    const source = await openRun([DEMO]);
    const evidence = await summarizeBatches(source.batches());
    const answer = answerRun({
      run: source.name,
      paths: [DEMO],
      evidence,
      parity: [],
      findings: source.findings.list(),
      sources: sourceSummaries(source),
    });
    report = await spellReport(answer.report, () => openSpeller(DEMO_TOKENIZER));
  });
  afterAll(async () => {
    await run.close();
    await home.remove();
  });

  it("answers with the report of `logratio report --json`", async () => {
    expect(Buffer.from(await run.answer("report")).toString()).toBe(resultJson(report));
  });

  it("sums up in the table, the steps and the bins to the report's figures", async () => {
    const { columns, length } = await readTable(run);
    const sum = (of: (i: number) => number): number => {
      let total = 0;
      for (let i = 0; i < length; i++) total += of(i);
      return total;
    };
    const { metrics } = report;
    expect(length).toBe(metrics.sequences + metrics.sequences_empty);
    expect(sum((i) => columns.tokens[i]!)).toBe(metrics.tokens);
    expect(sum((i) => columns.delta_sum[i]!) / metrics.tokens).toBeCloseTo(metrics.delta_mean, 12);
    expect(sum((i) => columns.k3_mean[i]! * columns.tokens[i]!) / metrics.tokens).toBeCloseTo(metrics.k3, 10);
    expect(Math.max(...columns.delta_abs_max)).toBe(metrics.delta_abs_max);
    expect(Math.max(...columns.prob_diff_max)).toBe(metrics.prob_diff_max);
    const rho = sum((i) => columns.rho_sum[i]!);
    const squares = sum((i) => columns.rho_squares[i]!);
    expect((rho * rho) / (metrics.tokens * squares)).toBeCloseTo(metrics.ess, 6);

    const steps = await json<StepSeries>(run, "steps");
    expect(steps.steps).toEqual(report.per_step.map(({ step }) => step));
    expect(steps.series.delta_abs_p99).toEqual(report.per_step.map((step) => step.delta_abs_p99));
    expect(steps.series.ess).toEqual(report.per_step.map(({ ess }) => ess));
    expect(steps.slices.map(({ by, value }) => [by, value])).toEqual([
      ["correct", "right"],
      ["correct", "wrong"],
    ]);

    const { edges, groups } = await json<CorrectBins>(run, "correct-bins");
    expect(edges.length).toBe(1025);
    const total = (of: "tokens" | "rho" | "rho_squares"): number =>
      groups.reduce((all, group) => all + group[of].reduce((a, b) => a + b, 0), 0);
    expect(total("tokens")).toBe(metrics.tokens);
    expect(total("rho")).toBeCloseTo(rho, 6);
    expect(total("rho_squares")).toBeCloseTo(squares, 6);
  });

  it("scales Δ and k3 so that one token in two hundred is beyond, and says how far they go", async () => {
    const sizes: number[] = [];
    const k3: number[] = [];
    for (let index = 0; index < run.info.sequences; index++) {
      const { mask, rollout, trainer } = decodeSequence((await run.sequence(index))!);
      for (let t = 0; t < mask.length; t++) {
        const delta = trainer[t]! - rollout[t]!;
        if (mask[t] === 0 || !Number.isFinite(delta)) continue;
        sizes.push(Math.abs(delta));
        k3.push(computeK3(delta));
      }
    }
    const { scales } = run.info;
    expect(sizes).toHaveLength(report.metrics.tokens);
    for (const [name, values] of [["delta", sizes] as const, ["k3", k3] as const]) {
      values.sort((a, b) => a - b);
      // Cells are 0.1 % of Δ wide, which is 0.2 % of k3 where that is small.
      expect(scales[name] / values[Math.round(0.995 * (values.length - 1))]!).toBeCloseTo(1, 2);
      expect(scales.largest[name]).toBeCloseTo(values.at(-1)!, 5);
    }
  });

  it("has the same bins by length, by reward and for all of its steps", async () => {
    const whole = await json<CorrectBins>(run, "correct-bins");
    const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
    expect(whole.by_length.map(({ tokens }) => sum(tokens)).reduce((a, b) => a + b)).toBe(
      report.metrics.tokens,
    );
    const { columns } = await readTable(run);
    for (const { from, to, tokens } of whole.by_length) {
      const inside = columns.tokens.filter((count) => count >= from && count <= to);
      expect(sum(tokens)).toBe(inside.reduce((a, b) => a + b, 0));
    }
    const steps = run.info.steps;
    const all = (await run.bins([steps[0]!, steps.at(-1)!]))!;
    expect(all.by_length).toEqual(whole.by_length);
    expect(all.groups.map(({ tokens }) => tokens)).toEqual(whole.groups.map(({ tokens }) => tokens));
    const first = (await run.bins([steps[0]!, steps[0]!]))!;
    expect(first.groups.reduce((total, { tokens }) => total + sum(tokens), 0)).toBe(
      report.per_step[0]!.tokens,
    );
    expect(await run.bins([-2, -1])).toBeUndefined();
  });

  it("finds the worst turns", async () => {
    const { turns } = await json<TopTokens>(run, "tokens");
    const { columns, length } = await readTable(run);
    const all: { sequence: number; turn: number; first: number; sizes: number[] }[] = [];
    for (let sequence = 0; sequence < length; sequence++) {
      const { turnMarks, rollout, trainer } = decodeSequence((await run.sequence(sequence))!);
      turnMarks.forEach((mark, t) => {
        const turn = turnOfMark(mark);
        if (turn === undefined || !Number.isFinite(trainer[t]! - rollout[t]!)) return;
        const last = all.at(-1);
        const size = Math.abs(trainer[t]! - rollout[t]!);
        if (last?.sequence === sequence && last.turn === turn) last.sizes.push(size);
        else all.push({ sequence, turn, first: t, sizes: [size] });
      });
    }
    const mean = (sizes: readonly number[]): number => sizes.reduce((a, b) => a + b, 0) / sizes.length;
    const long = all.filter(({ sizes }) => sizes.length >= 4).sort((a, b) => mean(b.sizes) - mean(a.sizes));
    const [worst] = turns.by_mean;
    expect([worst!.sequence, worst!.turn, worst!.first, worst!.tokens]).toEqual([
      long[0]!.sequence,
      long[0]!.turn,
      long[0]!.first,
      long[0]!.sizes.length,
    ]);
    expect(worst!.delta_abs_mean).toBeCloseTo(mean(long[0]!.sizes), 6);
    expect(turns.by_max[0]!.delta_abs_max).toBeCloseTo(report.metrics.delta_abs_max, 6);
    expect(turns.by_max[0]!.worst).toBe(columns.worst_token[turns.by_max[0]!.sequence]);
    expect(turns.by_mean.map((turn) => turn.delta_abs_mean)).toEqual(
      turns.by_mean.map((turn) => turn.delta_abs_mean).sort((a, b) => b - a),
    );
    expect(worst!.opening).not.toBe("");
  });

  it("names the same worst tokens, in their context", async () => {
    const tokens = await json<TopTokens>(run, "tokens");
    const firsts = tokens.occurrences.slice(0, report.worst_tokens.length);
    expect(firsts.map(({ handle, delta }) => [handle, delta])).toEqual(
      report.worst_tokens.map(({ handle, delta }) => [handle, delta]),
    );
    const { columns } = await readTable(run);
    for (const { sequence, token, text, before, after, token_id, turn } of firsts) {
      const wire = decodeSequence((await run.sequence(sequence))!);
      expect(wire.ids[wire.meta.promptLength + token]).toBe(token_id);
      const texts = await readTexts(run, sequence);
      const at = wire.meta.promptLength + token;
      expect(text).toBe(texts[at]);
      expect(before).toBe(texts.slice(at - 12, at).join(""));
      expect(after).toBe(texts.slice(at + 1, at + 13).join(""));
      expect(turnOfMark(wire.turnMarks[token]!)).toBe(turn);
    }
    expect(columns.worst_token[firsts[0]!.sequence]).toBe(firsts[0]!.token);
    const byId = new Map(report.per_token_id.map((group) => [group.k3_share, group.tokens]));
    expect(tokens.by_token.slice(0, 20).map(({ share_of_k3, tokens }) => [share_of_k3, tokens])).toEqual([
      ...byId,
    ]);
    const classes = tokens.by_class.filter(({ label }) => !label.startsWith("rollout p"));
    expect(classes.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(report.metrics.tokens);
    expect(tokens.by_position.map(({ delta_mean }) => delta_mean)).toEqual(
      report.per_position_decile.map(({ delta_mean }) => delta_mean),
    );
    expect(tokens.by_turn.map(({ label }) => label)).toEqual(
      report.per_turn.map(({ turn }) => `turn ${turn}`),
    );
  });

  it("keeps each sequence's tokens with their texts and alternatives", async () => {
    const wire = decodeSequence((await run.sequence(0))!);
    const texts = await readTexts(run, 0);
    expect(texts[0]).toBe("<bos>");
    expect(wire.flags[0]).toBe(TOKEN_FLAGS.special);
    expect(texts.some((text, i) => /^\d$/.test(text) && wire.flags[i] === TOKEN_FLAGS.digit)).toBe(true);
    const all = decodeTopK((await run.topK(0, 0, 1e6))!);
    const some = decodeTopK((await run.topK(0, 3, 2))!);
    expect(Object.keys(all.policies)).toEqual(run.info.top_k);
    for (const [name, { k, ids, logprobs }] of Object.entries(some.policies)) {
      expect(ids).toEqual(all.policies[name]!.ids.slice(3 * k, 5 * k));
      expect(logprobs).toEqual(all.policies[name]!.logprobs.slice(3 * k, 5 * k));
      for (const id of ids) expect(some.texts.has(id)).toBe(true);
    }
    expect(decodeTopK((await run.topK(0, 1e6, 5))!).count).toBe(0);
    expect(await run.sequence(-1)).toBeUndefined();
    expect(await run.topK(run.info.sequences, 0, 1)).toBeUndefined();
  });

  it("answers exactly, with configs and a command", async () => {
    const { answer: nothing } = await run.correct(asking("none"));
    expect(nothing.kept_tokens).toBe(report.metrics.tokens);
    expect(nothing.ess).toBeCloseTo(report.metrics.ess, 6);
    expect(nothing.dropped_right).toBe(0);
    const question = asking(
      "weight:token truncate:..1.01 mask:sequence.mean.ratio:0.9995..1.0005 veto:ratio:0.8..",
    );
    const { answer: asked, steps } = await run.correct(question);
    const { columns } = await readTable(run);
    let masked = 0;
    columns.delta_mean.forEach((mean, i) => {
      const ratio = Math.exp(mean);
      if (ratio > 1.0005 || ratio < 0.9995) masked += columns.tokens[i]!;
    });
    expect(asked.masked).toBe(masked);
    expect(asked.clipped).toBeGreaterThan(0);
    expect(asked.vetoed).toBeGreaterThan(0);
    expect(asked.kept_tokens).toBeLessThan(report.metrics.tokens - masked);
    expect(steps.steps).toEqual(run.info.steps);
    expect(steps.counts.masked.reduce((a, b) => a + b, 0)).toBe(masked);
    const again = await run.correct({ ...question, steps: [run.info.steps[1]!, run.info.steps[2]!] });
    expect(again.answer.masked).toBe(steps.counts.masked[1]! + steps.counts.masked[2]!);
    expect(again.steps).toEqual(steps);
    const { answer: tis } = await run.correct(asking("weight:token truncate:..2"));
    const { answer: turns } = await run.correct(asking("mask:turn.mean.k2:..0.001"));
    expect(turns.masked).toBeGreaterThan(0);
    expect(turns.kept_tokens).toBe(report.metrics.tokens - turns.masked);
    expect(Object.keys(tis.configs)).toContain("verl");
    expect(tis.command).toContain(`logratio correct ${DEMO} --correction`);
  });

  it("is redacted on demand: ids stay, texts go", async () => {
    const redacted = await prepared([DEMO], {
      tokenizer: DEMO_TOKENIZER,
      redact: "text",
      cache: home.path("cache"),
    });
    const { ids, flags } = decodeSequence((await redacted.sequence(0))!);
    expect(await readTexts(redacted, 0)).toEqual([...ids].map((id) => `#${id}`));
    expect([...flags].every((bits) => bits === TOKEN_FLAGS.unknown)).toBe(true);
    const { occurrences } = await json<TopTokens>(redacted, "tokens");
    expect(occurrences[0]).toMatchObject({ text: null, before: null, after: null });
    expect(redacted.info).toMatchObject({ redacted: true, has: { texts: false } });
    const { events } = (await json<MismatchReport>(redacted, "report")).assessment;
    expect(events.by_raw.map(({ text }) => text)).toEqual([null, null, null, null, null]);
    expect(
      events.by_raw.flatMap(({ alternatives }) => alternatives.filter(({ text }) => text !== null)),
    ).toEqual([]);
  });
});

describe("what a run lacks", () => {
  it("is null or absent: steps, texts, rewards, ids of prompts", async () => {
    const run = await prepared([await work.run("run.jsonl", [{}, { response_mask: [1, 0, 1] }])]);
    expect(run.info).toMatchObject({
      sequences: 2,
      tokens: 5,
      all_tokens: 6,
      steps: [],
      has: { texts: false, rewards: false, prompts: false, correctness: false },
      tokenizer: null,
      status: "ready",
    });
    const steps = await json<StepSeries>(run, "steps");
    expect([steps.steps, steps.series.reward, steps.slices]).toEqual([[null], [null], []]);
    expect(await readTexts(run, 0)).toEqual(["#1", "#2", "#3"]);
    const wire = decodeSequence((await run.sequence(1))!);
    expect([...wire.turnMarks]).toEqual([1, 0, 2]);
    expect(wire.meta).toMatchObject({ handle: "q1", step: null, reward: null, promptLength: 0 });
    const { columns, texts } = await readTable(run);
    expect(columns.reward[0]).toBeNaN();
    expect(texts.sample.codes[0]).toBe(-1);
  });

  it("leaves out what is no number, and keeps sequences without a token that counts", async () => {
    const run = await prepared([
      await work.run("run.jsonl", [
        { old_log_probs: [null, -2.25, -3], reward: 1, step: 3 },
        { response_mask: [0, 0, 0], step: 3 },
        { step: 4 },
      ]),
    ]);
    const { columns, length } = await readTable(run);
    expect(length).toBe(3);
    expect([...columns.tokens]).toEqual([2, 0, 3]);
    expect(columns.worst_token[1]).toBe(-1);
    expect(columns.delta_mean[1]).toBeNaN();
    expect(decodeSequence((await run.sequence(0))!).trainer[0]).toBeNaN();
    expect((await json<CorrectBins>(run, "correct-bins")).groups.map(({ name }) => name)).toEqual([
      "unknown",
    ]);
    const { answer } = await run.correct(asking("weight:token truncate:..1.2"));
    expect(answer).toMatchObject({ kept_tokens: 5, kept_sequences: 2, clipped: 1, dropped_right: null });
  });

  it("shows a prompt that is known as text only, at one token", async () => {
    const run = await prepared([await work.run("run.jsonl", [{ input: "What is 2 + 2?" }])]);
    expect((await readTexts(run, 0))[0]).toBe("What is 2 + 2?");
    expect(run.info.has.prompts).toBe(true);
    const redacted = await prepared([work.path("run.jsonl")], { redact: "text" });
    expect(await readTexts(redacted, 0)).toEqual(["#1", "#2", "#3"]);
  });

  it("refuses what the verbs that compare refuse", async () => {
    const one = await work.run("one.jsonl", [{ old_log_probs: undefined }]);
    await expect(prepareRun([one])).rejects.toMatchObject({ _tag: "MissingSideError" });
    await expect(prepareRun([work.path("gone")])).rejects.toMatchObject({ _tag: "NotFoundError" });
    const names = await readdir(join(work.folder, ".logratio/view")).catch(() => []);
    expect(names).toEqual([]);
  });
});

describe("the cache", () => {
  it("lies beside the data and is used again while nothing has changed", async () => {
    const file = await work.run("dumps/step_1.jsonl", [{}]);
    const first = await prepared([work.path("dumps")]);
    expect([first.reused, first.directory.startsWith(work.path("dumps/.logratio/"))]).toEqual([false, true]);
    const second = await prepared([work.path("dumps")]);
    expect([second.reused, second.info]).toEqual([true, first.info]);
    expect(await second.answer("tokens")).toEqual(await first.answer("tokens"));

    await utimes(file, new Date(), new Date(Date.now() - 60_000));
    const third = await prepared([work.path("dumps")]);
    expect([third.reused, third.info.version === first.info.version]).toEqual([false, false]);
    expect(await readdir(work.path("dumps/.logratio/view"))).toHaveLength(1);
    // An open run outlives its files.
    expect(await first.sequence(0)).toBeDefined();
    expect(await first.topK(0, 0, 1)).toBeDefined();
    expect((await readTable(first)).length).toBe(1);
  });

  it("is another one for other files, steps, texts", async () => {
    await work.run("dumps/step_1.jsonl", [{}]);
    const versions = new Set<string>();
    const add = async (options: PrepareOptions): Promise<void> => {
      const run = await prepared([work.path("dumps")], options);
      expect(run.reused).toBe(false);
      versions.add(run.info.version);
    };
    await add({});
    await add({ redact: "text" });
    await add({ tokenizer: DEMO_TOKENIZER });
    await add({ read: { steps: (step) => step === 1 }, flags: ["--steps", "1"] });
    await work.run("dumps/step_2.jsonl", [{}]);
    await add({});
    expect(versions.size).toBe(5);
    await expect(prepareRun([work.path("dumps")], { read: { steps: () => true } })).rejects.toThrow("flags");
  });

  it("goes to the user's cache directory where the data's may not be written to", async () => {
    await work.run("dumps/step_1.jsonl", [{}]);
    await writeFile(work.path("dumps/.logratio"), "a file in the way, as a read-only disk would be");
    const before = process.env.XDG_CACHE_HOME;
    process.env.XDG_CACHE_HOME = work.path("home");
    try {
      const run = await prepared([work.path("dumps")]);
      expect(run.directory.startsWith(work.path("home/logratio/view/"))).toBe(true);
      expect((await prepared([work.path("dumps")])).reused).toBe(true);
      process.env.XDG_CACHE_HOME = work.path("dumps/.logratio/never");
      await expect(prepareRun([work.path("dumps")])).rejects.toMatchObject({
        message: expect.stringContaining("cannot be written"),
        hint: expect.stringContaining("--cache"),
      });
    } finally {
      if (before === undefined) delete process.env.XDG_CACHE_HOME;
      else process.env.XDG_CACHE_HOME = before;
    }
  });

  it("never appears by half", async () => {
    await work.run("dumps/step_1.jsonl", [{}]);
    const stop = new AbortController();
    stop.abort();
    await expect(prepareRun([work.path("dumps")], { signal: stop.signal })).rejects.toThrow();
    expect(await readdir(work.path("dumps/.logratio/view"))).toEqual([]);
    await mkdir(work.path("dumps/.logratio/view/half"));
    expect((await prepared([work.path("dumps")])).reused).toBe(false);
    expect(await readFile(work.path("dumps/step_1.jsonl"), "utf8")).toContain("response_ids");
  });
});
