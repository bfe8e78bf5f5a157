/**
 * Explains a failed identity test to someone who has never heard of it.
 *
 * @module
 */
import type { IdentityTest } from "../../../core/summaries/index.ts";
import { formatNumber, formatSigned } from "../../../core/text/index.ts";
import type { IdentityFailure } from "../../../results/identity.ts";
import type { MeasuredTests } from "./tests.ts";

export function sayUnitMean({ value, z }: IdentityTest): string {
  return (
    `mean ρ is ${formatNumber(value, 4)}, but must be 1 whatever the weights are (z = ${formatSigned(z)}): the rollout log-probs ` +
    "do not describe the distribution that was sampled from, or the columns belong to different tokens"
  );
}

export function saySurprisal({ value, z }: IdentityTest): string {
  const how = value < 0 ? "less" : "more";
  return (
    `the sampled tokens are ${formatNumber(Math.abs(value))} nats ${how} surprising than the rollout's entropy says ` +
    `(z = ${formatSigned(z)}): they were not sampled from the distribution whose log-probs were recorded ` +
    "(temperature, top-p, penalties, forced tokens)"
  );
}

export function sayHalfVariance(
  value: number,
  { low, high }: { readonly low: number; readonly high: number },
): string {
  return (
    `−2·mean Δ/mean Δ² is ${formatNumber(value)} (95 %: ${formatNumber(low)} to ${formatNumber(high)}), and about 1 of ` +
    `two policies: ${explainHalfVariance(value)}`
  );
}

/** By where the value lies: from research on simulated faults, docs/statistics.md. */
function explainHalfVariance(value: number): string {
  if (value < -0.5)
    return "as if the trainer's side had been sampled (swapped columns, temperature on one side)";
  if (value <= 0.5)
    return "the difference is noise added after sampling (rounded or re-scored log-probs, misaligned tokens)";
  return "one side is normalized over fewer tokens (top-p, top-k) or lacks a constant";
}

const MEANING = {
  unit_mean: "the rollout log-probs there do not describe the distribution that was sampled from",
  surprisal: "the tokens there were not sampled from the distribution whose log-probs were recorded",
} as const;

/** One sentence for all parts of a kind that fail a test, worst first; none if none fails. */
export function tellParts(
  kind: NonNullable<IdentityFailure["part"]>["kind"],
  test: "unit_mean" | "surprisal",
  failing: readonly { readonly name: string; readonly tests: MeasuredTests }[],
): IdentityFailure[] {
  const named = failing.flatMap(({ name, tests }) => {
    const figure = test === "unit_mean" ? tests.unitMean : tests.surprisal;
    return figure === undefined ? [] : [{ name, figure }];
  });
  const [worst] = named.sort((a, b) => Math.abs(b.figure.z) - Math.abs(a.figure.z));
  if (worst === undefined) return [];
  const { name, figure } = worst;
  const more = named.length === 1 ? "" : ` and ${named.length - 1} more`;
  const value =
    test === "unit_mean"
      ? `mean ρ is ${formatNumber(figure.value, 4)} instead of 1`
      : `surprisal is ${formatSigned(figure.value)} nats off the entropy`;
  return [
    {
      test,
      part: { kind, names: named.map((one) => one.name) },
      text: `${kind} ${name}${more}: ${value} (z = ${formatSigned(figure.z)}): ${MEANING[test]}`,
    },
  ];
}
