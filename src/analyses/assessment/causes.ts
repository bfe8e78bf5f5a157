import type { CauseGroup } from "../../results/assessment.ts";
import type { Diagnosis, DoctorCause, Evidence } from "../../results/diagnosis.ts";

/** More groups, or groups less likely than this, are not worth an engineer's time. */
const MOST_GROUPS = 4;
const LEAST = 0.03;
/** Difference in log-odds (nats) between two causes that makes a fact count as a contrast: odds of two to one. */
const SEPARATES = 0.7;
/** A fact with at least this weight speaks for its cause, whatever the other causes predict. */
const TELLING = 1.5;
const MOST_EVIDENCE = 3;

/** The causes of a diagnosis, with those that look alike grouped; empty if nothing is wrong or too little is known. */
export function groupCauses({ verdict, causes, alike }: Diagnosis): CauseGroup[] {
  if (verdict === "healthy" || verdict === "too_few") return [];
  const faults = causes.filter(({ id }) => id !== "healthy" && id !== "cannot_tell");
  const together = alike === null ? [] : faults.filter(({ id }) => alike.causes.includes(id));
  const groups = [
    ...(together.length > 1 && alike !== null
      ? [{ title: alike.title, probability: alike.probability, members: together }]
      : []),
    ...faults
      .filter((cause) => together.length < 2 || !together.includes(cause))
      .map((cause) => ({ title: cause.title, probability: cause.probability, members: [cause] })),
  ]
    .filter(({ probability }) => probability >= LEAST)
    // A cause that coexists with the first has its own probability, which may be higher.
    .sort(
      (a, b) =>
        Number(a.members[0]!.coexists) - Number(b.members[0]!.coexists) || b.probability - a.probability,
    )
    .slice(0, MOST_GROUPS);
  return groups.map(({ title, probability, members }, at) => {
    const first = members[0]!;
    const rival = groups.find((other, place) => place !== at && !other.members[0]!.coexists)?.members[0];
    return {
      title,
      part: findPart(first),
      probability,
      coexists: first.coexists,
      causes: members.map((cause) => ({
        id: cause.id,
        title: cause.title,
        probability: cause.probability,
      })),
      evidence: contrast(first, rival),
      picture: first.evidence.find(({ picture }) => picture !== undefined)?.picture ?? null,
      explains: first.explains,
      fix: first.fix[0] ?? null,
    };
  });
}

/** Facts that speak for a cause more than for its rival; what both predict equally distinguishes nothing. */
function contrast(cause: DoctorCause, rival: DoctorCause | undefined): string[] {
  return cause.evidence
    .flatMap((one) => {
      if (one.weight <= 0) return [];
      if (one.profile === undefined)
        return one.weight >= TELLING ? [{ gain: one.weight, text: one.sentence }] : [];
      const other = rival?.evidence.find(({ profile }) => profile?.name === one.profile?.name);
      if (rival === undefined || other?.profile === undefined) return [];
      const gain = one.weight - other.weight;
      return gain >= SEPARATES ? [{ gain, text: sayContrast(one, other, [cause, rival]) }] : [];
    })
    .sort((a, b) => b.gain - a.gain)
    .slice(0, MOST_EVIDENCE)
    .map(({ text }) => text);
}

function sayContrast(
  one: Evidence,
  other: Evidence,
  [cause, rival]: readonly [DoctorCause, DoctorCause],
): string {
  const { label, value, expected } = one.profile!;
  return `${label} is ${value}; “${cause.title}” predicts ${expected}, “${rival.title}” ${other.profile!.expected}.`;
}

/** The part of the run that the evidence names: `arithmetic`; of several steps the first: `step 306`. */
function findPart({ family, evidence }: DoctorCause): string | null {
  if (family !== "where" && family !== "when") return null;
  const named = evidence
    .map(({ figures }) => figures.parts)
    .find((parts) => parts !== undefined && parts !== null);
  if (named === undefined || named === null) return null;
  return family === "when" ? `step ${String(named).split(",")[0]}` : String(named);
}
