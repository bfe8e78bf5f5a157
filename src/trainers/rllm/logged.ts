import {
  ABS,
  ABS_MAX,
  EXTREME_RATIO,
  K1,
  K3,
  type LoggedKeys,
  ofFigure,
  perplexityMetrics,
  RATIO,
  UPDATE_RATIO,
} from "../shared/logged-keys.ts";

/** rllm/trainer/algorithms/loss.py and the loss of its Tinker backend; the names and formulas are verl's */
export const logged: LoggedKeys = {
  mismatch: [
    { key: /offpolicy\/kl$/, ...K1 },
    { key: /offpolicy\/k3_kl$/, ...K3 },
    { key: /offpolicy\/logprob_abs_diff\/mean$/, ...ABS },
    { key: /offpolicy\/logprob_abs_diff\/max$/, ...ABS_MAX },
    { key: /offpolicy\/prob_abs_diff\/mean$/, ...ofFigure("prob_diff_mean") },
    { key: /offpolicy\/prob_abs_diff\/max$/, ...ofFigure("prob_diff_max"), meaning: "largest |Δp|" },
    {
      key: /offpolicy\/prob_pearson_corr$/,
      meaning: "Pearson of the probabilities",
      unit: "",
      figure: "pearson",
      worse: "smaller",
    },
    { key: /offpolicy\/ratio\/mean$/, ...RATIO, quirk: "Δ is clamped" },
    { key: /offpolicy\/ratio\/(?:min|max)$/, ...EXTREME_RATIO, quirk: "Δ is clamped" },
    {
      key: /offpolicy\/chi2_token$/,
      meaning: "χ² of tokens",
      unit: "",
      figure: "chi2_token",
      worse: "larger",
      quirk: "Δ is clamped",
    },
    ...perplexityMetrics("offpolicy/", "of sequences' mean log-probs"),
  ],
  lookAlikes: [{ key: /(?:reinforce_kl|icepop)\/(?:ratio_)?(?:mean|min|max)$/, meaning: UPDATE_RATIO }],
};
