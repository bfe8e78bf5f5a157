import { orNull } from "../../core/base/index.ts";
import type { StalenessCheck } from "../../results/health.ts";
import type { StalenessMetrics } from "../../results/report.ts";

/** In versions: AReaL's guide to asynchronous training allows this many (`max_head_offpolicyness: 4`). */
const LIMIT = 4;

/** The oldest tokens count, as in the trainers' own limits: all of them are trained on. */
export function checkStaleness(per_staleness: readonly StalenessMetrics[]): StalenessCheck {
  const parts = [...per_staleness]
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => a.staleness - b.staleness)
    .map(({ staleness, tokens, delta_abs_mean }) => ({
      staleness,
      tokens,
      delta_abs_mean: orNull(delta_abs_mean ?? Number.NaN),
    }));
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  const value = parts.at(-1)?.staleness ?? null;
  return {
    id: "staleness",
    outcome: value === null ? "unknown" : value > LIMIT ? "beyond" : "within",
    value,
    limit: LIMIT,
    tokens,
    mean: orNull(parts.reduce((sum, part) => sum + part.staleness * part.tokens, 0) / tokens),
    parts,
  };
}
