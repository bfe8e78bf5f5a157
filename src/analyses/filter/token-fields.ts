/**
 * What one can filter single tokens by.
 *
 * @module
 */
import { computeImpact, computeK3, computeProbDiff, turnOfMark } from "../../core/kernels/index.ts";
import { TOKEN_CLASSES } from "../../results/wire/index.ts";
import type { TokenField, TokenNumberField } from "./field.ts";
import type { TokenColumns } from "./token-columns.ts";

export const TOKEN_FIELDS: readonly TokenField[] = [
  ofDelta("abs", [], "|Δ| of the token, nats", "abs>0.5", Math.abs),
  ofDelta("delta", [], "Δ of the token: log p_trainer − log p_rollout, nats", "delta<-1", (delta) => delta),
  ofDelta("rho", ["ratio"], "ρ = exp Δ of the token", "rho>2", Math.exp),
  ofDelta("dp", ["prob_diff"], "|Δp| of the token, a fraction", "dp>0.2", (_, rollout, trainer) =>
    Math.abs(computeProbDiff(rollout, trainer)),
  ),
  ofDelta("k3", [], "k3 = exp Δ − 1 − Δ of the token, nats", "k3>0.1", (delta) => computeK3(delta)),
  ofColumn("logp", ["logprob", "rollout"], "log-prob under the rollout policy, nats", "logp<-3", "rollout"),
  ofColumn("trainer", [], "log-prob under the trainer policy, nats", "trainer<-3", "trainer"),
  ofColumn("entropy", [], "entropy at the token (trainer's, else rollout's), nats", "entropy>1", "entropy"),
  ofColumn("advantage", ["adv"], "advantage of the token", "advantage<0", "advantages"),
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
  ofColumn("id", [], "token id", "id:13", "ids"),
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
  ofColumn("mask", [], "1: the policy's own; unless asked for, only those count", "mask:0", "mask"),
];

/** Missing without an advantage, and where A·(ρ − 1) is not finite. */
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

function ofColumn(
  name: string,
  aliases: readonly string[],
  meaning: string,
  example: string,
  column: TokenNumbers,
): TokenNumberField {
  const missing = column === "ids" ? -1 : Number.NaN;
  return {
    ...{ scope: "token", kind: "number", name, aliases, meaning, example },
    at: (tokens) => {
      const values = tokens[column];
      if (values === undefined) return () => Number.NaN;
      return (token) => (values[token] === missing ? Number.NaN : values[token]!);
    },
  };
}

/** Missing where Δ is not finite, as in every figure of the report. */
function ofDelta(
  name: string,
  aliases: readonly string[],
  meaning: string,
  example: string,
  figure: (delta: number, rollout: number, trainer: number) => number,
): TokenNumberField {
  return {
    ...{ scope: "token", kind: "number", name, aliases, meaning, example },
    at:
      ({ rollout, trainer }) =>
      (token) => {
        const delta = trainer[token]! - rollout[token]!;
        return Number.isFinite(delta) ? figure(delta, rollout[token]!, trainer[token]!) : Number.NaN;
      },
  };
}
