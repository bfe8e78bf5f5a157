/**
 * rLLM's config keys. Its correction is the backend's: what it says is handed to verl's rollout_correction.
 *
 * @module
 */
import { type Dialect, isTrue, type LintRule, needsSwitch } from "../shared/dialect.ts";

const BASE = "rllm/trainer/config/rllm/base.yaml";

/** Only verl's use of the two settings was read. */
const backend: LintRule = ({ get, found, at }) => {
  const [entry, mode] = [get("rllm/backend"), found.get("rollout_is")];
  if (!mode || mode.value === null || entry?.value === "verl") return [];
  return [
    {
      severity: "note",
      code: "depends-on-backend",
      ...at(entry ?? mode),
      message: `what is shown is what the verl backend does with tis_mode and tis_cap${entry ? `; this is ${entry.text}` : ""}`,
      why: "each backend of rLLM has its own loss",
      source: BASE,
    },
  ];
};

const bypass: LintRule = ({ get, found, at }) => {
  const [entry, mode] = [get("rollout_correction.bypass_mode"), found.get("rollout_is")];
  if (!isTrue(entry) || !mode || mode.value === null) return [];
  return [
    {
      severity: "warning",
      code: "bypass-mode",
      ...at(entry),
      message:
        "bypass_mode takes the rollout's log-probs as old ones, so the loss's own ratio already has the mismatch",
      why: "a clipped loss of verl then applies no weights; another would count the mismatch twice",
      source: `${BASE}: "true = pi_old = pi_rollout"`,
      instead: "bypass_mode: false, or tis_mode: null",
    },
  ];
};

export const rllmDialect: Dialect = {
  preset: () => "verl",
  formulasOnly: true,
  names: { rollout_is: "tis_mode", rollout_is_threshold: "tis_cap" },
  sections: ["rollout_correction"],
  callees: [],
  example: "rollout_correction.tis_mode",
  marks: [
    /(^|\.)rollout_correction\.tis_(mode|cap)$/,
    /^rllm[./]/,
    /(^|\.)(stepwise_advantage|compact_filtering|rejection_sample|filter_token_mismatch)(\.|$)/,
  ],
  textMarks: [/\brllm\b/i],
  knownKeys: ["bypass_mode"],
  unknownKeys: { effect: "refused", source: 'hydra: "Key is not in struct"' },
  rules: [
    backend,
    bypass,
    needsSwitch({
      settings: ["rollout_is_threshold"],
      isOff: ({ settings, found }) =>
        settings.rollout_is === null && found.get("rollout_is_threshold")?.value !== 2,
      off: "tis_mode is null, the default",
      source: BASE,
      instead: "tis_mode: token or sequence",
    }),
  ],
};
