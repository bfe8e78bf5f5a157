import type { StandingPart } from "../../results/assessment.ts";
import type { MismatchMetrics, MismatchReport } from "../../results/report.ts";

/** The data from which the parts of a run are judged. */
export type PartSource = Pick<
  MismatchReport,
  | "metrics"
  | "per_correctness"
  | "per_turn"
  | "per_environment"
  | "per_rank"
  | "per_engine"
  | "per_staleness"
  | "per_position_decile"
>;

/** A part with less than this share of Σ k3, or less than this times its share of the tokens, does not stand out. */
const LEAST_SHARE = 0.3;
const LEAST_FACTOR = 1.5;
const MOST_PARTS = 4;

/**
 * For each kind, the part that holds most of Σ k3 beyond its share of the tokens, ordered by its contribution to the
 * relative entropy of the two shares, s·ln(s / t).
 */
export function findStandingParts(source: PartSource): StandingPart[] {
  const { k3, tokens } = source.metrics;
  if (!(k3 > 0)) return [];
  const part =
    (kind: StandingPart["kind"]) =>
    (
      name: string | number,
      own: Pick<MismatchMetrics, "tokens" | "k3" | "delta_abs_mean">,
    ): StandingPart => ({
      kind,
      name: String(name),
      token_share: own.tokens / tokens,
      k3_share: (own.k3 * own.tokens) / (k3 * tokens),
      delta_abs_mean: own.delta_abs_mean,
    });
  const kinds: StandingPart[][] = [
    source.per_correctness.map((own) => part("correctness")(own.name, own)),
    source.per_turn.map((own) => part("turn")(own.turn, own)),
    source.per_environment.map((own) => part("environment")(own.name, own)),
    source.per_rank.map((own) => part("rank")(own.rank, own)),
    source.per_engine.map((own) => part("engine")(own.name, own)),
    source.per_staleness.map((own) => part("staleness")(own.staleness, own)),
    source.per_position_decile.map((own) => part("position_decile")(own.decile, own)),
  ];
  return kinds
    .flatMap((parts) => (parts.length < 2 ? [] : parts.filter(standsOut).sort(byWeight).slice(0, 1)))
    .sort(byWeight)
    .slice(0, MOST_PARTS);
}

function standsOut({ k3_share, token_share }: StandingPart): boolean {
  return k3_share >= LEAST_SHARE && k3_share >= LEAST_FACTOR * token_share;
}

function byWeight(a: StandingPart, b: StandingPart): number {
  return weigh(b) - weigh(a);
}

function weigh({ k3_share, token_share }: StandingPart): number {
  return k3_share * Math.log(k3_share / token_share);
}
