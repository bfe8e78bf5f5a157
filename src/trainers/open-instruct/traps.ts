import type { Settings } from "../shared/index.ts";

/** Effects of open-instruct's settings that their names do not show. */
export function openInstructTraps(settings: Settings): readonly string[] {
  const shared = [
    "NaN log-probs become 1.0 (a probability of e) before the check for NaN: such a token is weighted by exp(trainer − 1) instead of being left out",
    "debug/vllm_* are those of the last pack of a step, and debug/vllm_local_reverse_kl weights sampled tokens by their probability once more",
  ];
  if (settings.use_rho_correction !== true) {
    return ["use_rho_correction False: every weight is 1, though val/rho_weight is logged as 0", ...shared];
  }
  const value = (name: string): number => Number(settings[name]);
  const off = (name: string): boolean => !(value(name) > 0);
  const sequence = settings.rho_mask_sequence_level === true;
  const masked = !off("rho_mask_lower_bound") || !off("rho_mask_upper_bound");
  const traps = [
    'use_vllm_logprobs cannot be on as well: "use_vllm_logprobs sets old_logprobs to vLLM logprobs, making the ρ correction pointless."',
    "Δ is clamped to ±10 nats: no ratio is logged or used outside [4.5e-5, 22026]",
  ];
  if (off("rho_clamp_upper_bound")) {
    traps.push("rho_clamp_upper_bound 0.0 is off, not a clamp to 0: ratios up to 22026 multiply the loss");
  }
  if (off("rho_clamp_lower_bound")) traps.push("rho_clamp_lower_bound 0.0 is off: ratios near 0 stay");
  if (!masked) traps.push("both rho_mask bounds are 0.0, which is off: nothing is dropped");
  else traps.push("dropped tokens get weight 0 and still count in the loss's denominator");
  if (sequence) {
    traps.push(
      "rho_mask_sequence_level changes the weight too, not only the mask: every token gets its row's geometric mean",
    );
    traps.push(
      "a sequence is a row of the batch: with packing, all sequences of a pack share one mean and one fate",
    );
  }
  if (settings.rho_mask_tv_divergence === true) {
    traps.push(...tvTraps(off("rho_mask_lower_bound"), off("rho_mask_upper_bound"), sequence));
  }
  return [...traps, ...shared];
}

function tvTraps(lowerOff: boolean, upperOff: boolean, sequence: boolean): readonly string[] {
  const traps = [
    "rho_mask_tv_divergence compares the bounds with a row's mean |ρ − 1|, yet rho_mask_upper_bound must be above 1 as for ratios: divergences below 1, nearly all there are, cannot be bounded",
  ];
  if (!lowerOff) {
    traps.push(
      "with rho_mask_tv_divergence the lower bound drops tokens of rows that diverge less than it: those that agree best",
    );
  }
  if (lowerOff && upperOff) traps.push("rho_mask_tv_divergence without bounds does nothing");
  if (sequence)
    traps.push(
      "rho_mask_tv_divergence takes over the mask: rho_mask_sequence_level then sets only the weight",
    );
  return traps;
}
