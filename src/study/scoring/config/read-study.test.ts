import { describe, expect, test } from "vitest";
import { RL_PROBE_TEMPLATE } from "../texts/template.ts";
import { readStudy } from "./read-study.ts";

const POLICIES = { dpo: "onnx:ckpt/dpo", sft: "onnx:ckpt/sft", rlvr_step_100: "vllm:http://host:8000#m" };
const BASE = { texts: "texts.jsonl", policies: POLICIES, reference: "dpo" };

const spec = async (config: object) => (await readStudy({ ...BASE, ...config }, "out", "study.yaml")).spec;

describe("studyOf", () => {
  test("reads roles and steps from names", async () => {
    const { policies } = await spec({});
    expect(policies.map(({ name, role, step }) => [name, role, step])).toEqual([
      ["dpo", "reference", null],
      ["sft", "baseline", null],
      ["rlvr_step_100", "checkpoint", 100],
    ]);
  });

  test("takes roles, steps and stages that are given", async () => {
    const { policies } = await spec({
      policies: { ...POLICIES, final: { at: "onnx:ckpt/final", step: 300 }, rlvr_step_200: "onnx:b" },
      baselines: ["rlvr_step_100"],
      stages: { early: [100, 250], late: 300 },
    });
    expect(policies.map(({ name, role, step, stage }) => [name, role, step, stage])).toEqual([
      ["dpo", "reference", null, null],
      ["sft", "baseline", null, null],
      ["rlvr_step_100", "baseline", 100, null],
      ["rlvr_step_200", "checkpoint", 200, "early"],
      ["final", "checkpoint", 300, "late"],
    ]);
  });

  test.each([
    [{ policies: { ref: null } }, /policies\.ref must be a location such as onnx:DIR, not null/],
    [{ stages: { early: null } }, /stages\.early must be a step or \[first, last\], not null/],
  ])("a key with nothing behind it is named (%#)", async (config, message) => {
    await expect(spec(config)).rejects.toThrow(message);
  });

  test("names responses after their files", async () => {
    const { texts } = await spec({ texts: undefined, problems: "p.json", responses: "a/dpo_responses.json" });
    expect(texts.responses).toEqual({ dpo: "a/dpo_responses.json" });
    expect(texts.problems).toBe("p.json");
  });

  test("takes RL-Probe's template by its name", async () => {
    expect((await spec({ prompt_template: "rl-probe" })).texts.promptTemplate).toBe(RL_PROBE_TEMPLATE);
    expect((await spec({ prompt_template: "Q: {problem}" })).texts.promptTemplate).toBe("Q: {problem}");
  });

  test("extends categories, and takes every other setting", async () => {
    const given = {
      categories: { latex: { words: ["$"], before: "math_symbol" } },
      spikes: { method: "adaptive", threshold: 1.5, min_distance: 0 },
      pairs: [["rlvr_step_100", "sft"]],
      outcomes: "all.json",
      parity: "rl-probe",
      floor: -40,
      seed: 7,
      attention: true,
      generate: { n: 4, temperature: 0 },
      name: "a name",
    };
    const study = await spec(given);
    expect(study.analysis.categories.map(({ name }) => name).slice(0, 2)).toEqual(["latex", "math_symbol"]);
    expect(study.analysis).toMatchObject({
      spikes: { method: "adaptive", threshold: 1.5, minDistance: 0, percentile: 95 },
      rlProbe: true,
      floor: -40,
      seed: 7,
    });
    expect(study).toMatchObject({
      attention: true,
      name: "a name",
      pairs: [["rlvr_step_100", "sft"]],
      outcomes: { "": "all.json" },
      generate: { n: 4, from: "dpo", temperature: 0, topP: 1 },
    });
    expect(study.settings).toEqual({
      spikes: given.spikes,
      categories: given.categories,
      parity: "rl-probe",
      floor: -40,
      seed: 7,
      outcomes: "all.json",
    });
  });

  test.each([
    [true, ["before_error", "after_error"]],
    ["start", ["start"]],
    [
      [0.5, "after_error", 0.5],
      ["0.5", "after_error"],
    ],
    [{ at: "start" }, ["start"]],
    [{}, ["before_error", "after_error"]],
  ])("continue: %j", async (given, places) => {
    expect((await spec({ continue: given })).continue).toEqual({
      places,
      n: 4,
      temperature: 1,
      topP: 1,
      maxTokens: 1024,
      seed: 42,
    });
  });

  test("what is said under generation holds for all that is sampled, unless it says otherwise itself", async () => {
    const { generate, continue: continued } = await spec({
      generation: { temperature: 0.5, max_tokens: 9 },
      generate: { n: 2, max_tokens: 7 },
      continue: { n: 1, temperature: 0 },
    });
    expect(generate).toMatchObject({ n: 2, temperature: 0.5, maxTokens: 7 });
    expect(continued).toMatchObject({ n: 1, temperature: 0, maxTokens: 9 });
    expect((await spec({ continue: false })).continue).toBeUndefined();
  });

  test("figures and gradients", async () => {
    expect(await spec({ gradients: true, figures: { formats: ["png"], dpi: 150 } })).toMatchObject({
      gradients: true,
      figures: { formats: ["png"], dpi: 150 },
    });
    expect(await spec({})).toMatchObject({ gradients: false, figures: { formats: ["svg"], dpi: 300 } });
  });

  test("sizes of back ends are in the units that their names say", async () => {
    const backend = { memory_mib: 2, timeout_s: 1.5, full_vocabulary: true, cache_mib: 0 };
    expect((await readStudy({ ...BASE, backend }, "out", undefined)).backend).toEqual({
      maxBlockBytes: 2 ** 21,
      timeoutMs: 1500,
      fullVocabulary: true,
      cacheBytes: 0,
    });
  });

  test.each([
    [{ refrence: "dpo" }, /study.yaml: unknown option refrence/],
    [{ reference: undefined }, /no reference policy is named/],
    [{ reference: "ppo" }, /the reference ppo is not one of the policies/],
    [{ policies: { dpo: "onnx:a" } }, /dpo alone cannot be compared/],
    [{ policies: { ...POLICIES, "a/b": "onnx:c" } }, /"a\/b" cannot name a policy/],
    [{ policies: { ...POLICIES, x: { step: 1 } } }, /policies.x.at must be a location/],
    [{ pairs: [["dpo", "ppo"]] }, /names ppo, which is not one/],
    [{ pairs: [["dpo"]] }, /pairs must be two policies each/],
    [{ spikes: { method: "iqr" } }, /spikes.method must be one of zscore, percentile, adaptive, not "iqr"/],
    [{ spikes: { treshold: 2 } }, /unknown option spikes.treshold/],
    [{ top_k: 0 }, /top_k must be a whole number from 1, not 0/],
    [{ stages: { early: "1-2" } }, /stages.early must be a step or \[first, last\]/],
    [{ categories: { x: { patterns: ["("] } } }, /not a regular expression|no regular expression/i],
    [{ generate: { n: 1, from: "ppo" } }, /generate.from must be one of the policies/],
    [{ generate: { temperature: 1 } }, /generate.n must be the number of responses/],
    [{ continue: "end" }, /texts can be continued from start, before_error, after_error or a share/],
    [{ continue: { at: [1.5] } }, /not from "1.5"/],
    [{ continue: { places: [0.5] } }, /unknown option continue.places/],
    [{ figures: { formats: ["gif"] } }, /figures.formats must be some of svg, png, pdf, not "gif"/],
    [{ figures: { dpi: 5 } }, /figures.dpi must be from 24 to 1200, not 5/],
    [{ floor: 1 }, /floor must be a log-prob below 0/],
  ])("%j is refused", async (config, message) => {
    await expect(spec(config)).rejects.toMatchObject({
      _tag: "UsageError",
      message: expect.stringMatching(message),
    });
  });
});
