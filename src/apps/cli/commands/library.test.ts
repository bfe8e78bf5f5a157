/**
 * Verbs beside the library's functions: both give the same object, and the command line does no more than print it.
 *
 * @module
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { digitsRun, showRun, sweepRun } from "../../../analyses/runs/index.ts";
import { resultJson } from "../../../core/base/index.ts";
import type { ExitStatus } from "../exit-status.ts";
import type { Terminal } from "../terminal.ts";
import { captured, DEMO } from "./captured.test-data.ts";
import { digits } from "./digits.ts";
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
    { setting: ["openrlhf:is_correction_type=icepop"], choose: "icepop 0.5-5", methods: "icepop" },
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
