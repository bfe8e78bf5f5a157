/**
 * The default grid: what trainers offer, at the thresholds that their defaults, documents and users name.
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";
import {
  type Bounds,
  type Correction,
  isBinaryKl,
  type Level,
  type Measure,
  type Reject,
  type Step,
} from "../../trainers/neutral/index.ts";
import { BASELINE, type NamedCorrection } from "./named-correction.ts";

/** The methods of the default grid, for `--methods`, and what each does. */
export const METHODS = {
  none: "nothing: every weight is 1",
  "token-tis": "token weights truncated above (TIS)",
  "token-clamp": "token weights clamped on both sides",
  icepop: "token weights, 0 outside a band (IcePop)",
  "token-mis": "token weights, tokens outside a band masked (MIS)",
  "seq-tis": "product weights per sequence truncated above",
  "seq-mis": "product weights per sequence, sequences above a bound zeroed",
  "turn-tis": "product weights per turn truncated above",
  "seq-rs": "sequences masked by the product of their ratios",
  "geo-rs": "sequences masked by the geometric mean of their ratios",
  "turn-rs": "turns masked by the geometric mean of their ratios",
  "token-k3": "tokens masked by k3",
  "seq-k2": "sequences masked by their mean k2",
  "seq-k3": "sequences masked by their mean k3",
  "seq-max-k3": "sequences masked by their largest k3",
  veto: "sequences masked for one token with a tiny or huge ratio",
  opsm: "sequences with a negative advantage zeroed by their mean k1 (OPSM)",
  dppo: "token weights, 0 by Δp and the sign of the advantage (DPPO)",
  ipo: "token weights, 0 by |Δp|",
  "dppo-kl": "token weights, 0 by binary KL where the update diverges (DPPO)",
  kpop: "token weights, 0 by binary KL in either direction (KPop)",
  "seq-mask-tis": "token weights, 0 in sequences outside a band of the geometric mean",
  "token-is": "token weights as they are",
} as const;

export type Method = keyof typeof METHODS;

/** Probabilities nearer to 0 or 1 than this are as good as certain: prime-rl's and OpenRLHF's clamp for binary KLs. */
const CERTAIN = 1e-6;

const TOKEN_WEIGHT = { level: "token", aggregation: "sum" } as const;

/** About ninety corrections, each with a short name such as `icepop 0.5–5` or `geo-rs 0.999–1.001 + token-tis 2`. */
export function defaultGrid(): NamedCorrection[] {
  const tis = [1.5, 2, 3, 5, 8].map((upper) => weighted("token-tis", upper, truncate({ upper })));
  const pick = (wanted: string): NamedCorrection => tis.find(({ name }) => name === wanted)!;
  const [two, five] = [pick("token-tis 2"), pick("token-tis 5")];
  const own: NamedCorrection = {
    name: "token-is",
    methods: ["token-is"],
    correction: { weight: TOKEN_WEIGHT, steps: [] },
  };
  // Sequences with a catastrophic token.
  const veto = [
    vetoing("veto", 1e-4, { lower: 1e-4 }),
    vetoing("veto", "1e-4–1e4", { lower: 1e-4, upper: 1e4 }),
  ];
  return [
    BASELINE,
    own,
    ...tis,
    ...listTokenBands(),
    ...listSharedWeights(),
    ...listRatioRejections(two, five),
    ...listDivergenceRejections(two),
    ...veto,
    ...veto.map((rejection) => joined(rejection, two)),
    ...listOneSided(),
  ];
}

/** Token weights between two bounds, with each treatment of those outside. */
function listTokenBands(): NamedCorrection[] {
  return [
    ...bands([0.5, 2], [0.2, 5], [0.5, 1.5], [0.8, 1.2]).map((band) =>
      weighted("token-clamp", span(band), truncate(band)),
    ),
    ...bands([0.5, 2], [0.5, 5], [0.2, 5], [0.1, 10], [0.8, 1.2]).map((band) =>
      weighted("icepop", span(band), { action: "zero", measure: "weight", ...band }),
    ),
    ...bands([0.5, 2], [0.5, 5], [0.2, 5], [0.1, 10]).map((band) =>
      weighted("token-mis", span(band), { action: "mask", measure: "weight", ...band }),
    ),
  ];
}

/** One weight for all tokens of a sequence or turn. */
function listSharedWeights(): NamedCorrection[] {
  return [
    ...[2, 5, 10].map((upper) => shared("seq-tis", "sequence", upper, truncate({ upper }))),
    ...[2, 3, 5].map((upper) =>
      shared("seq-mis", "sequence", upper, { action: "zero", measure: "weight", upper }),
    ),
    ...[2, 5].map((upper) => shared("turn-tis", "turn", upper, truncate({ upper }))),
  ];
}

/** By the product or the geometric mean of ratios, alone and with token weights. */
function listRatioRejections(two: NamedCorrection, five: NamedCorrection): NamedCorrection[] {
  const around = (width: number) => ({ lower: 1 - width, upper: 1 + width });
  const geometric = [0.01, 0.005, 0.002, 0.001, 0.0005].map((width) => {
    const band = around(width);
    return rejecting("geo-rs", span(band), "sequence", "ratio", "mean", band);
  });
  const products = bands([0.5, 2], [0.2, 5], [0.1, 10]).map((band) =>
    rejecting("seq-rs", span(band), "sequence", "ratio", "sum", band),
  );
  return [
    ...products,
    ...products.map((rejection) => joined(rejection, two)),
    ...geometric,
    ...geometric.map((rejection) => joined(rejection, two)),
    ...geometric.slice(0, 4).map((rejection) => joined(rejection, five)),
    ...[0.01, 0.005, 0.002, 0.001].map((width) => {
      const band = around(width);
      return weighted("seq-mask-tis", span(band), reject("zero", "sequence", "ratio", "mean", band));
    }),
    ...[0.01, 0.005, 0.001].map((width) => {
      const band = around(width);
      return rejecting("turn-rs", span(band), "turn", "ratio", "mean", band);
    }),
  ];
}

/** By k2 and k3, which do not cancel the way ratios do. */
function listDivergenceRejections(two: NamedCorrection): NamedCorrection[] {
  const means = [0.001, 0.005, 0.02].map((upper) =>
    rejecting("seq-k3", upper, "sequence", "k3", "mean", { upper }),
  );
  return [
    ...[0.01, 0.1, 0.5].map((upper) => rejecting("token-k3", upper, "token", "k3", "sum", { upper })),
    ...[0.001, 0.005, 0.02].map((upper) => rejecting("seq-k2", upper, "sequence", "k2", "mean", { upper })),
    ...means,
    ...means.map((rejection) => joined(rejection, two)),
    ...[0.1, 0.5, 1].map((upper) => rejecting("seq-max-k3", upper, "sequence", "k3", "max", { upper })),
  ];
}

/** What looks at the sign of the advantage, or at differences of probabilities. */
function listOneSided(): NamedCorrection[] {
  return [
    ...[1e-4, 1e-3, 1e-2].map((upper) => ({
      name: `opsm ${upper}`,
      methods: ["opsm"],
      correction: { steps: [reject("zero", "sequence", "k1", "mean", { upper, when: "negative" })] },
    })),
    ...[0.1, 0.2, 0.3].map((bound) =>
      weighted(
        "dppo",
        bound,
        reject("zero", "token", "prob_diff", "sum", { upper: bound, when: "positive" }),
        reject("zero", "token", "prob_diff", "sum", { lower: -bound, when: "not positive" }),
      ),
    ),
    ...[0.05, 0.1].map((upper) =>
      weighted("ipo", upper, reject("zero", "token", "abs_prob_diff", "sum", { upper })),
    ),
    ...listBinaryKls(),
  ];
}

/** At the thresholds of SkyRL's advice for DPPO and of the KPop paper. A sum over sequences would cost as much again. */
function listBinaryKls(): NamedCorrection[] {
  const only = "diverging tokens";
  return [
    weighted(
      "dppo-kl",
      0.05,
      reject("zero", "token", "binary_kl", "sum", { upper: 0.05, when: "positive", only }),
      reject("zero", "token", "binary_kl", "sum", { upper: 0.05, when: "not positive", only }),
    ),
    weighted(
      "kpop",
      0.1,
      reject("zero", "token", "binary_kl", "sum", { upper: 0.1 }),
      reject("zero", "token", "binary_kl_reverse", "sum", { upper: 0.1 }),
    ),
  ];
}

/**
 * The corrections whose methods are all named; always includes the baseline.
 *
 * @throws UsageError for a method of no correction.
 */
export function pickMethods(
  corrections: readonly NamedCorrection[],
  methods: readonly string[],
): NamedCorrection[] {
  const there = [...new Set(corrections.flatMap((each) => each.methods))];
  for (const method of methods) {
    if (there.includes(method)) continue;
    throw new UsageError(`--methods: unknown method "${method}"`, { hint: `known: ${there.join(", ")}` });
  }
  return corrections.filter(
    ({ name, methods: own }) => name === BASELINE.name || own.every((method) => methods.includes(method)),
  );
}

function truncate(bounds: Bounds): Step {
  return { action: "truncate", ...bounds };
}

function bands(...pairs: readonly (readonly [lower: number, upper: number])[]): Required<Bounds>[] {
  return pairs.map(([lower, upper]) => ({ lower, upper }));
}

function span({ lower, upper }: Required<Bounds>): string {
  return `${lower}–${upper}`;
}

function weighted(method: Method, bound: number | string, ...steps: readonly Step[]): NamedCorrection {
  return {
    name: `${method} ${bound}`,
    methods: [method],
    correction: { weight: TOKEN_WEIGHT, steps },
  };
}

function shared(method: Method, level: Level, bound: number, step: Step): NamedCorrection {
  return {
    name: `${method} ${bound}`,
    methods: [method],
    correction: { weight: { level, aggregation: "sum", logBound: 20 }, steps: [step] },
  };
}

type Rule = Pick<Reject, "lower" | "upper" | "when" | "only">;

function reject(
  action: Reject["action"],
  level: Level,
  statistic: Measure["statistic"],
  aggregation: Measure["aggregation"],
  rule: Rule,
): Step {
  const guard = isBinaryKl(statistic) ? { probBound: CERTAIN } : {};
  return { action, measure: { statistic, level, aggregation, ...guard }, ...rule };
}

function rejecting(
  method: Method,
  bound: number | string,
  level: Level,
  statistic: Measure["statistic"],
  aggregation: Measure["aggregation"],
  rule: Rule,
): NamedCorrection {
  const steps = [reject("mask", level, statistic, aggregation, rule)];
  return { name: `${method} ${bound}`, methods: [method], correction: { steps } };
}

function vetoing(method: Method, bound: number | string, bounds: Bounds): NamedCorrection {
  const measure = { statistic: "ratio", level: "token", aggregation: "sum" } as const;
  const correction: Correction = { steps: [{ action: "veto", measure, ...bounds }] };
  return { name: `${method} ${typeof bound === "number" ? "1e-4" : bound}`, methods: [method], correction };
}

/** The weights of the second, with the rejections of both. */
function joined(rejection: NamedCorrection, weights: NamedCorrection): NamedCorrection {
  const { weight, steps } = weights.correction;
  return {
    name: `${rejection.name} + ${weights.name}`,
    methods: [...rejection.methods, ...weights.methods],
    correction: { ...(weight && { weight }), steps: [...steps, ...rejection.correction.steps] },
  };
}
