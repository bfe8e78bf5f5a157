import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openRun } from "../../../ingest/open-run.ts";
import { openTokenizer } from "../../../input/tokens/open-tokenizer.ts";
import type { DivergenceReport } from "../../../results/divergence.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { SweepReport } from "../../../results/sweep.ts";
import { EXIT } from "../exit-status.ts";
import { captured, DEMO } from "./captured.test-data.ts";
import { divergence } from "./divergence.ts";
import type { ReportOptions } from "./print-report.ts";
import { report } from "./report.ts";
import { sweep } from "./sweep.ts";

const TOKENIZER = fileURLToPath(new URL("../../../../examples/demo/tokenizer", import.meta.url));

const run = (options: ReportOptions) =>
  captured((terminal) => report([DEMO], { json: true, ...options }, terminal));
const figures = async (options: ReportOptions): Promise<MismatchReport> =>
  JSON.parse((await run(options)).out) as MismatchReport;

/** |Δ| of the tokens that a look at every token keeps, and how many sequences they are of. */
async function naively(
  keeps: (token: { abs: number; text: string; turn: number; correct: number }) => boolean,
): Promise<{ tokens: number; sequences: number; mean: number }> {
  const decoder = await openTokenizer(TOKENIZER);
  let [tokens, sequences, sum] = [0, 0, 0];
  for await (const batch of (await openRun([DEMO], {})).batches()) {
    for (let row = 0; row < batch.length; row++) {
      const before = tokens;
      let turn = -1;
      for (let t = batch.offsets[row]!; t < batch.offsets[row + 1]!; t++) {
        if (batch.responseMask[t] === 0) continue;
        if (t === batch.offsets[row] || batch.responseMask[t - 1] === 0) turn++;
        const abs = Math.abs(batch.trainerLogprobs![t]! - batch.rolloutLogprobs![t]!);
        const text = decoder.textOf(batch.responseTokenIds![t]!);
        if (!keeps({ abs, text, turn, correct: batch.correctness[row]! })) continue;
        tokens++;
        sum += abs;
      }
      if (tokens > before) sequences++;
    }
  }
  return { tokens, sequences, mean: sum / tokens };
}

describe("--filter", () => {
  it("leaves the sequences that match, and says so", async () => {
    const whole = await figures({});
    const { metrics, findings } = await figures({ filter: "correct:no" });
    const wrong = whole.per_correctness.find(({ name }) => name === "incorrect")!;
    expect(metrics.sequences).toBe(wrong.sequences);
    expect(metrics.tokens).toBe(wrong.tokens);
    expect(metrics.delta_abs_mean).toBeCloseTo(wrong.delta_abs_mean!, 12);
    const said = findings.find(({ message }) => message.startsWith("--filter"))!;
    expect(said).toMatchObject({
      severity: "warning",
      count: 768 - wrong.sequences,
      omits: { why: "requested" },
    });
    expect(said.message).toContain(`${wrong.sequences} of 768 sequences`);
    expect(said.message).toContain(`${wrong.tokens.toLocaleString("en")} of 54,994 tokens`);
  });

  it("makes every figure one of the chosen tokens", async () => {
    const meant = await naively(
      ({ abs, text, turn, correct }) => abs > 0.005 && turn === 2 && /^ ?[0-9]+$/.test(text) && correct === 0,
    );
    expect(meant.tokens).toBeGreaterThan(10);
    const filter = "abs>0.005 turn:2 is:number correct:no";
    const { metrics } = await figures({ filter, tokenizer: TOKENIZER });
    expect(metrics.tokens).toBe(meant.tokens);
    expect(metrics.sequences).toBe(meant.sequences);
    expect(metrics.delta_abs_mean).toBeCloseTo(meant.mean, 9);
  });

  it("keeps the numbers of turns", async () => {
    const { per_turn } = await figures({ filter: "turn:2" });
    expect(per_turn.map(({ turn }) => turn)).toEqual([2]);
    const whole = await figures({});
    expect(per_turn[0]!.tokens).toBe(whole.per_turn[2]!.tokens);
    const far = await figures({ filter: "abs>0.05 -turn:1" });
    for (const { turn, tokens } of far.per_turn)
      expect(tokens).toBe((await naively((token) => token.abs > 0.05 && token.turn === turn)).tokens);
    expect(far.per_turn.map(({ turn }) => turn)).not.toContain(1);
    expect(far.per_turn.length).toBeGreaterThan(1);
  });

  it("is the same for sweep and divergence", async () => {
    const { metrics } = await figures({ filter: "turn:1 correct:yes" });
    const swept = await captured((terminal) =>
      sweep([DEMO], { json: true, filter: "turn:1 correct:yes" }, terminal),
    );
    expect((JSON.parse(swept.out) as SweepReport).metrics.tokens).toBe(metrics.tokens);
    const logged = await captured((terminal) =>
      divergence([DEMO], { json: true, threshold: "0.01", filter: "turn:1 correct:yes" }, terminal),
    );
    const { records, findings } = JSON.parse(logged.out) as DivergenceReport;
    expect(records!.length).toBeGreaterThan(0);
    for (const { is_correct } of records!) expect(is_correct).toBe(true);
    expect(findings.some(({ message }) => message.startsWith("--filter"))).toBe(true);
    expect(logged.status).toBe(EXIT.fine);
  });

  it("says what is wrong with it before anything is read", async () => {
    await expect(run({ filter: "abs>0.1 is:number" })).rejects.toMatchObject({
      message: "--filter with token: or is: needs a tokenizer",
      hint: expect.stringContaining("--tokenizer DIR"),
    });
    await expect(run({ filter: "rewrd<0" })).rejects.toMatchObject({
      message: '--filter: there is no field "rewrd"; the nearest is reward',
      hint: "perhaps --filter 'reward<0'",
    });
    await expect(run({ filter: " " })).rejects.toThrow("--filter is empty");
    await expect(run({ filter: "abs>99" })).rejects.toThrow("--filter matches none of the 768 sequences");
  });
});
