import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GOLDEN, warnIfAbsent } from "../../../../test/support/shared-data.ts";
import { openRun } from "../../../ingest/open-run.ts";
import type { DigitsReport } from "../../../results/digits.ts";
import type { PolicyReport } from "../../../results/policy.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { ShowReport } from "../../../results/show.ts";
import { policyPages } from "../../viewer/policy/pages.ts";
import { preparePolicy } from "../../viewer/policy/prepare-policy.ts";
import { EXIT } from "../exit-status.ts";
import { type Captured, captured } from "./captured.test-data.ts";
import { convert } from "./convert.ts";
import { digits } from "./digits.ts";
import type { ReportOptions } from "./print-report.ts";
import { report } from "./report.ts";
import { show } from "./show.ts";
import { sweep } from "./sweep.ts";

/** Two sequences of three tokens as verl pads them. */
const BATCH = {
  responses: [
    [11, 12, 13],
    [14, 15, 0],
  ],
  response_mask: [
    [1, 1, 1],
    [1, 1, 0],
  ],
  rollout_log_probs: [
    [-0.5, -1.5, -0.25],
    [-3, -0.125, 0],
  ],
};
const TRAINER = { old_log_probs: BATCH.rollout_log_probs.map((row) => row.map((x) => x - 0.0625)) };
const { rollout_log_probs: _, ...REST } = BATCH;

let directory = "";
const path = (name: string): string => join(directory, name);
const put = (name: string, value: object): Promise<void> => writeFile(path(name), JSON.stringify(value));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "logratio-one-"));
  for (const folder of ["mixed", "covered", "halves", "sides"]) await mkdir(path(folder));
  await put("rollout.json", { ...BATCH, global_step: 4 });
  await put("trainer.json", { ...REST, ...TRAINER, global_step: 4 });
  await put("mixed/step_1.json", { ...BATCH, ...TRAINER });
  await put("mixed/step_2.json", BATCH);
  await put("mixed/step_3.json", BATCH);
  await put("covered/step_1.json", { ...BATCH, ...TRAINER });
  await put("covered/rollout_step_1.json", BATCH);
  await put("halves/step_1.json", BATCH);
  await put("halves/step_2.json", { ...REST, ...TRAINER });
  await put("sides/rollout_step_1.json", BATCH);
  await put("sides/trainer_step_1.json", { ...REST, ...TRAINER });
});

afterAll(() => rm(directory, { recursive: true }));

const run = (name: string, options: ReportOptions = {}): Promise<Captured> =>
  captured((terminal) => report([path(name)], options, terminal));
const json = async (name: string, options: ReportOptions = {}): Promise<PolicyReport> =>
  JSON.parse((await run(name, { ...options, json: true })).out) as PolicyReport;

describe("report of one policy", () => {
  it("says first what it is and gives no verdict, then what makes a comparison of it", async () => {
    const { status, out } = await run("rollout.json", { brief: true });
    expect(status).toBe(EXIT.fine);
    expect(out).toContain(
      "• One policy: rollout log-probs only (verl generation batch): there is no second policy to compare",
    );
    const next = out.indexOf("next");
    expect(out.slice(next)).toMatch(
      /^next\s+to compare the policies, add the trainer side: make verl write both:/,
    );
    // The lines are whole, however narrow the terminal is: they are to be pasted.
    expect(out.slice(next)).toContain("calculate_log_probs=True");
    expect(next).toBeLessThan(out.indexOf("logratio show"));
    expect(out).not.toContain("mean |Δ|");
  });

  it("has the figures and whose they are in --json", async () => {
    const result = await json("rollout.json");
    expect(result).toMatchObject({
      ...{ kind: "report", policies: "rollout", schemaVersion: 1, what: "verl generation batch" },
      missing: { side: "trainer" },
      metrics: { sequences: 2, tokens: 5, steps: 1, log_prob_mean: -5.375 / 5 },
    });
    const perSequence = (Math.exp(0.75) + Math.exp(1.5625)) / 2;
    expect(result.metrics.mismatch_rollout_ppl).toBeCloseTo(perSequence, 6);
    expect(result.sources[0]).toMatchObject({ trainer: "verl", sequences: 2 });
    expect(result).not.toHaveProperty("verdict");
  });

  it("calls the trainer's perplexity as xtuner does without rollout log-probs", async () => {
    const result = await json("trainer.json");
    expect([result.policies, result.missing.side]).toEqual(["trainer", "rollout"]);
    expect(result.metrics.mismatch_training_ppl).toBeCloseTo((Math.exp(0.8125) + Math.exp(1.625)) / 2, 6);
    expect((await run("trainer.json")).out).toMatch(/mismatch_training_ppl with\s+rollout_log_prob=None/);
  });

  it("filters, prints Markdown and a page, and refuses what needs both", async () => {
    expect((await json("rollout.json", { filter: "row:1" })).metrics.sequences).toBe(1);
    expect((await run("rollout.json", { markdown: true })).out).toContain("One policy");
    await run("rollout.json", { html: path("page.html") });
    expect(readFileSync(path("page.html"), "utf8")).toContain("Least likely tokens");
    await expect(run("rollout.json", { parity: "verl" })).rejects.toThrow(
      "--parity needs both policies, but there are only rollout log-probs",
    );
    await expect(captured((terminal) => sweep([path("rollout.json")], {}, terminal))).rejects.toMatchObject({
      _tag: "MissingSideError",
      message:
        "a verl generation batch holds the rollout policy's log-probs only: the trainer side is missing",
    });
  });
});

describe("one-sided files beside complete ones", () => {
  it("are skipped and counted where no complete file has their step", async () => {
    const { status, out } = await run("mixed", { json: true });
    const { metrics, left_out } = JSON.parse(out) as MismatchReport;
    expect([status, metrics.sequences]).toEqual([EXIT.skipped, 2]);
    expect(left_out).toEqual([
      expect.objectContaining({ count: 2, unit: "file", why: "incomparable", severity: "skipped" }),
    ]);
  });

  it("lose nothing where one has", async () => {
    const { status, out } = await run("covered", { json: true });
    const { metrics, left_out } = JSON.parse(out) as MismatchReport;
    expect([status, metrics.sequences]).toEqual([EXIT.fine, 2]);
    expect(left_out).toEqual([expect.objectContaining({ count: 1, why: "no_data", severity: "info" })]);
  });

  it("of the other policy are joined to them, or refused where no sequence has a counterpart", async () => {
    await expect(run("halves", { json: true })).rejects.toMatchObject({
      _tag: "SchemaError",
      message: expect.stringMatching(
        /^none of 2 sequences in .*step_1\.json has a counterpart among the 2 in /,
      ),
    });
    const { status, out } = await run("sides", { json: true });
    const { metrics } = JSON.parse(out) as MismatchReport;
    expect([status, metrics.sequences, metrics.tokens]).toEqual([EXIT.fine, 2, 5]);
  });

  it("stay refused where nobody asks for one policy", async () => {
    await expect(openRun([path("rollout.json")])).rejects.toMatchObject({ _tag: "MissingSideError" });
  });
});

describe("columns by flags", () => {
  it.each([
    ["rollout", "lp"],
    ["trainer", "lp"],
  ] as const)("--%s alone is enough", async (side, column) => {
    await put("own.json", { lp: BATCH.rollout_log_probs, ids: BATCH.responses });
    const result = await json("own.json", { [side]: column, tokens: "ids" });
    expect([result.policies, result.metrics.tokens, result.what]).toEqual([side, 6, "generic json"]);
    expect(result.missing.hint).toBe(`name it: --${side === "rollout" ? "trainer" : "rollout"} COLUMN`);
  });
});

describe("other verbs of one policy", () => {
  it("shows a sequence by its log-probs", async () => {
    const shown = async (options: object): Promise<Captured> =>
      captured((terminal) => show([path("rollout.json"), "worst"], options, terminal));
    const result = JSON.parse((await shown({ json: true })).out) as ShowReport;
    expect(result).toMatchObject({
      policies: "rollout",
      metric: { name: "logp" },
      sequence: {
        handle: "s4.q1",
        log_prob_mean: -1.5625,
        log_prob_min: -3,
        delta_abs_mean: null,
        missing: 0,
      },
      token: { handle: "s4.q1.t0", rollout_logprob: -3, trainer_logprob: null, delta: null },
    });
    const { out } = await shown({});
    expect(out).toContain("one policy: rollout log-probs only");
    expect(out).toContain("mean log p -1.56 · perplexity 4.77 · least log p -3.00 at t0");
    expect(out).not.toContain("trainer − rollout");
    await expect(shown({ metric: "delta" })).rejects.toThrow(
      "--metric delta compares the policies: the input has rollout log-probs only",
    );
  });

  it("reads digits of the trainer's log-probs alone", async () => {
    const options = { json: true, digitIds: "10,11,12,13,14,15,16,17,18,19" };
    const { out } = await captured((terminal) => digits([path("trainer.json")], options, terminal));
    const result = JSON.parse(out) as DigitsReport;
    expect([result.policy, result.metrics.total_digits]).toEqual(["trainer", 5]);
    expect(result.metrics.avg_digit_log_prob).toBeCloseTo(-5.375 / 5 - 0.0625, 12);
    expect(result.absent[0]).toBe("no rollout log-probs: the policies are not compared");
  });

  it("converts to a record that is read back as the same", async () => {
    const out = path("record.parquet");
    await captured((terminal) => convert([path("rollout.json")], { out }, terminal));
    const result = await json("record.parquet");
    expect([result.policies, result.metrics.tokens, result.metrics.log_prob_mean]).toEqual([
      "rollout",
      5,
      -5.375 / 5,
    ]);
    expect(result.missing.message).toBe("the record has no trainer_logprobs: it holds one policy only");
  });
});

describe("digit distributions", () => {
  const P = [
    [0.05, 0.5, 0.2, 0.05, 0.05, 0.05, 0.04, 0.03, 0.02, 0.01],
    [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1],
  ];
  const batch = { responses: [[11, 13]], rollout_log_probs: [[-0.7, -2.3]], response_mask: [[1, 1]] };
  const digitIds = "10,11,12,13,14,15,16,17,18,19";
  const DIGITS = [1, 3];
  const mean = (of: (p: number[], digit: number) => number): number =>
    P.map((p, i) => of(p, DIGITS[i]!)).reduce((a, b) => a + b) / P.length;
  const expected = (p: number[]): number => p.reduce((sum, x, digit) => sum + x * digit, 0);

  it.each([
    ["digit_log_probs", (p: number) => Math.log(p)],
    ["digit_probs", (p: number) => p],
    ["digit_distributions", (p: number) => Math.log(p)],
    ["digit_distributions", (p: number) => p],
  ] as const)("are read from %s [B, T, 10]", async (name, of) => {
    await put("digits.json", { ...batch, [name]: [P.map((row) => row.map(of))] });
    const { out } = await captured((terminal) =>
      digits([path("digits.json")], { json: true, digitIds }, terminal),
    );
    const [own] = (JSON.parse(out) as DigitsReport).distributions;
    expect(own).toMatchObject({ policy: "recorded distributions", positions: 2, complete: 2, unknown: 0 });
    expect(own!.expected_digit.estimate).toBeCloseTo(mean(expected), 10);
    expect(own!.ntl_mse.estimate).toBeCloseTo(
      mean((p, digit) => (expected(p) - digit) ** 2),
      10,
    );
    const wasserstein = mean((p, truth) => p.reduce((sum, x, digit) => sum + x * Math.abs(digit - truth), 0));
    expect(own!.ntl_wasserstein.estimate).toBeCloseTo(wasserstein, 10);
    // Nothing is open, so the bounds meet.
    expect(own!.ntl_mse.high).toBeCloseTo(own!.ntl_mse.low, 12);
  });

  it("counts positions where none was recorded, or zeros were filled in", async () => {
    await put("digits.json", { ...batch, digit_log_probs: [[P[0]!.map(Math.log), P[0]!.map(() => 0)]] });
    const { out } = await captured((terminal) =>
      digits([path("digits.json")], { json: true, digitIds }, terminal),
    );
    expect((JSON.parse(out) as DigitsReport).distributions[0]).toMatchObject({ positions: 1, unknown: 1 });
  });

  it("refuses one of another width", async () => {
    await put("digits.json", { ...batch, digit_probs: [P.map((row) => row.slice(1))] });
    await expect(
      captured((terminal) => digits([path("digits.json")], { digitIds }, terminal)),
    ).rejects.toThrow(/digit_probs is .*: expected 10 numbers per token/);
  });
});

warnIfAbsent("digits of a rollout as the reference has them", GOLDEN);

describe.skipIf(!existsSync(GOLDEN))("the digits of a rollout (ntl_info)", () => {
  it.each([0, 1, 2, 3])("give the reference's figures without a tokenizer: case %i", async (at) => {
    const { expected } = JSON.parse(readFileSync(`${GOLDEN}ntl-${at}.json`, "utf8")) as {
      expected: {
        digit_log_probs: number[][][];
        digit_positions: number[][];
        digit_ground_truth: number[][];
        mse: { ntl_loss: number; digit_accuracy: number; total_digits: number };
        wasserstein: { ntl_loss: number };
        proxy: { digit_log_probs_selected: number[][]; ntl_loss: number };
      };
    };
    const { mse, wasserstein, proxy, digit_log_probs, digit_positions, digit_ground_truth } = expected;
    const { digit_log_probs_selected } = proxy;
    const info = { digit_positions, digit_ground_truth, digit_log_probs_selected, digit_log_probs };
    await put("ntl.json", { ntl_info: info });
    const reading = captured((terminal) => digits([path("ntl.json")], { json: true }, terminal));
    if (mse.total_digits === 0) return expect(reading).rejects.toThrow();
    const { metrics, distributions } = JSON.parse((await reading).out) as DigitsReport;
    expect(metrics.total_digits).toBe(mse.total_digits);
    expect(metrics.ntl_loss).toBeCloseTo(proxy.ntl_loss, 5);
    expect(distributions[0]!.ntl_mse.estimate).toBeCloseTo(mse.ntl_loss, 4);
    expect(distributions[0]!.ntl_wasserstein.estimate).toBeCloseTo(wasserstein.ntl_loss, 5);
    expect(distributions[0]!.digit_accuracy.estimate).toBeCloseTo(mse.digit_accuracy, 6);
  });
});

describe("pages of one policy", () => {
  it("are whole without the other side, and say what needs it", async () => {
    const view = await preparePolicy([path("rollout.json")], { read: {}, flags: [] });
    const pages = policyPages(view);
    const get = async (at: string): Promise<readonly [number, string]> => {
      const answer = await pages.request(at);
      return [answer.status, await answer.text()];
    };
    const [status, overview] = await get("/");
    expect(status).toBe(200);
    expect(overview).toContain("One policy: rollout log-probs only (verl generation batch)");
    expect(overview).not.toContain("<style>");
    expect((await get("/sequences"))[1]).toContain('<a href="/sequence/s4.q1">s4.q1</a>');
    const sorted = (await get("/sequences?by=ppl"))[1];
    expect(sorted.indexOf("s4.q1<")).toBeLessThan(sorted.indexOf("s4.q0<"));
    const [, sequence] = await get("/sequence/s4.q1");
    expect(sequence).toContain('<span id=t0 class=p3 title="t0 · id 14 · log p -3.00, p 0.0498">');
    expect(sequence).toContain("<span id=t1 title=");
    expect((await get("/correct"))[1]).toContain(
      "A correction needs both policies, and the files have rollout log-probs only.",
    );
    expect((await get("/sequence/s4.q7"))[0]).toBe(404);
    expect((await get("/style.css"))[1]).toContain(".tokens");
  });

  it("shows neither texts nor tokens where they are redacted", async () => {
    const view = await preparePolicy([path("rollout.json")], { read: {}, flags: [], redact: "text" });
    const { tokens } = await view.readSequence("s4.q1");
    expect(tokens.map(({ id }) => id)).toEqual([null, null]);
  });
});
