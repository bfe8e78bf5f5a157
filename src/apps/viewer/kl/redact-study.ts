/**
 * A study without its texts: tokens are their ids, prompts are left out. Names of texts and problems stay.
 *
 * @module
 */
import { answers } from "../../../study/analysis/index.ts";
import type { KlReport } from "../../../study/results/report.ts";
import type { KlAlternative, SpikeFigures } from "../../../study/results/texts.ts";
import type { PreparedText } from "../../../study/scoring/index.ts";

/** A token whose text is not shown. */
function idName(id: number | undefined): string {
  return `#${id ?? "?"}`;
}

export function redactText(text: PreparedText): PreparedText {
  return { ...text, promptText: undefined, responseText: "", tokens: Array.from(text.tokenIds, idName) };
}

export function redactAlternatives(alternatives: readonly KlAlternative[]): KlAlternative[] {
  return alternatives.map((one) => ({ ...one, token: idName(one.token_id) }));
}

/** @param texts as they were analyzed: they say the ids of tokens */
export function redactReport(report: KlReport, texts: readonly PreparedText[]): KlReport {
  const ids = new Map<string, number>();
  for (const { tokens, tokenIds } of texts)
    for (const [at, token] of tokens.entries()) if (!ids.has(token)) ids.set(token, tokenIds[at]!);
  const hideName = (token: string): string => idName(ids.get(token));
  const redactSpike = (spike: SpikeFigures): SpikeFigures => ({
    ...spike,
    token: hideName(spike.token),
    before: "",
    after: "",
    alternatives: redactAlternatives(spike.alternatives),
    reference_alternatives: redactAlternatives(spike.reference_alternatives),
  });
  const figures = {
    ...report,
    top_tokens: report.top_tokens.map((one) => ({ ...one, token: hideName(one.token) })),
    top_spikes: report.top_spikes.map(redactSpike),
    all_spikes:
      report.all_spikes &&
      Object.fromEntries(
        Object.entries(report.all_spikes).map(([name, spikes]) => [
          name,
          spikes.map((spike) => ({ ...spike, token: idName(spike.token_id) })),
        ]),
      ),
    cases: report.cases.map((one) => ({
      ...one,
      prompt_text: null,
      tokens: one.tokens.map(hideName),
      spikes: one.spikes.map(redactSpike),
    })),
  };
  // They name tokens.
  return { ...figures, answers: answers(figures) };
}
