/**
 * The figures of a single token: what colors it in the terminal and on the page, and what filters use. One name each,
 * everywhere.
 *
 * @module
 */
export interface TokenMetric {
  /** In a few characters. */
  readonly title: string;
  /** One line, without the title. */
  readonly meaning: string;
  /** Whether values on either side of `neutral` are meaningful. */
  readonly signed: boolean;
  /** The value without color; default 0. */
  readonly neutral?: number;
  /** Distance from `neutral` at which colors end: fixed, so that they mean the same in every sequence of every run. */
  readonly scale: number;
  /** Further names accepted by filters and page addresses. */
  readonly aliases: readonly string[];
  /** Example of a filter. */
  readonly example: string;
  /** Given for figures of both log-probs: what the filter finds; smaller ranks come first in its help. */
  readonly filter?: { readonly rank: number; readonly meaning: string; readonly absolute?: true };
  /** On the page: where colors begin and end on a scale of a whole run. */
  readonly color?: { readonly floor: number; readonly end: number };
}

export const TOKEN_METRICS = {
  delta: {
    title: "Δ",
    meaning: "log p trainer − log p rollout, nats",
    signed: true,
    scale: 1,
    aliases: [],
    example: "delta<-1",
    filter: { rank: 2, meaning: "Δ of the token: log p_trainer − log p_rollout, nats" },
  },
  abs: {
    title: "|Δ|",
    meaning: "distance between the two log-probs, nats",
    signed: false,
    scale: 1,
    aliases: [],
    example: "abs>0.5",
    filter: { rank: 1, meaning: "|Δ| of the token, nats" },
  },
  rho: {
    title: "ρ",
    meaning: "importance ratio exp Δ",
    signed: true,
    neutral: 1,
    scale: 1,
    aliases: ["ratio"],
    example: "rho>2",
    filter: { rank: 2, meaning: "ρ = exp Δ of the token" },
  },
  k3: {
    title: "k3",
    meaning: "exp Δ − Δ − 1, nats",
    signed: false,
    scale: 0.5,
    aliases: [],
    example: "k3>0.1",
    filter: { rank: 3, meaning: "k3 = exp Δ − 1 − Δ of the token, nats" },
    // k3 of the |Δ| in the scale of Δ: 0.05 and, halfway between the two signs, 1.
    color: { floor: 0.00125, end: 16 },
  },
  dp: {
    title: "Δp",
    meaning: "p trainer − p rollout",
    signed: true,
    scale: 0.5,
    aliases: ["prob_diff"],
    example: "dp>0.2",
    // Of either sign: a search for large values means both.
    filter: { rank: 2, meaning: "|Δp| of the token, a fraction", absolute: true },
    color: { floor: 0.01, end: 1 },
  },
  entropy: {
    title: "entropy",
    meaning: "of the trainer policy, else of the rollout policy, nats",
    signed: false,
    scale: 3,
    aliases: [],
    example: "entropy>1",
  },
  logp: {
    title: "log p rollout",
    meaning: "log-prob under the rollout policy, nats; colored by how small it is",
    signed: false,
    scale: 10,
    aliases: ["logprob", "rollout"],
    example: "logp<-3",
  },
  trainer: {
    title: "log p trainer",
    meaning: "log-prob under the trainer policy, nats; colored by how small it is",
    signed: false,
    scale: 10,
    aliases: [],
    example: "trainer<-3",
  },
  advantage: {
    title: "advantage",
    meaning: "as recorded",
    signed: true,
    scale: 3,
    aliases: ["adv"],
    example: "advantage<0",
  },
} as const satisfies Readonly<Record<string, TokenMetric>>;

export type TokenMetricName = keyof typeof TOKEN_METRICS;

export const TOKEN_METRIC_NAMES = Object.keys(TOKEN_METRICS) as readonly TokenMetricName[];

type NamesWith<Field> = {
  [Name in TokenMetricName]: Field extends keyof (typeof TOKEN_METRICS)[Name] ? Name : never;
}[TokenMetricName];

/** Those that are computed from both log-probs, as filters list them. */
export const COMPARING_METRICS = (TOKEN_METRIC_NAMES as NamesWith<"filter">[])
  .filter((name) => "filter" in TOKEN_METRICS[name])
  .sort((a, b) => TOKEN_METRICS[a].filter.rank - TOKEN_METRICS[b].filter.rank);

/** Those that the page colors by as they are. */
export const COLORING_METRICS = (TOKEN_METRIC_NAMES as NamesWith<"color">[]).filter(
  (name) => "color" in TOKEN_METRICS[name],
);

/** The metric with this name or alias; undefined if there is none. */
export function tokenMetricNamed(asked: string): TokenMetricName | undefined {
  return TOKEN_METRIC_NAMES.find((name) => {
    const aliases: readonly string[] = TOKEN_METRICS[name].aliases;
    return name === asked || aliases.includes(asked);
  });
}

/** Descriptions for entropy, which belongs to one policy. */
export function entropyWords(side: "rollout" | "trainer"): Pick<TokenMetric, "title" | "meaning"> {
  return { title: TOKEN_METRICS.entropy.title, meaning: `of the ${side} policy, nats` };
}
