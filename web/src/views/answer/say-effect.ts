import { formatCounted, formatNearOne } from "../../../../src/render/text/display/index.ts";
import type { SweepCorrection, SweepReport } from "../../../../src/results/sweep.ts";

/** `Clips 4 tokens, drops none. ESS 0.99913 → 0.99946.` */
export function sayEffect(
  { metrics }: Pick<SweepReport, "metrics">,
  {
    truncated_share,
    dropped,
    ess_tokens,
  }: Pick<SweepCorrection, "truncated_share" | "dropped" | "ess_tokens">,
): string {
  const clipped = Math.round(truncated_share * metrics.tokens);
  const says = (count: number): string => (count === 0 ? "none" : formatCounted(count, "token"));
  return `Clips ${says(clipped)}, drops ${says(dropped.tokens)}. ESS ${formatNearOne(metrics.ess)} → ${formatNearOne(ess_tokens)}.`;
}

/** A config without the settings that are off; copying it includes them. */
export function shortConfig(text: string): string {
  const lines = text.trimEnd().split("\n");
  const set = lines.filter((line) => !/[:=]\s*(?:null|none|false)\s*$/i.test(line));
  return (set.length === lines.length ? set : [...set, "…"]).join("\n");
}
