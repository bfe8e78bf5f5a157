/**
 * Verbs beside the library's functions: both give the same object, and the command line does no more than print it.
 *
 * @module
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { correctRun } from "../../../analyses/runs/correct-run.ts";
import { digitsRun } from "../../../analyses/runs/digits-run.ts";
import { divergenceRun } from "../../../analyses/runs/divergence-run.ts";
import { showRun } from "../../../analyses/runs/show-run.ts";
import type { LoggedStep } from "../../../analyses/runs/step-log.ts";
import { sweepRun } from "../../../analyses/runs/sweep-run.ts";
import { resultJson } from "../../../core/base/json.ts";
import { klRun } from "../../../parts/kl-run.ts";
import type { ExitStatus } from "../exit-status.ts";
import type { Terminal } from "../terminal.ts";
import { captured, DEMO } from "./captured.test-data.ts";
import { correct } from "./correct.ts";
import { digits } from "./digits.ts";
import { divergence } from "./divergence.ts";
import { kl } from "./kl.ts";
import { show } from "./show.ts";
import { sweep } from "./sweep.ts";

const asJson = (value: unknown): unknown => JSON.parse(resultJson(value));

async function printed(verb: (terminal: Terminal) => Promise<ExitStatus>): Promise<unknown> {
  return JSON.parse((await captured(verb)).out);
}

describe("sweepRun", () => {
  it.each([
    {},
    { steps: "10..40", filter: "abs>0.001", methods: "token-tis,icepop", for: "verl,xtuner" },
    { setting: ["openrlhf:is_correction_level=token"], choose: "icepop 0.5-5", methods: "icepop" },
  ])("gives what sweep --json prints, with %o", async (options) => {
    const result = await sweepRun(DEMO, options);
    expect(asJson(result)).toEqual(
      await printed((terminal) => sweep([DEMO], { ...options, json: true }, terminal)),
    );
  });

  it("keeps what was read until it is stopped, and nothing until it is aborted", async () => {
    let asked = 0;
    const { metrics } = await sweepRun(DEMO, { methods: "icepop", isStopped: () => ++asked > 1 });
    const { metrics: all } = await sweepRun(DEMO, { methods: "icepop" });
    expect(metrics.sequences).toBeGreaterThan(0);
    expect(metrics.sequences).toBeLessThan(all.sequences);
    const reason = new Error("enough");
    await expect(sweepRun(DEMO, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it("refuses a correction that is not among them before it reads", async () => {
    await expect(sweepRun("nowhere", { choose: "tis" })).rejects.toThrow('unknown correction "tis"');
    await expect(sweepRun("nowhere", { for: "tis" })).rejects.toThrow('unknown preset "tis"');
  });
});

describe("correctRun", () => {
  it.each([
    { preset: "verl", set: ["rollout_is=token"] },
    { correction: "weight:token truncate:..2", steps: "10..20" },
  ])("gives what correct --json prints, with %o", async (options) => {
    const result = await correctRun(DEMO, options);
    expect(asJson(result)).toEqual(
      await printed((terminal) => correct([DEMO], { ...options, json: true }, terminal)),
    );
  });

  const weighted = { preset: "verl", set: ["rollout_is=token"], steps: "10..30" };
  const normalized = { ...weighted, set: [...weighted.set, "rollout_is_batch_normalize=true"] };

  it("writes whole files, and nothing if it is aborted", async () => {
    const out = join(temporaryFolder("correct-run"), "corrected.parquet");
    expect((await correctRun(DEMO, { ...normalized, out })).written).toEqual([out]);
    const reason = new Error("enough");
    await expect(correctRun(DEMO, { ...weighted, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it.each([
    ["its only read", weighted, 1],
    ["the first of two reads", normalized, 1],
    // A read of three files asks four times.
    ["the second read", normalized, 5],
  ])("keeps the figures, and no incomplete file, when it is stopped in %s", async (_, options, questions) => {
    const folder = temporaryFolder("correct-run");
    let asked = 0;
    const isStopped = (): boolean => ++asked > questions;
    const { written, metrics } = await correctRun(DEMO, {
      ...options,
      out: join(folder, "c.parquet"),
      isStopped,
    });
    expect(metrics?.sequences).toBeGreaterThan(0);
    expect([written, readdirSync(folder)]).toEqual([[], []]);
  });

  it("refuses before it reads", async () => {
    await expect(correctRun("nowhere", {})).rejects.toThrow("--preset is missing");
    await expect(correctRun("nowhere", { preset: "verl", correction: "mask" })).rejects.toThrow(
      "cannot be combined",
    );
    const out = { preset: "verl", set: ["rollout_is=token", "rollout_is_batch_normalize=true"], out: "w/" };
    await expect(correctRun("-", out)).rejects.toThrow("standard input can be read only once");
  });
});

describe("digitsRun", () => {
  const tokenizer = join(DEMO, "tokenizer");

  it.each([
    { tokenizer },
    { tokenizer, steps: "10..20", sequences: 3 },
    { tokenizer, steps: "10", rollout: "rollout_log_probs", trainer: "rollout_log_probs" },
  ])("gives what digits --json prints, with %o", async (options) => {
    const result = await digitsRun(DEMO, options);
    const { sequences, ...flags } = { sequences: undefined, ...options };
    const words = { ...flags, json: true, ...(sequences !== undefined && { sequences: `${sequences}` }) };
    expect(asJson(result)).toEqual(await printed((terminal) => digits([DEMO], words, terminal)));
  });

  it("says what it needs, as the command line does", async () => {
    await expect(digitsRun(DEMO, { steps: "10" })).rejects.toThrow(
      "finding the digits needs the model's tokenizer",
    );
    await expect(digitsRun(DEMO, { tokenizer, digitIds: "1" })).rejects.toThrow("cannot be combined");
  });
});

describe("showRun", () => {
  const tokenizer = join(DEMO, "tokenizer");

  it.each([
    ["worst", {}],
    ["worst", { by: "raw", tokenizer }],
    ["s30.q48", { metric: "rho", scale: 3 }],
    ["s30.q48.t39", { steps: "10..30", tokenizer }],
  ] as const)("gives what show --json prints, of %s with %o", async (handle, options) => {
    const result = await showRun(DEMO, handle, options);
    const { scale, ...flags } = { scale: undefined, ...options };
    const words = { ...flags, json: true, ...(scale !== undefined && { scale: `${scale}` }) };
    expect(asJson(result)).toEqual(await printed((terminal) => show([DEMO, handle], words, terminal)));
  });

  it("fails as the command line does where there is no such sequence, and where it is aborted", async () => {
    await expect(showRun(DEMO, "s31.q48")).rejects.toThrow("there is no sequence s31.q48");
    await expect(showRun(DEMO, "s30.q48", { by: "raw" })).rejects.toThrow("--by needs worst");
    const reason = new Error("enough");
    await expect(showRun(DEMO, "worst", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe("divergenceRun", () => {
  it.each([{}, { steps: "10..40", every: 20, threshold: 0.3, lean: true, topK: 3, promptChars: null }])(
    "gives what divergence --json prints, with %o",
    async (options) => {
      const result = await divergenceRun(DEMO, options);
      const { steps, lean } = { steps: "0..1000", lean: false, ...options };
      const words = { steps, lean, every: "20", threshold: "0.3", topK: "3", promptChars: "all", json: true };
      const given = "every" in options ? words : { json: true };
      expect(asJson(result)).toEqual(await printed((terminal) => divergence([DEMO], given, terminal)));
    },
  );

  it("hands each step on, and keeps the records of those that are in no file", async () => {
    const steps: (number | null)[] = [];
    const options = {
      steps: "10..30",
      threshold: 0.3,
      onStep: ({ step }: LoggedStep) => steps.push(step.step),
    };
    const kept = await divergenceRun(DEMO, options);
    expect(steps).toEqual(kept.per_step.filter(({ logged }) => logged).map(({ step }) => step));
    const out = join(temporaryFolder("divergence-run"), "log.jsonl");
    const written = await divergenceRun(DEMO, { ...options, out });
    expect([written.records, written.outputs[0]?.lines]).toEqual([null, kept.records!.length]);
    const lines = readFileSync(out, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(asJson(kept.records));
  });

  it("ends where the file cannot be written, unless somebody is told", async () => {
    const folder = temporaryFolder("divergence-run");
    writeFileSync(join(folder, "file"), "");
    const options = { steps: "30", out: join(folder, "file", "log.jsonl") };
    await expect(divergenceRun(DEMO, options)).rejects.toThrow("cannot append to");
    const errors: string[] = [];
    const onUnwritten = ({ message }: Error): number => errors.push(message);
    const { records } = await divergenceRun(DEMO, { ...options, onUnwritten });
    expect([records?.length, errors.length]).toEqual([5, 1]);
  });
});

describe("klRun", () => {
  const logits = join(DEMO, "..", "kl", "logits.npz");
  const tokenizer = join(DEMO, "tokenizer");

  it("scores texts, and gives what kl --json prints, with its defaults and others", async () => {
    const out = join(temporaryFolder("kl-run"), "example.study");
    for (const options of [
      {},
      { topK: 3, stage: ["early=1..200"], spikes: "adaptive", bootstrap: 20, seed: 7 },
    ]) {
      const asked = { reference: "dpo", tokenizer, out, ...options };
      const result = await klRun(logits, asked);
      expect(Object.keys(result.checkpoints)).toEqual(["rlvr_step_100", "rlvr_step_1000"]);
      rmSync(out, { recursive: true });
      expect(asJson(result)).toEqual(
        await printed((terminal) => kl([logits], { ...asked, json: true }, terminal)),
      );
      rmSync(out, { recursive: true });
    }
  });

  it("keeps the scores so far when it is aborted, and tells what scoring found", async () => {
    const out = join(temporaryFolder("kl-run"), "example.study");
    const asked = { reference: "dpo", tokenizer, out };
    const [aborter, reason] = [new AbortController(), new Error("enough")];
    const ended: boolean[] = [];
    const stopped = klRun(logits, {
      ...asked,
      signal: aborter.signal,
      onScore: ({ policyNumber }) => policyNumber === 2 && aborter.abort(reason),
      onScored: ({ interrupted }) => ended.push(interrupted),
    });
    await expect(stopped).rejects.toBe(reason);
    const policies = new Set<string>();
    await klRun(logits, { ...asked, onScore: ({ policy }) => policies.add(policy) });
    expect(ended).toEqual([true]);
    expect(policies).not.toContain("dpo");
    expect(policies).toContain("rlvr_step_1000");
  });

  it("refuses before it scores", async () => {
    const folder = temporaryFolder("kl-run");
    writeFileSync(join(folder, "texts.jsonl"), "");
    const asked = { reference: "dpo", out: folder };
    await expect(klRun(logits, asked)).rejects.toThrow("would replace");
    await expect(klRun(logits, { ...asked, stage: "early" })).rejects.toThrow("--stage must have the form");
    await expect(klRun("nowhere.yaml")).rejects.toThrow("nowhere.yaml cannot be read");
    expect(readdirSync(folder)).toEqual(["texts.jsonl"]);
  });
});
