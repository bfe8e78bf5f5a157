import type { Preset } from "../shared/preset.ts";
import { slimePreset } from "./core-preset.ts";
import { slimeMetrics } from "./correction-metrics.ts";

/** slime's built-in correction: two-sided clamp of the token ratio, or IcePop as the custom function. */
export const slime: Preset = slimePreset({
  name: "slime",
  trainer: "slime",
  summary: "--use-tis: token ratios clamped on both sides, or zeroed outside the bounds (icepop_function)",
  source: "THUDM/slime slime/backends/megatron_utils/loss.py, 624b824a",
  icepopPath: "slime.backends.megatron_utils.loss.icepop_function",
  misPreset: "slime-mis",
  traps: [],
  metrics: (preset, settings) => slimeMetrics(preset, settings),
});
