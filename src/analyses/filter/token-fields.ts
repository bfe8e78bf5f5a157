/**
 * The fields of single tokens that filters can use.
 *
 * @module
 */

import { TOKEN_CLASSES } from "../../core/base/index.ts";
import { computeImpact, TOKEN_VALUES, turnOfMark } from "../../core/kernels/index.ts";
import {
  COMPARING_METRICS,
  TOKEN_METRICS,
  type TokenMetric,
  type TokenMetricName,
} from "../../results/metrics/token-metrics.ts";
import type { FieldText, TokenField, TokenNumberField } from "./field.ts";
import type { TokenColumns } from "./token-columns.ts";

export const TOKEN_FIELDS: readonly TokenField[] = [
  ...COMPARING_METRICS.map(ofLogProbs),
  ofColumn(named("logp", "log-prob under the rollout policy, nats"), "rollout"),
  ofColumn(named("trainer", "log-prob under the trainer policy, nats"), "trainer"),
  ofColumn(named("entropy", "entropy at the token (trainer's, else rollout's), nats"), "entropy"),
  ofColumn(named("advantage", "advantage of the token"), "advantages"),
  ofImpact(
    "impact",
    ["gradient"],
    "|A|·|ρ − 1| of the token: what its weight in the gradient lacks",
    "impact>0.5",
    Math.abs,
  ),
  ofImpact(
    "signed_impact",
    [],
    "A·(ρ − 1) of the token, with its sign",
    "signed_impact<-0.5",
    (impact) => impact,
  ),
  {
    ...{ scope: "token", kind: "number", name: "turn", aliases: ["round"] },
    meaning: "turn that it is in; turns count from 0, as verl's rounds do",
    example: "turn:3",
    at:
      ({ turnMarks }) =>
      (token) =>
        turnOfMark(turnMarks[token]!) ?? Number.NaN,
  },
  {
    scope: "token",
    kind: "number",
    name: "pos",
    aliases: ["t", "position"],
    meaning: "place in the response, from 0: the t of its handle",
    example: "pos<10",
    at: () => (token) => token,
  },
  ofColumn({ name: "id", aliases: [], meaning: "token id", example: "id:13" }, "ids"),
  {
    scope: "token",
    kind: "text",
    name: "token",
    aliases: ["text"],
    meaning: "its text (part of it; = for all of it)",
    example: 'token:" 7"',
  },
  {
    scope: "token",
    kind: "class",
    name: "is",
    aliases: ["class"],
    meaning: `what it is by its text: ${TOKEN_CLASSES.join(", ")}`,
    example: "is:number",
    classes: TOKEN_CLASSES,
  },
  ofColumn(
    {
      name: "mask",
      aliases: [],
      meaning: "1: the policy's own; unless asked for, only those count",
      example: "mask:0",
    },
    "mask",
  ),
];

/** Missing without an advantage, and if A·(ρ − 1) is not finite. */
function ofImpact(
  name: string,
  aliases: readonly string[],
  meaning: string,
  example: string,
  figure: (impact: number) => number,
): TokenNumberField {
  return {
    ...{ scope: "token", kind: "number", name, aliases, meaning, example },
    at: ({ rollout, trainer, advantages }) => {
      if (advantages === undefined) return () => Number.NaN;
      return (token) => {
        const delta = trainer[token]! - rollout[token]!;
        const impact = computeImpact(advantages[token]!, delta);
        return Number.isFinite(delta) && Number.isFinite(impact) ? figure(impact) : Number.NaN;
      };
    },
  };
}

type TokenNumbers = {
  [K in keyof TokenColumns]-?: TokenColumns[K] extends ArrayLike<number> | undefined ? K : never;
}[keyof TokenColumns];

function named(name: TokenMetricName, meaning: string): FieldText {
  const { aliases, example } = TOKEN_METRICS[name];
  return { name, aliases, meaning, example };
}

function ofColumn(text: FieldText, column: TokenNumbers): TokenNumberField {
  const missing = column === "ids" ? -1 : Number.NaN;
  return {
    ...text,
    ...{ scope: "token", kind: "number" },
    at: (tokens) => {
      const values = tokens[column];
      if (values === undefined) return () => Number.NaN;
      return (token) => (values[token] === missing ? Number.NaN : values[token]!);
    },
  };
}

/** Missing if Δ is not finite, as in every figure of the report. */
function ofLogProbs(name: (typeof COMPARING_METRICS)[number]): TokenNumberField {
  const { meaning, absolute }: NonNullable<TokenMetric["filter"]> = TOKEN_METRICS[name].filter;
  const compute = TOKEN_VALUES[name];
  const figure = absolute ? Math.abs : (value: number) => value;
  return {
    ...named(name, meaning),
    ...{ scope: "token", kind: "number" },
    at:
      ({ rollout, trainer }) =>
      (token) =>
        Number.isFinite(trainer[token]! - rollout[token]!)
          ? figure(compute(rollout[token]!, trainer[token]!))
          : Number.NaN,
  };
}
