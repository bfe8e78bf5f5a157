import { formatChance, formatNumber, inSentence } from "../../core/text/index.ts";
import type { CauseGroup, Comparable } from "../../results/assessment.ts";
import type { Diagnosis } from "../../results/diagnosis.ts";
import type { Finite } from "../../results/finite.ts";
import type { Verdict } from "../../results/report.ts";
import { isBroken } from "./finite.ts";

/** What decides the verdict on a run. */
export interface Parts {
  /** The verdict on the pooled figures and the steps by published baselines, stated after what is not finite. */
  readonly verdict: Verdict;
  readonly comparable: Comparable;
  readonly finite: Finite;
  /** Undefined if nothing was diagnosed. */
  readonly diagnosis: Diagnosis | undefined;
  readonly causes: readonly CauseGroup[];
  /** Mean |Δ| over all tokens, nats. */
  readonly meanAbs: number;
  /** Whether the level of the steps jumps: the precision of one engine alone would not make it jump. */
  readonly jumps: boolean;
}

/** A cause, or a group of similar ones, with at least this probability becomes the verdict. */
const FOUND = 0.8;

/**
 * The verdict on a run: the worse of what published baselines and what causes say. Columns that cannot be compared and
 * values that are not finite come first, then a cause that was found. A mismatch that an engine's precision explains,
 * for a policy as uncertain as this one, is normal even if the published figures, which come from other runs, rate it
 * higher.
 */
export function settleVerdict(parts: Parts): Verdict {
  const { verdict, comparable, finite, diagnosis } = parts;
  if (isBroken(finite)) return verdict;
  if (comparable.reason !== null) return at(verdict, "not_comparable", comparable.reason);
  if (diagnosis === undefined) return verdict;
  switch (diagnosis.verdict) {
    case "fault":
      return settleFault(parts, diagnosis);
    case "healthy":
      return settleHealthy(parts, diagnosis);
    case "cannot_tell":
      return settleUnknown(parts, diagnosis);
    case "too_few":
      return verdict;
  }
}

function settleFault({ verdict, causes, meanAbs }: Parts, diagnosis: Diagnosis): Verdict {
  const { level } = verdict;
  const isMild = level === "none" || level === "normal" || level === "too_few";
  const isFound = (causes[0]?.probability ?? 0) >= FOUND;
  if (!isMild && !isFound) return verdict;
  const mean = `(mean |Δ| ${formatNumber(meanAbs)})`;
  const size = isMild
    ? `The size alone looks normal ${mean}`
    : `By its size the mismatch is ${level} ${mean}`;
  const told = level === "too_few" ? `There are too few tokens to judge its size ${mean}` : size;
  return at(verdict, "fault", `${sayFirst(causes, diagnosis)} ${told}`);
}

function sayFirst(causes: readonly CauseGroup[], diagnosis: Diagnosis): string {
  const [first, ...others] = causes;
  if (first === undefined) return diagnosis.sentence;
  const second = others.find(({ coexists }) => !coexists);
  const [likeliest] = first.causes;
  const probably =
    first.causes.length > 1 && likeliest !== undefined && likeliest.title !== first.title
      ? `, likeliest: ${inSentence(likeliest.title)} (${formatChance(likeliest.probability)})`
      : "";
  const otherwise =
    second === undefined || first.probability >= FOUND
      ? ""
      : `, else ${inSentence(second.title)} (${formatChance(second.probability)})`;
  return `${nameGroup(first)} (${formatChance(first.probability)})${probably}${otherwise}.`;
}

/** `One environment differs: arithmetic`, `Differs since step 306`. */
function nameGroup({ title, part, causes: [likeliest] }: CauseGroup): string {
  if (part === null) return title;
  if (likeliest?.id === "sudden_onset") return `Differs since ${part}`;
  if (likeliest?.id === "one_bad_step") return `Only ${part} differs`;
  return `${title}: ${part}`;
}

function settleHealthy({ verdict, jumps, meanAbs }: Parts, diagnosis: Diagnosis): Verdict {
  const { level } = verdict;
  if (level === "normal") return { ...verdict, headline: `${verdict.headline}. No test finds a fault` };
  if ((level !== "elevated" && level !== "high") || jumps) return verdict;
  const noise = diagnosis.metrics.logit_noise;
  const scale =
    typeof noise === "number" ? `: logit noise σ ${formatNumber(noise)}, as a sound bf16 engine has` : "";
  return at(
    verdict,
    "normal",
    `no test finds a fault, and the precision of an engine explains the mismatch on a policy this unsure${scale}. Mean |Δ| ${formatNumber(meanAbs)} is above what others publish`,
  );
}

function settleUnknown({ verdict, meanAbs }: Parts, diagnosis: Diagnosis): Verdict {
  const { level } = verdict;
  if (level !== "none" && level !== "normal") return verdict;
  const noise = diagnosis.metrics.logit_noise;
  const scale = typeof noise === "number" ? `, logit noise σ ${formatNumber(noise)}` : "";
  return at(
    verdict,
    "elevated",
    `something differs beyond the precision of an engine (mean |Δ| ${formatNumber(meanAbs)}${scale}), and the data do not show what`,
  );
}

function at(verdict: Verdict, level: Verdict["level"], headline: string): Verdict {
  return { ...verdict, level, level_range: [level, level], headline };
}
