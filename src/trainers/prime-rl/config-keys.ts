import type { LintFinding } from "../../results/lint.ts";
import { type ConfigView, type Dialect, type LintRule, oldNames } from "../shared/dialect.ts";

const CONFIG = "packages/prime-rl-configs/src/prime_rl/configs/trainer.py";
const LOSS = "src/prime_rl/trainer/rl/loss.py";

/** Loss types that the commit does not have, with the pull request that proposes each, and their presets. */
const PROPOSED: Readonly<Record<string, { readonly pull: number; readonly preset?: string }>> = {
  kpop: { pull: 3283, preset: "prime-rl-kpop" },
  kimi_k15: { pull: 3381 },
  pmd_mean: { pull: 3381 },
};

function lossType(view: ConfigView): string {
  return String(view.get("loss.type")?.value ?? (view.get("ipo_threshold") ? "ipo" : "default"));
}

function proposed(view: ConfigView): (typeof PROPOSED)[string] | undefined {
  const type = lossType(view);
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
      message: `the loss type ${entry?.text} is that of pull request ${known.pull}: without it prime-rl stops`,
      source: `${CONFIG} LossConfig, discriminated by type`,
    },
  ];
  if (known.preset === undefined) {
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
  const type = lossType(view);
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
        source: `${CONFIG} LossConfig, discriminated by type`,
        instead: `type = "${type === "ipo" ? "default" : "ipo"}"`,
      },
    ];
  });
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

export const primeRlDialect: Dialect = {
  preset: (view) => proposed(view)?.preset ?? (lossType(view) === "ipo" ? "prime-rl-ipo" : "prime-rl"),
  effective: (view, correction) => {
    const known = proposed(view);
    return known && known.preset === undefined ? { steps: [] } : correction;
  },
  sections: ["loss", "trainer.loss"],
  callees: ["DefaultLossConfig", "IPOLossConfig"],
  closedCallees: ["DefaultLossConfig", "IPOLossConfig"],
  example: "dppo_mask_*",
  marks: [
    /(^|\.)(dppo_mask_(low|high)|ipo_threshold)$/,
    /^trainer\.(loss|model|optim|ckpt|weight_broadcast)/,
    /^orchestrator\.(train|env|batch_size|rollouts_per_example|group_size|advantage|renderer)/,
    /^inference\.(model|parallel|gpu_memory_utilization)/,
    /^max_async_level$/,
  ],
  textMarks: [/prime[-_]rl/i],
  knownKeys: [
    "type",
    "kl_tau",
    "adv_tau",
    "teacher_tau",
    "import_path",
    "kwargs",
    "ipo_threshold",
    "dppo_mask_low",
    "dppo_mask_high",
    "kpop_threshold",
    "tau",
    "pmd_tau",
  ],
  unknownKeys: { effect: "refused", source: `${CONFIG}: pydantic, extra inputs are not permitted` },
  rules: [
    otherLoss,
    proposedLoss,
    custom,
    oldNames(
      {
        token_mask_low: "dppo_mask_low, a probability difference and not a ratio",
        token_mask_high: "dppo_mask_high, a probability difference and not a ratio",
        geo_mask_low: "nothing: the geometric mask was removed",
        geo_mask_high: "nothing: the geometric mask was removed",
        ratio_type: "nothing: ratios are of tokens",
        clip_ratio: "dppo_mask_high, a probability difference and not a ratio",
      },
      { why: "extra keys are not permitted", source: `${LOSS}, ${CONFIG} DefaultLossConfig` },
    ),
  ],
};
