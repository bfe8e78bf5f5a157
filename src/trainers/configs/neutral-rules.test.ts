import { describe, expect, it } from "vitest";
import type { LintFinding } from "../../results/lint.ts";
import type { Correction, Measure, Step } from "../neutral/correction.ts";
import type { Entry } from "../shared/config-entry.ts";
import type { LintContext } from "../shared/dialect.ts";
import { neutralFindings } from "./neutral-rules.ts";

const entry = (key: string, value: Entry["value"], line: number): Entry => ({
  path: [key],
  key,
  value,
  text: String(value),
  quoted: false,
  line,
});

/** What is said of a correction in a config with these entries, of which all are settings. */
function find(correction: Correction, ...entries: Entry[]): LintFinding[] {
  const context: LintContext = {
    document: { format: "yaml", name: "", line: 1, entries },
    text: "",
    get: (key) => entries.find((one) => one.key === key),
    below: () => [],
    settings: {},
    found: new Map(entries.map((one) => [one.key, one])),
    at: (one) => (one ? { key: one.key, line: one.line } : { line: 1 }),
  };
  return neutralFindings(context, correction);
}

const codes = (correction: Correction): string[] => find(correction).map(({ code }) => code);
const measure = (change: Partial<Measure> = {}): Measure => ({
  statistic: "ratio",
  level: "sequence",
  aggregation: "sum",
  ...change,
});
const mask = (change: Partial<Measure> = {}, bounds: object = { upper: 2 }): Step =>
  ({ action: "mask", measure: measure(change), ...bounds }) as Step;
const TOKEN = { level: "token", aggregation: "sum" } as const;
const PRODUCT = { level: "sequence", aggregation: "sum" } as const;

describe("how long a product of ratios may be", () => {
  const budgeted: [why: string, correction: Correction][] = [
    [
      "a weight of whole sequences that is truncated",
      { weight: PRODUCT, steps: [{ action: "truncate", upper: 2 }] },
    ],
    ["one that rejects", { weight: PRODUCT, steps: [{ action: "mask", measure: "weight", upper: 2 }] }],
    ["a rejection by the product", { weight: TOKEN, steps: [mask()] }],
    [
      "a rejection by the sum of log-ratios",
      { steps: [mask({ statistic: "k1" }, { upper: 0.7, lower: -0.7 })] },
    ],
    ["one after a normalization", { weight: TOKEN, steps: [{ action: "normalize", over: "token" }, mask()] }],
  ];
  it.each(budgeted)("is told of %s", (_, correction) => {
    expect(codes(correction)).toEqual(["token-budget"]);
  });

  const unbudgeted: [why: string, correction: Correction][] = [
    ["weights of tokens", { weight: TOKEN, steps: [{ action: "truncate", upper: 2 }] }],
    ["rejection by them", { weight: TOKEN, steps: [{ action: "mask", measure: "weight", upper: 2 }] }],
    [
      "geometric means",
      { weight: { ...PRODUCT, aggregation: "mean" }, steps: [{ action: "truncate", upper: 2 }] },
    ],
    ["ratios of tokens", { steps: [mask({ level: "token" })] }],
    ["the largest ratio", { steps: [mask({ aggregation: "max" })] }],
    ["sums of k2", { steps: [mask({ statistic: "k2" })] }],
    ["normalization alone", { weight: PRODUCT, steps: [{ action: "normalize", over: "token" }] }],
    ["bounds that do not bind", { steps: [mask({}, { upper: Infinity })] }],
  ];
  it.each(unbudgeted)("is not told of %s", (_, correction) => {
    expect(codes(correction)).not.toContain("token-budget");
  });

  it("is the square of the nearer bound over the spread of a token", () => {
    const budget = (bounds: object) => find({ steps: [mask({}, bounds)] })[0]!.message;
    // (log 2 / 0.02)² = 1201, (log 4 / 0.02)² = 4805.
    expect(budget({ upper: 2 })).toContain("0.693 nats by chance at about 1201 tokens");
    expect(budget({ lower: 0.25 })).toContain("1.39 nats by chance at about 4805 tokens");
    expect(budget({ lower: 0.25, upper: 2 })).toContain("about 1201 tokens");
    expect(budget({ lower: 0.5, upper: 4 })).toContain("about 1201 tokens");
  });

  it("is that of the bound that binds first, whichever step has it", () => {
    const finite: Step = { action: "zero", measure: "weight", upper: 3.4028234663852886e38 };
    const steps = (...all: Step[]) => find({ weight: PRODUCT, steps: all });
    const tis = steps(finite, { action: "truncate", lower: 0, upper: 2 });
    expect(tis.map(({ message }) => message)).toEqual([expect.stringContaining("about 1201 tokens")]);
    expect(steps(mask({}, { upper: 20 }), { action: "truncate", upper: 2 })[0]!.message).toContain("1201");
    // A bound at the largest float32 is none.
    expect(steps(finite)).toEqual([]);
  });

  it.each([
    "max_completion_length",
    "max_response_length",
    "rollout_max_response_len",
    "generate_max_len",
    "max_new_tokens",
    "max_generate_length",
    "max_total_sequence_length",
    "response_length",
  ])("is held against the sequences that %s allows", (key) => {
    const of = (length: Entry["value"]) => find({ steps: [mask()] }, entry(key, length, 7));
    expect(of(4096)).toMatchObject([
      {
        severity: "warning",
        message: `a product of ratios over up to 4096 tokens (${key}, line 7): its log spreads by ±1.3 nats, its bound is at 0.693`,
      },
    ]);
    expect(of(1023)).toEqual([]);
    expect(of("auto")).toMatchObject([{ severity: "note" }]);
  });
});

describe("bounds of a geometric mean that reject nearly nothing", () => {
  const mean = { aggregation: "mean" } as const;
  const wide = (bounds: object, change: Partial<Measure> = {}) =>
    find({ steps: [mask({ ...mean, ...change }, bounds)] }).filter(({ code }) => code === "never-rejects");

  it("are told with both bounds, open ones as 0 and infinity", () => {
    expect(wide({ lower: 0.5, upper: 2 })[0]!.message).toContain("between 0.5 and 2 passes");
    expect(wide({ upper: 2 })[0]!.message).toContain("between 0 and 2 passes");
    expect(wide({ lower: 0.5 })[0]!.message).toContain("between 0.5 and Infinity passes");
    expect(wide({ upper: 0.7 }, { statistic: "k1" })[0]!.message).toContain("between 0.497 and Infinity");
    expect(wide({ lower: -0.7, upper: 0.7 }, { statistic: "k1" })[0]!.message).toContain("0.497 and 2.01");
  });

  it("are not those near 1, of other statistics, of single tokens, or of one sign of the advantage", () => {
    expect(wide({ lower: 0.99, upper: 2 })).toEqual([]);
    expect(wide({ upper: 1.01 })).toEqual([]);
    expect(wide({ upper: 2 }, { statistic: "k3" })).toEqual([]);
    expect(wide({ upper: 2 }, { level: "token" })).toEqual([]);
    expect(wide({ upper: 2, when: "negative" })).toEqual([]);
    expect(
      codes({
        weight: { ...TOKEN, aggregation: "mean" },
        steps: [{ action: "mask", measure: "weight", upper: 2 }],
      }),
    ).toEqual([]);
  });
});

describe("bounds that leave out where both policies agree", () => {
  it.each<[step: Step, agreed: number, effect: string]>([
    [{ action: "truncate", upper: 0.2 }, 1, "every weight is moved away from 1"],
    [{ action: "zero", measure: "weight", lower: 1.2 }, 1, "they lose their weight"],
    [mask({ level: "token" }, { upper: 0.2 }), 1, "they are masked"],
    [mask({ statistic: "error_ratio", level: "token" }, { upper: 0.9 }), 1, "they are masked"],
    [mask({ statistic: "k1", level: "token" }, { lower: 0.5, upper: 2 }), 0, "they are masked"],
    [
      { action: "veto", measure: { ...measure(), level: "token" }, lower: 1.5 },
      1,
      "every sequence is masked",
    ],
  ])("are an error, with what becomes of the tokens: %j", (step, agreed, effect) => {
    const [finding] = find({ weight: TOKEN, steps: [step] });
    expect(finding).toMatchObject({
      severity: "error",
      code: "bounds-exclude-agreement",
      instead: `bounds with ${agreed} between them`,
    });
    expect(finding!.message).toMatch(new RegExp(`leave out ${agreed}, the value where .*: ${effect}$`));
  });

  it("are none where the value itself is a bound", () => {
    for (const bounds of [{ upper: 1 }, { lower: 1 }, {}])
      expect(codes({ weight: TOKEN, steps: [{ action: "truncate", ...bounds }] })).toEqual([]);
  });

  it("stand at the setting that most likely holds them", () => {
    const settings = [
      entry("rollout_rs_threshold", 2, 3),
      entry("rollout_is_threshold", 0.2, 4),
      entry("token_veto_threshold", 2, 5),
      entry("rollout_is", "token", 6),
    ];
    const line = (step: Step) => find({ weight: TOKEN, steps: [step] }, ...settings)[0]!.line;
    expect(line({ action: "truncate", upper: 0.2 })).toBe(4);
    expect(line(mask({ level: "token" }, { upper: 0.2 }))).toBe(3);
    expect(line({ action: "veto", measure: { ...measure(), level: "token" }, lower: 1.5 })).toBe(5);
  });
});
