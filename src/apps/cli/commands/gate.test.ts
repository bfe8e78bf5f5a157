import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SaxesParser } from "saxes";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { normal, seededRandom } from "../../../../test/support/calibration/claim.ts";
import { isLogratioError } from "../../../core/base/errors.ts";
import type { GateReport } from "../../../results/gate.ts";
import { EXIT } from "../exit-status.ts";
import { type Captured, captured } from "./captured.test-data.ts";
import { type GateOptions, gate } from "./gate.ts";
import { report } from "./report.ts";

let folder: string;
let baseline: string;
let count = 0;

/** A run of so many prompts with 2 responses of 40 tokens. */
function writeRun(name: string, factor = 1, prompts = 30, last = {}): string {
  const random = seededRandom(`${name} ${factor}`);
  const rows = Array.from({ length: 2 * prompts }, (_, row) => {
    const rollout = Array.from({ length: 40 }, () => Math.fround(Math.log(0.05 + 0.85 * random())));
    const spread = 0.01 * factor * Math.exp(0.3 * normal(random));
    return {
      step: 1 + (row % 2),
      group_id: `g${row >> 1}`,
      rollout_logprobs: rollout,
      trainer_logprobs: rollout.map((value) => Math.fround(Math.min(-1e-4, value + spread * normal(random)))),
      ...(row === 0 ? last : {}),
    };
  });
  mkdirSync(join(folder, name), { recursive: true });
  const path = join(folder, name, "run.jsonl");
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return join(folder, name);
}

const run = (paths: readonly string[], options: GateOptions = {}): Promise<Captured> =>
  captured((terminal) => gate(paths, options, terminal));
const judge = async (paths: readonly string[], options: GateOptions = {}): Promise<GateReport> =>
  JSON.parse((await run(paths, { ...options, json: true })).out) as GateReport;

async function refusal(paths: readonly string[], options: GateOptions): Promise<string> {
  try {
    await run(paths, options);
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    return `${error._tag} ${error.at.line ?? "-"}: ${error.message} | ${error.hint ?? ""}`;
  }
  throw new Error("it was not refused");
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gate-"));
  const factors = [1, 1.1, 0.9, 1.05, 0.97];
  const history = factors.map((factor, at) => writeRun(`history-${at}`, factor));
  const { status, err } = await run(history, {
    update: true,
    against: join(folder, "learned.yaml"),
    date: "2026-05-06",
  });
  expect([status, err]).toEqual([EXIT.fine, expect.stringContaining("learned 7 corridors from 5 runs")]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  baseline = join(folder, `baseline-${count++}.yaml`);
  writeFileSync(baseline, readFileSync(join(folder, "learned.yaml")));
  delete process.env.GITHUB_ACTIONS;
});

const edit = (from: RegExp | string, to: string): void =>
  writeFileSync(baseline, readFileSync(baseline, "utf8").replace(from, to));

describe("a baseline", () => {
  it("is a file for reviews: runs with digests, corridors, one line for each list", () => {
    const text = readFileSync(baseline, "utf8");
    expect(text).toMatch(/^# A baseline of logratio gate\./);
    expect(text).toMatch(/\nkind: logratio-baseline\nversion: 1\nalpha: 0.01\n/);
    expect(text).toMatch(
      / {2}- name: history-0\n {4}date: 2026-05-06\n {4}files: 1\n {4}prompts: 60\n {4}sha256: [0-9a-f]{64}\n/,
    );
    expect(text).toMatch(
      / {2}delta_abs_mean:\n {4}low: 0\.00\d+\n {4}high: 0\.0\d+\n {4}scale: log\n {4}values: \[(?:0\.0\d+(?:, )?){5}\]\n {4}errors: \[(?:0\.\d+(?:, )?){5}\]\n/,
    );
    // Nothing of this machine is in it.
    expect(text).not.toContain(folder);
  });

  it("takes one more run, and a run that it has not twice", async () => {
    const update = { update: true, against: baseline };
    const more = await run([writeRun("more", 1.02)], update);
    expect(more.err).toContain("from 6 runs (before: 5)");
    await run([writeRun("more", 1.02)], update);
    const text = readFileSync(baseline, "utf8");
    expect(text.match(/sha256/g)).toHaveLength(6);
    expect((await judge([writeRun("again")], { against: baseline })).baseline).toMatchObject({ runs: 6 });
  });

  it("keeps what its owner wrote: limits, their order and comments", async () => {
    edit("\nruns:", "\nlimits:\n  # the merge bar\n  - k3 <= 0.001 # nats\n  - verdict <= high\n\nruns:");
    await run([writeRun("more", 1.02)], { update: true, against: baseline, limit: ["k3<=0.001"] });
    expect(readFileSync(baseline, "utf8")).toContain(
      "\nlimits:\n  # the merge bar\n  - k3 <= 0.001 # nats\n  - verdict <= high\n",
    );
    const { checks } = await judge([writeRun("again")], { against: baseline });
    expect(checks.slice(1, 3).map(({ condition, outcome }) => [condition, outcome])).toEqual([
      ["k3 <= 0.001", "pass"],
      ["verdict <= high", "pass"],
    ]);
    await run([writeRun("more", 1.02)], { update: true, against: baseline, replace: true });
    expect(readFileSync(baseline, "utf8")).not.toContain("\nlimits:");
  });

  it("learns the figures that were named, one for each step where they have steps", async () => {
    const paths = [0, 1, 2].map((at) => join(folder, `history-${at}`));
    const metrics = "k3, per_step.delta_abs_mean, |identity.unit_mean.z|";
    await run(paths, { update: true, against: join(folder, "named.yaml"), metrics });
    const { checks } = await judge([writeRun("again")], { against: join(folder, "named.yaml") });
    expect(checks.map(({ metric, step, outcome }) => [metric, step, outcome])).toEqual([
      ["non_finite_tokens", null, "pass"],
      ["k3", null, "pass"],
      ["per_step.delta_abs_mean[1]", 1, "pass"],
      ["per_step.delta_abs_mean[2]", 2, "pass"],
      ["|identity.unit_mean.z|", null, "pass"],
    ]);
  });

  it.each([
    [/^kind:/m, "kin:", /not a baseline of logratio gate/],
    [/version: 1/, "version: 2", /^VersionError 5: version 2 of a baseline, this logratio reads 1/],
    [/alpha: 0.01/, "alpha: 1", /^SchemaError 6: alpha must lie between 0 and 1/],
    [/alpha: 0.01/, "alpha: .nan", /^SchemaError 6: alpha must be a finite number/],
    [
      /alpha: 0.01/,
      "alpha: 0.01\nalhpa: 2",
      /^SchemaError 7: alhpa is not a known key \| known are kind, version, alpha, limits, runs, checks/,
    ],
    [
      /alpha: 0.01/,
      "alpha: 0.01\nlimits: [k3 <= x]",
      /^SchemaError 7: limits\[0\]: cannot read the condition "k3 <= x"/,
    ],
    [/files: 1/, "files: 1.5", /runs\[0\]\.files must be a positive integer/],
    [/files: 1/, "files: 1\n    owner: me", /runs\[0\]\.owner is not a known key/],
    [/files: 1/, "files: *a", /cannot parse the file|aliases/],
    [/scale: log/, "scale: cubic", /scale must be one of linear, log, below_one, root/],
    [/values: \[/, "values: [1, ", /values has 6 entries, but there are 5 runs/],
    [
      /values: \[0/,
      "values: [1",
      /has the corridor .* but its values give .* \| after an edit or a merge run --update again/,
    ],
    [/ delta_mean:/, " delta_maen:", /there is no figure "delta_maen"/],
    [/ delta_mean:/, " k3:", /cannot parse the file: Map keys must be unique/],
    [/[\s\S]*/, "", /the file is empty/],
    [/[\s\S]*/, "[1, 2]", /the file must be a map of keys and values/],
    [/[\s\S]*/, "kind: &a [*a]", /aliases/],
    [/[\s\S]*/, '{"kind": "logratio-baseline", "version": 1', /cannot parse/],
    [/runs:\n/, "runs: 7\nother:\n", /runs must be a list/],
  ])("with %s as %s is refused with its place", async (from, to, message) => {
    edit(from, to);
    expect(await refusal([join(folder, "history-0")], { against: baseline })).toMatch(message);
  });

  it("is not learned from runs that are not sound, and then stays as it was", async () => {
    const before = readFileSync(baseline, "utf8");
    const update = { update: true, against: baseline };
    expect(await refusal([writeRun("tiny", 1, 3)], update)).toMatch(
      /EmptyInputError.*240 tokens of 6 sequences: too few to learn from/,
    );
    const constant = { rollout_logprobs: Array.from({ length: 40 }, () => -0.5) };
    const flat = writeRun("flat", 1, 30, constant);
    const rows = readFileSync(join(flat, "run.jsonl"), "utf8").split("\n").slice(0, -1);
    const same = rows.map((row) => JSON.stringify({ ...JSON.parse(row), ...constant }));
    writeFileSync(join(flat, "run.jsonl"), same.join("\n"));
    expect(await refusal([flat], update)).toMatch(
      /SchemaError.*pearson of flat is n\/a, so nothing can be learned from this run/,
    );
    expect(readFileSync(baseline, "utf8")).toBe(before);
  });

  it("is not written over a file of somebody else", async () => {
    const other = join(folder, "other.yaml");
    writeFileSync(other, "a: 1\n");
    expect(await refusal([join(folder, "history-0")], { update: true, against: other })).toMatch(/--force/);
    const input = join(folder, "history-0", "run.jsonl");
    expect(await refusal([input], { update: true, against: input, force: true })).toMatch(/would replace/);
  });
});

describe("a gate", () => {
  it("passes a run like those of its history, with status 0", async () => {
    const { status, out } = await run([writeRun("sound", 1.03)], { against: baseline });
    expect(out).toMatch(/✓ PASSED +all 8 checks pass/);
    expect(out).toMatch(/pass +k3 +/);
    expect(out).toMatch(/pass +ess +0\.9+\d+ +0\.9+\d+ to 0\.9+\d+/);
    expect(status).toBe(EXIT.fine);
  });

  it("fails one that is far off, says by what, and has status 1", async () => {
    const path = writeRun("faulty", 6);
    const { status, out } = await run([path], { against: baseline });
    expect(status).toBe(EXIT.checkFailed);
    expect(out).toMatch(/FAILED +\d of 8 checks; fail: delta_abs_mean/);
    const { passed, checks, alpha } = await judge([path], { against: baseline });
    expect([passed, alpha, checks[1]?.alpha]).toEqual([false, 0.01, 0.01 / 7]);
    const check = checks.find(({ metric }) => metric === "delta_abs_mean")!;
    expect(check).toMatchObject({ kind: "corridor", outcome: "fail", line: expect.any(Number) });
    expect(check.reason).toMatch(/^above the corridor of 5 runs$/);
    expect(readFileSync(baseline, "utf8").split("\n")[check.line! - 1]).toBe("  delta_abs_mean:");
    expect(check.interval!.low).toBeGreaterThan(check.corridor!.high!);
  });

  it("fails one that is suspiciously good: nothing is recomputed any more", async () => {
    const { checks } = await judge([writeRun("equal", 0)], { against: baseline });
    expect(checks.find(({ metric }) => metric === "delta_abs_mean")).toMatchObject({
      outcome: "fail",
      value: 0,
    });
  });

  it("names a run that is too small, one whose log-probs are not finite, and a figure that is not there", async () => {
    const tiny = await judge([writeRun("tiny", 1, 3)], { against: baseline });
    expect(new Set(tiny.checks.slice(1).map(({ outcome }) => outcome))).toEqual(new Set(["too_few"]));
    expect(tiny.checks[1]?.reason).toBe(
      "240 tokens of 6 sequences; at least 1,000 tokens and 8 sequences are needed",
    );
    const bad = [...Array.from({ length: 39 }, () => -0.5), Number.NEGATIVE_INFINITY].map(String);
    const odd = writeRun("odd", 1, 30, {
      trainer_logprobs: bad.map((value) => (value === "-Infinity" ? null : Number(value))),
    });
    const { checks, passed } = await judge([odd], { against: baseline });
    expect(checks[0]).toMatchObject({ metric: "non_finite_tokens", outcome: "non_finite", value: 1 });
    expect(passed).toBe(false);
    expect((await judge([odd], { limit: ["non_finite_tokens <= 2"] })).passed).toBe(true);
    const limit = ["identity.surprisal.z <= 3"];
    expect((await judge([odd], { limit })).checks[1]).toMatchObject({ outcome: "missing" });
  });

  it("does not decide of a limit within the interval, which is not a pass unless that is allowed", async () => {
    const path = writeRun("sound", 1.03);
    const [, { value }] = (await judge([path], { limit: ["delta_abs_mean <= 1"] })).checks as [
      unknown,
      { value: number },
    ];
    const limit = [`delta_abs_mean <= ${value * 1.001}`];
    const { checks, passed } = await judge([path], { limit });
    expect([checks[1]?.outcome, passed]).toEqual(["undecidable", false]);
    expect((await run([path], { limit })).status).toBe(EXIT.checkFailed);
    expect((await run([path], { limit, allowUndecidable: true })).status).toBe(EXIT.fine);
  });

  it("judges every step by a limit on steps, and shows the worst", async () => {
    const { checks } = await judge([writeRun("sound", 1.03)], {
      limit: ["per_step.delta_abs_mean < 0.0001", "per_step.k3 < 1"],
    });
    expect(checks[1]).toMatchObject({ outcome: "fail", step: expect.any(Number) });
    expect(checks[1]?.reason).toMatch(/^2 steps of 2, worst step [12]: not < 1\.00e-4$/);
    expect(checks[2]?.reason).toBe("all 2 steps: < 1.00");
  });

  it("reads a report's JSON as its run, and logged metrics", async () => {
    const path = writeRun("sound", 1.03);
    const { out } = await captured((terminal) => report([path], { json: true }, terminal));
    const file = join(folder, "sound.json");
    writeFileSync(file, out);
    const [a, b] = [await judge([path], { against: baseline }), await judge([file], { against: baseline })];
    expect(b.checks).toEqual(a.checks);
    writeFileSync(file, out.slice(0, 3000));
    expect(await refusal([file], { against: baseline })).toMatch(/FormatError.*does not parse as JSON/);
    writeFileSync(file, out.replace(/"schemaVersion":\d+/, '"schemaVersion":9'));
    expect(await refusal([file], { against: baseline })).toMatch(/VersionError.*version 9/);
    writeFileSync(file, '{"schemaVersion":2,"kind":"report","metrics":{}}');
    expect(await refusal([file], { against: baseline })).toMatch(/SchemaError.*a report without intervals/);
    const logged = join(folder, "metrics.jsonl");
    const lines = [1, 2, 3].map((step) =>
      JSON.stringify({ step, "rollout_corr/kl": step === 2 ? 0.02 : 0.001 }),
    );
    writeFileSync(logged, `${lines.join("\n")}\n`);
    const series = await judge([logged], {
      limit: ["logged.rollout_corr/kl < 0.015", "mean(logged.rollout_corr/kl) < 0.015"],
    });
    expect(series.checks.map(({ metric, outcome, step }) => [metric, outcome, step])).toEqual([
      ["non_finite_metrics", "pass", null],
      ["logged.rollout_corr/kl", "fail", 2],
      ["mean(logged.rollout_corr/kl)", "pass", null],
    ]);
  });

  it("writes JUnit that parses, whatever is in the names", async () => {
    const junit = join(folder, "gate.xml");
    const odd = writeRun("a&b<c>\"'d", 6);
    await run([odd], { against: baseline, junit, limit: ["k3 < 1"] });
    await run([odd], { against: baseline, junit, limit: ["k3 < 1"] });
    const cases: string[] = [];
    const failures: string[] = [];
    let suite = "";
    const parser = new SaxesParser();
    parser.on("error", (error) => {
      throw error;
    });
    parser.on("opentag", ({ name, attributes }) => {
      if (name === "testcase") cases.push(`${attributes.classname} ${attributes.name}`);
      if (name === "failure") failures.push(attributes.type as string);
      if (name === "testsuite") suite = attributes.name as string;
    });
    parser.write(readFileSync(junit, "utf8")).close();
    expect(suite).toBe("a&b<c>\"'d");
    expect(cases).toHaveLength(9);
    expect(cases).toContain("logratio.gate.limit k3 < 1");
    expect(failures.length).toBeGreaterThan(2);
    expect(new Set(failures)).toEqual(new Set(["fail"]));
  });

  it("annotates the baseline's lines on GitHub, escaped", async () => {
    const odd = join(folder, "base,line: 100%.yaml");
    writeFileSync(odd, readFileSync(baseline));
    const path = writeRun("faulty", 6);
    const asked = await run([path], { against: odd, annotations: "github" });
    const lines = asked.err.split("\n").filter((line) => line.startsWith("::"));
    expect(lines[0]).toMatch(
      /^::error file=.*base%2Cline%3A 100%25\.yaml,line=\d+,title=logratio gate%3A delta_abs_mean::delta_abs_mean = 0\.\d+: fail, above the corridor of 5 runs/,
    );
    process.env.GITHUB_ACTIONS = "true";
    expect((await run([path], { against: odd })).err).toBe(asked.err);
    expect((await run([path], { against: odd, annotations: "none" })).err).not.toContain("::");
  });

  it("writes a page and Markdown", async () => {
    const html = join(folder, "gate.html");
    const { out } = await run([writeRun("faulty", 6)], { against: baseline, html, markdown: true });
    expect(out).toMatch(/\| fail +\| delta\\_abs\\_mean +\|/);
    expect(readFileSync(html, "utf8")).toContain("logratio gate");
  });

  it("fails before it warns of files that were skipped", async () => {
    const path = writeRun("sound", 1.03);
    writeFileSync(join(path, "broken.npz"), "PK no zip");
    expect((await run([path], { against: baseline })).status).toBe(EXIT.skipped);
    expect((await run([path], { limit: ["delta_abs_mean < 1e-9"] })).status).toBe(EXIT.checkFailed);
    rmSync(join(path, "broken.npz"));
  });

  it.each<[GateOptions, RegExp]>([
    [{}, /nothing to check: no --against and no --limit/],
    [{ limit: ["k3"] }, /cannot read the condition/],
    [{ limit: ["changed"] }, /changed is not a limit/],
    [{ against: "nowhere.yaml" }, /NotFoundError.*there is no baseline nowhere.yaml \| learn one/],
    [{ limit: ["k3 < 1"], json: true, markdown: true }, /cannot be combined/],
    [{ limit: ["k3 < 1"], alpha: "2" }, /--alpha must lie between 0 and 1/],
    [{ limit: ["k3 < 1"], alpha: " " }, /--alpha must lie/],
    [{ limit: ["k3 < 1"], annotations: "gitlab" }, /--annotations must be github or none/],
    [{ limit: ["k3 < 1"], metrics: "k3" }, /--metrics needs --update/],
    [{ update: true }, /--update needs --against/],
    [{ update: true, against: "x.yaml", json: true }, /--json and --update cannot be combined/],
    [{ update: true, against: "x.yaml", allowUndecidable: true }, /--allow-undecidable and --update/],
    [{ update: true, against: "x.yaml", metrics: "k3,,ess" }, /--metrics must be names/],
    [{ update: true, against: "x.yaml", metrics: "nothing" }, /there is no figure "nothing"/],
  ])("refuses %j", async (options, message) => {
    expect(await refusal([join(folder, "history-0")], options)).toMatch(message);
    expect(existsSync("x.yaml")).toBe(false);
  });

  it("leaves a baseline's alpha to the baseline", async () => {
    const options = { against: baseline, alpha: "0.05" };
    expect(await refusal([join(folder, "history-0")], options)).toMatch(/--alpha belongs to the baseline/);
  });
});
