/** The verdict and its sentence, from the causes. */
import { isEnough, tellMissing } from "../../core/statistics/enough.ts";
import { formatChance, formatNumber, formatShare, inSentence, plural } from "../../core/text/index.ts";
import type { AlikeCauses, DoctorCause, DoctorVerdict } from "../../results/diagnosis.ts";

/** A cause this likely is named as the fault, however little data there is. */
const PROVEN = 0.9;
/** Below this, the first of many causes is not an answer. */
const LIKELY_ENOUGH = 0.3;
/** Nor is a group of causes, or a family, below this. */
const LIKELY_TOGETHER = 0.4;

export interface Data {
  readonly tokens: number;
  readonly sequences: number;
  readonly meanAbs: number | null;
  /** The first cause and those that look like it. */
  readonly alike: AlikeCauses | null;
  /** Causes that coexist with it. */
  readonly beside: readonly DoctorCause[];
  /** Total probability of the first cause's family. */
  readonly familyProbability: number;
}

export function giveVerdict(
  causes: readonly DoctorCause[],
  data: Data,
): { verdict: DoctorVerdict; sentence: string } {
  const [first] = causes;
  const isProven =
    first !== undefined &&
    first.probability >= PROVEN &&
    first.family !== "healthy" &&
    first.evidence.some(({ weight }) => weight > 8);
  if (first === undefined || (!isEnough(data) && !isProven)) {
    return {
      verdict: "too_few",
      sentence: `Only ${plural(data.tokens, "token")} of ${plural(data.sequences, "sequence")} can be compared: too few to say whether anything is wrong. It takes ${tellMissing(data)}.`,
    };
  }
  if (first.id === "healthy")
    return {
      verdict: "healthy",
      sentence: `Nothing is wrong (${formatChance(first.probability)}): mean |Δ| is ${formatNumber(data.meanAbs)} nats, which the precision of an engine explains, and no test finds a fault.`,
    };
  const named = Math.max(data.familyProbability, data.alike?.probability ?? 0);
  const isVague = first.probability < LIKELY_ENOUGH && named < LIKELY_TOGETHER;
  if (first.id === "cannot_tell" || isVague)
    return {
      verdict: "cannot_tell",
      sentence: `Something differs (mean |Δ| ${formatNumber(data.meanAbs)} nats), but the data do not show what.`,
    };
  return { verdict: "fault", sentence: `${nameFault(causes, first, data.alike)}${nameBeside(data.beside)}` };
}

function nameBeside(beside: readonly DoctorCause[]): string {
  if (beside.length === 0) return "";
  const named = beside.map(
    ({ title, probability, explains }) =>
      `${inSentence(title)} (${formatChance(probability)}${explains === null ? "" : `, ${formatShare(explains)} of Σ|Δ|`})`,
  );
  return ` Also found, but not what makes most of the difference: ${named.join(", ")}.`;
}

function nameFault(causes: readonly DoctorCause[], first: DoctorCause, alike: AlikeCauses | null): string {
  const others = causes
    .slice(1, 3)
    .filter(({ id, probability }) => probability >= 0.05 && id !== "cannot_tell" && id !== "healthy")
    .map(({ title, probability }) => `${inSentence(title)} (${formatChance(probability)})`);
  if (alike !== null) {
    const [, ...more] = alike.causes.map((id) => causes.find((cause) => cause.id === id) as DoctorCause);
    const others = more
      .slice(0, 2)
      .map(({ title, probability }) => `${inSentence(title)} (${formatChance(probability)})`);
    return `${alike.title} (${formatChance(alike.probability)}): ${inSentence(first.title)} (${formatChance(first.probability)}), else ${others.join(" or ")}.`;
  }
  const named = `${first.title} (${formatChance(first.probability)})`;
  return others.length === 0 ? `${named}.` : `${named}, else ${others.join(" or ")}.`;
}
