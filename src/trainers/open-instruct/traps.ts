import type { Settings, Trap } from "../shared/preset.ts";

/** Traps with the correction and without it. */
const SHARED: readonly Trap[] = [
  {
    says: "NaN log-probs become 1.0 (a probability of e) before the check for NaN: such a token is weighted by exp(trainer − 1) instead of being left out",
  },
  {
    says: "debug/vllm_* are those of the last pack of a step, and debug/vllm_local_reverse_kl weights sampled tokens by their probability once more",
  },
];

/** Effects of open-instruct's settings that their names do not show. */
export function openInstructTraps(settings: Settings): readonly Trap[] {
  if (settings.use_rho_correction !== true) {
    return [
      {
        says: "use_rho_correction False: every weight is 1, though val/rho_weight is logged as 0",
        setting: "use_rho_correction",
      },
      ...SHARED,
    ];
  }
  return [
    {
      says: 'use_vllm_logprobs cannot be on as well: "use_vllm_logprobs sets old_logprobs to vLLM logprobs, making the ρ correction pointless."',
      severity: "drop",
      code: "conflict",
    },
    { says: "Δ is clamped to ±10 nats: no ratio is logged or used outside [4.5e-5, 22026]" },
    ...ofBounds(settings),
    ...ofSequences(settings),
    ...ofDivergence(settings),
    ...SHARED,
  ];
}

/** 0.0 switches a bound off. */
function isOff(settings: Settings, bound: string): boolean {
  return !(Number(settings[bound]) > 0);
}

function ofBounds(settings: Settings): Trap[] {
  const traps: Trap[] = [];
  if (isOff(settings, "rho_clamp_upper_bound")) {
    traps.push({
      says: "rho_clamp_upper_bound 0.0 is off, not a clamp to 0: ratios up to 22026 multiply the loss",
      severity: "warning",
      code: "zero-is-off",
      setting: "rho_clamp_upper_bound",
    });
  }
  if (isOff(settings, "rho_clamp_lower_bound"))
    traps.push({
      says: "rho_clamp_lower_bound 0.0 is off: ratios near 0 stay",
      code: "zero-is-off",
      setting: "rho_clamp_lower_bound",
    });
  if (isOff(settings, "rho_mask_lower_bound") && isOff(settings, "rho_mask_upper_bound"))
    traps.push({
      says: "both rho_mask bounds are 0.0, which is off: nothing is dropped",
      code: "zero-is-off",
    });
  else traps.push({ says: "dropped tokens get weight 0 and still count in the loss's denominator" });
  return traps;
}

function ofSequences(settings: Settings): Trap[] {
  if (settings.rho_mask_sequence_level !== true) return [];
  return [
    {
      says: "rho_mask_sequence_level changes the weight too, not only the mask: every token gets its row's geometric mean",
      severity: "warning",
      code: "sequence-level",
      setting: "rho_mask_sequence_level",
    },
    {
      says: "a sequence is a row of the batch: with packing, all sequences of a pack share one mean and one fate",
      severity: "warning",
      code: "sequence-level",
      setting: "rho_mask_sequence_level",
    },
  ];
}

function ofDivergence(settings: Settings): Trap[] {
  if (settings.rho_mask_tv_divergence !== true) return [];
  const [lowerOff, upperOff] = [
    isOff(settings, "rho_mask_lower_bound"),
    isOff(settings, "rho_mask_upper_bound"),
  ];
  const traps: Trap[] = [
    {
      says: "rho_mask_tv_divergence compares the bounds with a row's mean |ρ − 1|, yet rho_mask_upper_bound must be above 1 as for ratios: divergences below 1, nearly all there are, cannot be bounded",
      setting: ["rho_mask_tv_divergence", "rho_mask_upper_bound"],
    },
  ];
  if (!lowerOff) {
    traps.push({
      says: "with rho_mask_tv_divergence the lower bound drops tokens of rows that diverge less than it: those that agree best",
      setting: "rho_mask_tv_divergence",
    });
  }
  if (lowerOff && upperOff)
    traps.push({
      says: "rho_mask_tv_divergence without bounds does nothing",
      setting: "rho_mask_tv_divergence",
    });
  if (settings.rho_mask_sequence_level === true)
    traps.push({
      says: "rho_mask_tv_divergence takes over the mask: rho_mask_sequence_level then sets only the weight",
      severity: "warning",
      code: "sequence-level",
      setting: "rho_mask_sequence_level",
    });
  return traps;
}
