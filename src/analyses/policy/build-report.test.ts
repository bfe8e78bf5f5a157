import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { MissingSideError } from "../../core/base/errors.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import type { PolicyReport } from "../../results/policy.ts";
import type { SourceSummary } from "../../results/report.ts";
import { buildPolicyReport, type PolicyReportInput } from "./build-report.ts";
import { PolicyRun } from "./policy-run.ts";

type Source = Omit<SourceSummary, "sequences">;
const source = (file: string, more: Partial<Source> = {}): Source =>
  ({ file, format: "npz", trainer: "verl", step: null, rank: null, ...more }) as Source;

function rolloutOnly(batch: RecordBatch): RecordBatch {
  const { trainerLogprobs: _, ...rest } = batch;
  return rest;
}

const batch = rolloutOnly(
  recordBatch(
    [
      { deltas: "0", rollout: -3, step: 2, rank: 0 },
      { deltas: "0 0", rollout: -1, step: 1, rank: 1 },
    ],
    "a.npz",
  ),
);

function build(
  more: Partial<PolicyReportInput> = {},
  batches: readonly RecordBatch[] = [batch],
): PolicyReport {
  const run = new PolicyRun("rollout");
  for (const each of batches) run.add(each);
  return buildPolicyReport({
    run: "a run",
    result: run.result(),
    error: new MissingSideError("no trainer", { likely: "not switched on", hint: "switch it on" }),
    paths: ["a.npz", "b c.npz"],
    flags: [],
    findings: [],
    sources: [source("a.npz")],
    ...more,
  });
}

describe("the report of one policy", () => {
  it("says what the files are, and whose", () => {
    expect(build()).toMatchObject({ kind: "report", run: "a run", what: "verl npz", trainers: ["verl"] });
    expect(build({ what: "a rollout dump" }).what).toBe("rollout dump");
    expect(build({ what: "an xtuner dump" }).what).toBe("xtuner dump");
    expect(build({ what: "another dump" }).what).toBe("another dump");
    const sources = [
      source("a.npz"),
      source("b.npz"),
      source("c.json", { trainer: "slime", format: "json" }),
    ];
    expect(build({ sources })).toMatchObject({ what: "verl npz, slime json", trainers: ["verl", "slime"] });
  });

  it("says which side is missing, why and what to do", () => {
    expect(build().missing).toEqual({
      side: "trainer",
      message: "no trainer",
      likely: "not switched on",
      hint: "switch it on",
    });
    expect(build({ error: new MissingSideError("no trainer") }).missing).toMatchObject({
      likely: null,
      hint: null,
    });
    const run = new PolicyRun("trainer");
    run.add(recordBatch([{ deltas: "0" }]));
    expect(build({ result: run.result() }).missing.side).toBe("rollout");
  });

  it("counts the sequences of each source", () => {
    const { sources } = build({ sources: [source("a.npz"), source("none.npz")] }, [batch, batch]);
    expect(sources.map(({ file, sequences }) => [file, sequences])).toEqual([
      ["a.npz", 4],
      ["none.npz", 0],
    ]);
  });
});

describe("commands to run next", () => {
  const commands = (more: Partial<PolicyReportInput> = {}, batches?: readonly RecordBatch[]): string[] =>
    build(more, batches).next.map(({ command }) => command);

  it("show the least likely token, look at digits, and view the run", () => {
    const { next } = build();
    expect(next.map(({ command }) => command)).toEqual([
      "logratio show a.npz 'b c.npz' s2.r0.q0.t0",
      "logratio digits a.npz 'b c.npz' --tokenizer MODEL_DIR",
      "logratio view a.npz 'b c.npz'",
    ]);
    expect(next.map(({ why }) => why).join("\n")).toMatch(/least sure of.*\n.*digits\n.*token by token/);
  });

  it("keep the flags that choose what is read, without the filter", () => {
    const flags = ["--steps", "1..2", "--filter", "p<0.5", "--mask", "m"];
    for (const command of commands({ flags })) {
      expect(command).toContain("--steps 1..2 --mask m");
      expect(command).not.toMatch(/filter|p<0\.5/);
    }
    expect(commands({ flags: ["--filter", "p<0.5"] })).toEqual(commands());
  });

  it("need no tokenizer where all files are of digits", () => {
    const ntl = source("n.json", { trainer: "ntl" });
    expect(commands({ sources: [ntl] })[1]).toBe("logratio digits a.npz 'b c.npz'");
    expect(commands({ sources: [ntl, source("a.npz")] })[1]).toContain("--tokenizer");
  });

  it("are none for what was piped in, and name no token where there is none", () => {
    expect(commands({ paths: ["a.npz", "-"] })).toEqual([]);
    const masked = rolloutOnly(recordBatch([{ deltas: "| 0 |" }], "a.npz"));
    expect(commands({}, [masked]).map((command) => command.split(" ")[1])).toEqual(["digits", "view"]);
  });
});

describe("figures of a run of one policy", () => {
  const run = (...batches: readonly RecordBatch[]) => {
    const policy = new PolicyRun("rollout");
    for (const each of batches) policy.add(rolloutOnly(each));
    return policy.result();
  };

  it("count ranks and steps, and put what has no step last", () => {
    const { metrics, per_step } = run(
      recordBatch([{ deltas: "0" }, { deltas: "0", step: 10, rank: 3 }, { deltas: "0", step: 2, rank: 0 }]),
      recordBatch([{ deltas: "0", step: 2, rank: 3 }]),
    );
    expect([metrics.steps, metrics.ranks]).toEqual([2, 2]);
    expect(per_step.map(({ step, sequences }) => [step, sequences])).toEqual([
      [2, 2],
      [10, 1],
      [null, 1],
    ]);
  });

  it("sort environments by name and turns by number", () => {
    const { per_environment, per_turn } = run(
      recordBatch([
        { deltas: "0", environment: "math" },
        { deltas: "0 | 0 | 0 | 0 | 0", environment: "code" },
        { deltas: "0" },
      ]),
    );
    expect(per_environment.map(({ name, tokens }) => [name, tokens])).toEqual([
      ["code", 3],
      ["math", 1],
    ]);
    expect(per_turn.map(({ turn, tokens }) => [turn, tokens])).toEqual([
      [0, 3],
      [1, 1],
      [2, 1],
    ]);
  });

  it("split positions and probabilities at their edges", () => {
    const long = recordBatch([{ deltas: new Array(101).fill("0").join(" ") }]);
    expect(run(long).per_position.map(({ from, to, tokens }) => [from, to, tokens])).toEqual([
      [0, 1, 1],
      [1, 10, 9],
      [10, 100, 90],
      [100, 1000, 1],
    ]);
    const certain = run(
      ...[0.5, 0.99, 0.1, 1, 0.005].map((p) => recordBatch([{ deltas: "0", rollout: Math.log(p) }])),
    );
    expect(certain.per_probability.map(({ from, to, token_share }) => [from, to, token_share])).toEqual([
      [0, 0.01, 0.2],
      [0.01, 0.1, 0],
      [0.1, 0.5, expect.closeTo(0.2, 12)],
      [0.5, 0.9, expect.closeTo(0.2, 12)],
      [0.9, 0.99, expect.any(Number)],
      [0.99, 1, expect.any(Number)],
    ]);
    expect(certain.per_probability.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(5);
  });

  it("are null where there is nothing, and not 0", () => {
    const { metrics, per_probability, excluded } = run(recordBatch([{ deltas: "| 0 |" }]));
    expect(metrics).toMatchObject({
      ...{ tokens: 0, sequences_empty: 1, turns_max: 0, zeros: 0 },
      ...{ log_prob_mean: null, ppl: null, log_prob_std: null, log_prob_min: null, surprisal_max: null },
      ...{ surprisal_p50: null, surprisal_p90: null, surprisal_p99: null, surprisal_p999: null },
      ...{ surprisal_entropy_gap: null, entropy: null, reward: null, accuracy: null, zero_share: null },
    });
    expect(per_probability.every(({ token_share }) => token_share === 0)).toBe(true);
    expect(excluded).toEqual({ infinite: 0, missing: 0 });
  });

  it("list ten tokens and ten sequences, with ids, rewards and perplexities", () => {
    const many = Array.from({ length: 12 }, (_, row) => ({
      deltas: "0",
      rollout: -row - 1,
      row,
      tokenIds: [row],
    }));
    const { unlikely_tokens, unlikely_sequences } = run({
      ...recordBatch(many),
      rewards: Float64Array.from(many, (_, row) => (row === 11 ? 1 : Number.NaN)),
      entropies: { rollout: Float64Array.from(many, (_, row) => (row === 11 ? 0.5 : Number.NaN)) },
    });
    expect(unlikely_tokens.map(({ handle }) => handle)).toEqual(
      Array.from({ length: 10 }, (_, i) => `q${11 - i}.t0`),
    );
    expect(unlikely_tokens[0]).toEqual({ handle: "q11.t0", token_id: 11, log_prob: -12, entropy: 0.5 });
    expect(unlikely_tokens[1]).toMatchObject({ entropy: null });
    expect(unlikely_sequences).toHaveLength(10);
    expect(unlikely_sequences[0]).toEqual({
      ...{ handle: "q11", tokens: 1, log_prob_mean: -12, ppl: Math.exp(12), reward: 1 },
    });
    expect(unlikely_sequences[1]!.reward).toBeNull();
    const [withoutId] = run(recordBatch([{ deltas: "0" }])).unlikely_tokens;
    expect(withoutId!.token_id).toBeNull();
  });

  it("take entropy of lists only where every token of mask 1 has a whole list", () => {
    const topK = (...p: readonly number[]) => ({
      rollout: { k: 2, ids: Int32Array.of(1, 2, 1, -1), logprobs: Float32Array.from(p, Math.log) },
    });
    const entropy = (deltas: string, ...p: readonly number[]): number | null =>
      run({ ...recordBatch([{ deltas }]), topK: topK(...p) } as RecordBatch).metrics.entropy;
    expect(entropy("0 0", 0.5, 0.5, 1, 0.7)).toBeCloseTo(Math.LN2 / 2, 6);
    // Within float32's errors of 1, and beyond them.
    expect(entropy("0 0", 0.5, 0.50005, 1, 0)).not.toBeNull();
    expect(entropy("0 0", 0.5, 0.5003, 1, 0)).toBeNull();
    expect(entropy("0 0", 0.5, 0.4997, 1, 0)).toBeNull();
    // What has mask 0 does not matter.
    expect(entropy("0 | 0 |", 0.5, 0.5, 0.3, 0)).toBeCloseTo(Math.LN2, 6);
  });
});
