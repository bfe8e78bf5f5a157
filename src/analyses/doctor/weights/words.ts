import { formatCount, plural } from "../../../core/text/index.ts";
import type { WeightFacts } from "../../../results/diagnosis.ts";

export type WeightCounts = Omit<WeightFacts, "sentence">;

/** `The weights of engine and trainer have equal digests in all 512 sequences.` */
export function sayWeights(facts: WeightCounts): string {
  const { updates, updates_below_bfloat16: below } = facts;
  const unseen =
    below === 0
      ? ""
      : ` ${formatCount(below)} of the trainer's ${plural(updates, "update")} changed no sampled weight by as much as bfloat16 can hold.`;
  return `${saySides(facts)}${unseen}`;
}

function saySides(facts: WeightCounts): string {
  const { sequences, equal, rounded, different, unknown } = facts;
  if (different > 0) return sayDifferent(facts);
  if (unknown === sequences)
    return "The digests of the two sides' weights are not of the same tensors, or not made alike: they cannot be compared.";
  const compared = unknown === 0 ? `all ${plural(sequences, "sequence")}` : ofAll(equal + rounded, sequences);
  const after =
    rounded === 0
      ? ""
      : `${equal === 0 ? "" : `, in ${formatCount(rounded)} of them`} after rounding to bfloat16`;
  return `The weights of engine and trainer have equal digests in ${compared}${after}.`;
}

function sayDifferent({
  sequences,
  different,
  first_different_step: first,
  lag,
  lag_sequences,
}: WeightCounts): string {
  const since = first === null ? "" : `, first at step ${first}`;
  const differ = `The weights of engine and trainer have different digests in ${ofAll(different, sequences)}${since}`;
  if (lag === null) return `${differ}: the trainer had the engine's at no recorded step.`;
  const most = lag_sequences === different ? "" : `in ${formatCount(lag_sequences)} of them `;
  const when = `${plural(Math.abs(lag), "step")} ${lag > 0 ? "earlier" : "later"}`;
  return `${differ}: ${most}the trainer had the engine's ${when}.`;
}

function ofAll(count: number, all: number): string {
  return count === all
    ? `all ${plural(all, "sequence")}`
    : `${formatCount(count)} of ${plural(all, "sequence")}`;
}
