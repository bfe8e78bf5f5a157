/**
 * prime-rl's config keys: before IPO became the default loss, since, and since IPO's band is wider by default.
 *
 * @module
 */
import type { LintFinding } from "../../results/lint.ts";
import type { ConfigView, Dialect, LintRule } from "../shared/dialect.ts";
import { isBefore, type Since } from "../shared/release.ts";

const CONFIG = "packages/prime-rl-configs/src/prime_rl/configs/trainer.py";
const LOSS = "src/prime_rl/trainer/rl/loss.py";
const BY_TYPE = `${CONFIG} LossConfig, discriminated by type`;

/** Where IPO took DPPO's place as the default loss, and `eps` its threshold (prime-rl#3418). */
const IPO_ONLY: Since = { date: "2026-08-27" };
/** Where the trainer's log-probs came to be written without being asked for (prime-rl#3444). */
const ANNOTATIONS: Since = { date: "2026-08-31" };

/** Where IPO came to drop fewer tokens by default, and to pull on none (prime-rl#3586). */
const WIDER: Since = { date: "2026-09-18" };
/** Where the loss type icepop came (prime-rl#3526). */
const ICEPOP: Since = { date: "2026-09-10" };

/**
 * Loss types that the commits read do not have, with the pull request that proposes each, and their presets. Those
 * without a number are in newer states of the repository, whose day is not known.
 */
const PROPOSED: Readonly<Record<string, { readonly pull?: number; readonly preset?: string }>> = {
  kpop: { pull: 3283, preset: "prime-rl-kpop" },
  kimi_k15: { pull: 3381 },
  pmd_mean: { pull: 3381 },
  ppo: {},
  cispo: {},
};

function lossType(view: ConfigView): string | undefined {
  const entry = view.get("loss.type");
  return entry === undefined ? undefined : String(entry.value);
}

/** The type that was meant before IPO became the default: DPPO's, unless the config says or shows IPO's. */
function earlierLossType(view: ConfigView): string {
  return lossType(view) ?? (view.get("ipo_threshold") ? "ipo" : "default");
}

function proposed(view: ConfigView): (typeof PROPOSED)[string] | undefined {
  const type = lossType(view) ?? "";
  return Object.hasOwn(PROPOSED, type) ? PROPOSED[type] : undefined;
}

const proposedLoss: LintRule = (view) => {
  const known = proposed(view);
  if (!known) return [];
  const entry = view.get("loss.type");
  const findings: LintFinding[] = [
    {
      severity: "warning",
      code: "depends-on-version",
      ...view.at(entry),
      message:
        known.pull === undefined
          ? `the loss type ${entry?.text} came after ${WIDER.date}, the day up to which prime-rl was read: what it does is not shown`
          : `the loss type ${entry?.text} is that of pull request ${known.pull}: without it prime-rl stops`,
      source: BY_TYPE,
    },
  ];
  if (known.preset === undefined && known.pull !== undefined) {
    findings.push({
      severity: "note",
      code: "trap",
      ...view.at(entry),
      message: `${entry?.text} multiplies by no importance ratio; its squared log-ratio is a penalty that pulls the policy back towards the rollout, not a weight`,
      source: `pull request ${known.pull}`,
    });
  }
  return findings;
};

/** Thresholds of one loss type used with another, which pydantic refuses. */
const otherLoss: LintRule = (view) => {
  const type = earlierLossType(view);
  if (proposed(view)) return [];
  const foreign = type === "ipo" ? ["dppo_mask_low", "dppo_mask_high"] : ["ipo_threshold"];
  return foreign.flatMap((name) => {
    const entry = view.get(name);
    if (!entry) return [];
    return [
      {
        severity: "error" as const,
        code: "refused",
        ...view.at(entry),
        message: `${entry.key} is not a setting of the ${type} loss, and prime-rl stops`,
        source: BY_TYPE,
        instead: `type = "${type === "ipo" ? "default" : "ipo"}"`,
      },
    ];
  });
};

/** DPPO's type went with its loss. */
const removedLoss: LintRule = (view) => {
  if (lossType(view) !== "default") return [];
  return [
    {
      severity: "error",
      code: "refused",
      ...view.at(view.get("loss.type")),
      message: `the loss type default, DPPO, was removed on ${IPO_ONLY.date}, and prime-rl stops`,
      why: "IPO took its place as the default",
      source: BY_TYPE,
      instead: 'type = "ipo"',
    },
  ];
};

/** The loss types of one release row, and the one that its presets are of. */
const presetOf = (view: ConfigView): string => {
  if (lossType(view) === "icepop") return "prime-rl-icepop";
  return proposed(view)?.preset ?? "prime-rl-ipo";
};

/** IcePop in a config for a day before it. */
const beforeIcepop: LintRule = (view) => {
  if (lossType(view) !== "icepop" || view.given === undefined || isBefore(view.given, ICEPOP) !== true)
    return [];
  return [
    {
      severity: "error",
      code: "refused",
      ...view.at(view.get("loss.type")),
      message: `the loss type icepop came on ${ICEPOP.date}, and prime-rl stops at it before`,
      source: "PrimeIntellect-ai/prime-rl#3526",
      instead: 'type = "ipo"',
    },
  ];
};

const custom: LintRule = (view) =>
  lossType(view) !== "custom"
    ? []
    : [
        {
          severity: "note",
          code: "settings-elsewhere",
          ...view.at(view.get("loss.type")),
          message:
            "a custom loss: the function at import_path decides what it masks; shown here is the default loss",
          source: `${CONFIG} CustomLossConfig`,
        },
      ];

const STOPS = {
  effect: "refused",
  why: "extra keys are not permitted",
  source: `${LOSS}, ${CONFIG} LossConfig`,
} as const;

const shared = {
  sections: ["loss", "trainer.loss"],
  marks: [
    /(^|\.)(dppo_mask_(low|high)|ipo_threshold)$/,
    /^trainer\.(loss|model|optim|ckpt|weight_broadcast)/,
    /^orchestrator\.(train|env|batch_size|rollouts_per_example|group_size|advantage|renderer)/,
    /^inference\.(model|parallel|gpu_memory_utilization)/,
    /^max_async_level$/,
  ],
  textMarks: [/prime[-_]rl/i],
  effective: (view, correction) => {
    const known = proposed(view);
    return known && known.preset === undefined ? { steps: [] } : correction;
  },
  unknownKeys: { effect: "refused", source: `${CONFIG}: pydantic, extra inputs are not permitted` },
} satisfies Partial<Dialect>;

const LOSS_KEYS = [
  "type",
  // Of newer states than those that were read.
  "max_importance_ratio",
  "score_centering",
  "kl_tau",
  "adv_tau",
  "teacher_tau",
  "import_path",
  "kwargs",
  // Of the proposed losses.
  "kpop_threshold",
  "tau",
  "pmd_tau",
];

export const primeRlDialect: Dialect = {
  ...shared,
  preset: presetOf,
  since: WIDER,
  callees: ["IPOLossConfig", "IcePopLossConfig"],
  closedCallees: ["IPOLossConfig", "IcePopLossConfig"],
  example: "trainer.loss.eps",
  // The KPop preset has another setting, and the same section.
  knownKeys: [...LOSS_KEYS, "eps", "ratio_low", "ratio_high"],
  otherNames: [
    {
      ...STOPS,
      until: IPO_ONLY,
      names: {
        ipo_threshold: "eps",
        dppo_mask_low: "eps, for both directions: IPO took the place of DPPO",
        dppo_mask_high: "eps, for both directions: IPO took the place of DPPO",
        ...Object.fromEntries(
          ["token_mask_low", "token_mask_high", "clip_ratio"].map((name) => [
            name,
            "eps, a probability difference and not a ratio",
          ]),
        ),
        geo_mask_low: "nothing: the geometric mask was removed",
        geo_mask_high: "nothing: the geometric mask was removed",
        ratio_type: "nothing: ratios are of tokens",
      },
    },
    {
      ...STOPS,
      until: ANNOTATIONS,
      source: "PrimeIntellect-ai/prime-rl#3444",
      names: {
        "trainer.enable_token_export":
          "nothing: both policies' log-probs are written beside the rollouts by default",
      },
    },
  ],
  rules: [removedLoss, proposedLoss, beforeIcepop, custom],
};

/** Between the two, IPO's default was tighter. */
export const primeRlAugustDialect: Dialect = {
  ...primeRlDialect,
  since: IPO_ONLY,
  defaults: (view) => (presetOf(view) === "prime-rl-ipo" ? { eps: 0.1 } : {}),
};

export const primeRlEarlierDialect: Dialect = {
  ...shared,
  preset: (view) => proposed(view)?.preset ?? (earlierLossType(view) === "ipo" ? "prime-rl-ipo" : "prime-rl"),
  names: { eps: "ipo_threshold" },
  defaults: (view): Readonly<Record<string, number>> => (earlierLossType(view) === "ipo" ? { eps: 0.1 } : {}),
  callees: ["DefaultLossConfig", "IPOLossConfig"],
  closedCallees: ["DefaultLossConfig", "IPOLossConfig"],
  example: "dppo_mask_*",
  knownKeys: [...LOSS_KEYS, "ipo_threshold", "dppo_mask_low", "dppo_mask_high"],
  otherNames: [
    {
      ...STOPS,
      names: {
        token_mask_low: "dppo_mask_low, a probability difference and not a ratio",
        token_mask_high: "dppo_mask_high, a probability difference and not a ratio",
        geo_mask_low: "nothing: the geometric mask was removed",
        geo_mask_high: "nothing: the geometric mask was removed",
        ratio_type: "nothing: ratios are of tokens",
        clip_ratio: "dppo_mask_high, a probability difference and not a ratio",
      },
    },
    { ...STOPS, from: IPO_ONLY, names: { "loss.eps": 'ipo_threshold, with type = "ipo"' } },
  ],
  rules: [otherLoss, proposedLoss, custom],
};
