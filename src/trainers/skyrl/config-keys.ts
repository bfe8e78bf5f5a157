/**
 * SkyRL's config keys: how to recognize its configs, and mistakes that only a config can have.
 *
 * @module
 */
import { type ConfigView, type Dialect, type LintRule, needsSwitch } from "../shared/dialect.ts";
import { isBefore, type Since, writeSince } from "../shared/release.ts";
import { LOSS_PARAMETERS, rolloutLoss } from "./losses.ts";

const CORRECTION = "skyrl/backends/skyrl_train/utils/off_policy_correction_utils.py";
const VALIDATE = "skyrl/train/utils/utils.py validate_cfg";

const halfMask: LintRule = ({ found, at }) => {
  const [low, high] = ["low", "high"].map((side) => found.get(`token_mask_is_threshold_${side}`));
  const [written, missing] = low && low.value !== null ? [low, high] : [high, low];
  if (!written || written.value === null || (missing && missing.value !== null)) return [];
  return [
    {
      severity: "error",
      code: "not-switched-on",
      ...at(written),
      message: `${written.key} has no effect: the token mask needs both bounds`,
      source: `${CORRECTION} off_policy_correction_enabled`,
      instead: "token_mask_is_threshold_low: 0.5 and token_mask_is_threshold_high: 2.0",
    },
  ];
};

/** SkyRL sets `logprobs` to 1 only for TIS and sequence masks. Without them, dppo silently takes the old log-probs. */
const withoutLogProbs: LintRule = ({ get, at, found, settings }) => {
  const entry = get("sampling_params.logprobs");
  const alone = settings.tis_ratio_type === null && settings.sequence_mask_metric === null;
  const loss = rolloutLoss(settings);
  const asked = [
    ...(loss === undefined ? [] : ["policy_loss_type"]),
    "outlier_token_is_threshold_low",
    "outlier_token_is_threshold_high",
    "token_mask_is_threshold_low",
  ]
    .map((name) => found.get(name))
    .find((written) => written && written.value !== null);
  if (!entry || entry.value !== null || !alone || !asked) return [];
  return [
    {
      severity: "error",
      code: "not-switched-on",
      ...at(entry),
      message: `${asked.key} needs rollout log-probs, and sampling_params.logprobs is null`,
      why: "SkyRL sets logprobs to 1 by itself only for tis_ratio_type and sequence_mask_metric",
      source: VALIDATE,
      instead: "generator.sampling_params.logprobs: 1",
    },
  ];
};

const lossType: LintRule = ({ get, at, settings }) => {
  const entry = get("policy_loss_type");
  const on = settings.tis_ratio_type !== null || settings.sequence_mask_metric !== null;
  if (!on || !/^(clip_cov|kl_cov)$/.test(String(entry?.value))) return [];
  return [
    {
      severity: "error",
      code: "refused",
      ...at(entry),
      message: `SkyRL stops: off_policy_correction does not work with policy_loss_type ${entry?.text}`,
      source: VALIDATE,
      instead: "policy_loss_type: regular",
    },
  ];
};

/** CISPO's anchor came with 0.4.0; before, its ratio was always of the old log-probs. */
const ANCHOR: Since = { version: "0.4.0", date: "2026-10-01" };

const anchor: LintRule = ({ get, at, given }) => {
  const entry = get("cispo.cispo_anchor");
  if (entry === undefined || given === undefined || isBefore(given, ANCHOR) !== true) return [];
  return [
    {
      severity: "error",
      code: "later-name",
      ...at(entry),
      message: `${entry.key} came with ${writeSince(ANCHOR)}, and SkyRL stops at it before`,
      source: 'skyrl/train/config/config.py: "Invalid fields … for CISPOConfig"',
      instead: "SkyRL 0.4.0, or policy_loss_type: rollout_is",
    },
  ];
};

type Collected = ReturnType<NonNullable<Dialect["collect"]>>;

/** The settings of the loss lie beside off_policy_correction, not in it. */
function collectLoss(view: ConfigView): Collected {
  return Object.fromEntries(
    LOSS_PARAMETERS.flatMap(({ name }) => {
      const entry = view.get(name);
      return entry?.value === undefined ? [] : [[name, { value: entry.value, entry }]];
    }),
  );
}

/** SkyRL still honors the old switch. */
function collectOldSwitch(view: ConfigView): Collected {
  const entry = view.get("algorithm.use_tis");
  const cap = view.get("algorithm.tis_imp_ratio_cap");
  if (entry?.value !== true) return {};
  return {
    tis_ratio_type: { value: "token", entry },
    ...(typeof cap?.value === "number" && { token_tis_ratio_clip_high: { value: cap.value, entry: cap } }),
  };
}

export const skyrlDialect: Dialect = {
  preset: () => "skyrl",
  sections: ["off_policy_correction"],
  callees: ["OffPolicyCorrectionConfig"],
  closedCallees: ["OffPolicyCorrectionConfig"],
  example: "off_policy_correction.*",
  marks: [
    /(^|\.)off_policy_correction\./,
    /^trainer\.algorithm\.(use_tis|tis_imp_ratio_cap)$/,
    /^trainer\.(algorithm|placement|policy)\./,
    /^generator\.(inference_engine|sampling_params)/,
  ],
  textMarks: [/skyrl/i],
  knownKeys: [],
  collect: (view) => ({ ...collectLoss(view), ...collectOldSwitch(view) }),
  otherNames: [
    {
      effect: "honored",
      why: "SkyRL turns it into tis_ratio_type token and overwrites what off_policy_correction says about it",
      source: VALIDATE,
      names: {
        use_tis: "trainer.algorithm.off_policy_correction.tis_ratio_type: token",
        tis_imp_ratio_cap: "trainer.algorithm.off_policy_correction.token_tis_ratio_clip_high",
      },
    },
  ],
  unknownKeys: {
    effect: "refused",
    source: 'skyrl/train/config/config.py: "Invalid fields … for OffPolicyCorrectionConfig"',
  },
  rules: [
    halfMask,
    withoutLogProbs,
    lossType,
    anchor,
    needsSwitch({
      settings: ["token_tis_ratio_clip_high"],
      isOff: ({ settings }) => settings.tis_ratio_type !== "token",
      off: 'tis_ratio_type is not "token"',
      source: `${CORRECTION} compute_tis_ratio`,
      instead: "tis_ratio_type: token",
    }),
    needsSwitch({
      settings: ["sequence_tis_ratio_clip_high"],
      isOff: ({ settings }) => settings.tis_ratio_type !== "sequence",
      off: 'tis_ratio_type is not "sequence"',
      source: `${CORRECTION} compute_tis_ratio`,
      instead: "tis_ratio_type: sequence",
    }),
    needsSwitch({
      settings: ["geo_mask_low", "geo_mask_high"],
      isOff: ({ settings }) => settings.sequence_mask_metric !== "geometric",
      off: 'sequence_mask_metric is not "geometric"',
      source: `${CORRECTION} compute_sequence_mask`,
      instead: "sequence_mask_metric: geometric",
    }),
    needsSwitch({
      settings: ["product_mask_low", "product_mask_high"],
      isOff: ({ settings }) => settings.sequence_mask_metric !== "product",
      off: 'sequence_mask_metric is not "product"',
      source: `${CORRECTION} compute_sequence_mask`,
      instead: "sequence_mask_metric: product",
    }),
  ],
};
