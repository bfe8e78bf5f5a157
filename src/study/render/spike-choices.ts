import type { KlAlternative, SpikeFigures } from "../results/texts.ts";

/** A token that one of the two policies would have said. */
export interface Choice {
  readonly token: string;
  readonly own: number | null;
  readonly reference: number | null;
}

/** The parts of a spike that show what both policies would have said instead. */
export type ForcedToken = Pick<
  SpikeFigures,
  "token" | "probability" | "reference_probability" | "alternatives" | "reference_alternatives"
>;

/** The likeliest tokens of both policies, one row each; a policy that does not list a token has no figure for it. */
export function listChoices(spike: ForcedToken): Choice[] {
  const byToken = new Map<string, Choice>();
  const add = (list: readonly KlAlternative[], side: "own" | "reference"): void => {
    for (const { token, probability } of list) {
      const known = byToken.get(token) ?? { token, own: null, reference: null };
      byToken.set(token, { ...known, [side]: probability });
    }
  };
  add(spike.alternatives, "own");
  add(spike.reference_alternatives, "reference");
  const forced = byToken.get(spike.token);
  byToken.set(spike.token, {
    token: spike.token,
    own: spike.probability ?? forced?.own ?? null,
    reference: spike.reference_probability ?? forced?.reference ?? null,
  });
  const weight = ({ own, reference }: Choice): number => Math.max(own ?? 0, reference ?? 0);
  return [...byToken.values()].sort((a, b) => weight(b) - weight(a));
}
