import { formatCount, formatCounted } from "../../../../src/render/text/display/index.ts";
import type { RunComparison } from "../../../../src/results/view.ts";
import { ComparisonWarnings } from "../../ui/comparison-warnings.tsx";

/** Reasons to doubt the comparison, above its figures. */
export function Warnings({ warnings, unchecked, pairs, unmatched, names }: RunComparison) {
  return (
    <>
      <ComparisonWarnings warnings={warnings} />
      <p class="matched" role="status">
        <strong>{formatCounted(pairs.a.length, "pair")}</strong> of sequences
        {pairs.a.length > 0 && ` (${kinds(pairs.how)})`} · without a partner: {unmatched.a} of A {names.a},{" "}
        {unmatched.b} of B {names.b}
      </p>
      {unchecked.length > 0 && (
        <p class="muted">
          {warnings.length === 0 && "Nothing found that would invalidate the comparison. "}
          Not checked: {unchecked.join(" ")}
        </p>
      )}
    </>
  );
}

const KINDS = {
  ids: "of the same tokens",
  prompt: "of the same prompt and step",
  group: "of one group by name and the same step",
} as const;

function kinds(how: RunComparison["pairs"]["how"]): string {
  return (["ids", "prompt", "group"] as const)
    .map((kind) => ({ kind, count: how.filter((one) => one === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${formatCount(count)} ${KINDS[kind]}`)
    .join(", ");
}
