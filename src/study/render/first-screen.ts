/**
 * What a terminal shows of a study unless everything is requested: at which tokens the last checkpoint differs, of
 * which kind, since when, what was tested, and the largest spike in its text.
 *
 * @module
 */

import { formatShare, plural } from "../../core/text/index.ts";
import type { Surface } from "../../render/document/index.ts";
import type { KlReport } from "../results/report.ts";
import { drawSpike } from "./terminal-spikes.ts";
import { figure, quoted } from "./values.ts";

const MOST_TOKENS = 3;

/** Label and sentence; a row without figures is left out. */
export function briefRows(report: KlReport): (readonly [label: string, text: string])[] {
  const { metrics, checkpoints, top_tokens: tokens, categories, progression, answers } = report;
  const last = checkpoints[metrics.last_checkpoint];
  const kinds = Object.entries(categories[metrics.last_checkpoint] ?? {});
  const [kind] = kinds.sort(([, a], [, b]) => b.share_of_kl - a.share_of_kl);
  const halfBy = progression?.half_by ?? null;
  return [
    ...(last?.spike_share_of_kl == null
      ? []
      : [
          [
            "where",
            `${plural(last.spikes_total, "spike")}, ${figure(last.spikes_per_100_tokens)} per 100 tokens, ${last.spikes_total === 1 ? "has" : "have"} ${formatShare(last.spike_share_of_kl)} of the KL; by token ${tokens
              .slice(0, MOST_TOKENS)
              .map(({ token, share_of_kl: share }) => `${quoted(token)} ${formatShare(share)}`)
              .join(", ")}`,
          ] as const,
        ]),
    ...(kind === undefined || kinds.length === 1
      ? []
      : [
          [
            "kind",
            `${kind[0]} tokens: ${formatShare(kind[1].share_of_kl)} of the KL on ${formatShare(kind[1].share_of_tokens)} of the tokens`,
          ] as const,
        ]),
    ...(halfBy === null ? [] : [["since", `half of it is there by ${halfBy}, and stays`] as const]),
    ...(answers.length === 0 ? [] : [["tests", tellTests(answers)] as const]),
  ];
}

/** `4 answers supported; not supported: …; 1 question without enough data` */
function tellTests(answers: KlReport["answers"]): string {
  const of = (wanted: KlReport["answers"][number]["support"]) =>
    answers.filter(({ support }) => support === wanted);
  const [yes, no, open] = [of("yes"), of("no"), of("not enough data")];
  return [
    ...(yes.length === 0 ? [] : [`${plural(yes.length, "answer")} supported`]),
    ...no.map(({ question }) => `not supported: ${question}`),
    ...(open.length === 0 ? [] : [`${plural(open.length, "question")} without enough data`]),
  ].join("; ");
}

/** The token at which the last checkpoint differs most, with what both would have said. */
export function drawLargestSpike(
  { top_spikes: [largest], metrics, reference }: KlReport,
  surface: Surface,
): string[] {
  if (largest === undefined) return [];
  const about = { checkpoint: metrics.last_checkpoint, reference };
  return drawSpike(largest, { mark: "largest spike", context: true, ...about }, surface);
}
