/**
 * Findings about texts of a study without scores by a policy, and about scores of texts that the study does not have.
 *
 * @module
 */
import type { FindingLog } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import { computeKey } from "./keyed-text.ts";
import { reportRefusals } from "./scoring-findings.ts";
import type { ManifestPolicy } from "./store/manifest.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

/** The content of a policy's file of scores. */
export interface Coverage {
  /** Keys of its texts. */
  readonly keys: ReadonlySet<string>;
  readonly file: string;
  /** The policy's entry in the manifest. */
  readonly entry: ManifestPolicy | undefined;
  /** Whether the study's texts have digests, which show that a difference is not damage. */
  readonly isVerified: boolean;
}

/** Counts every text without scores once: as refused, as not sent, or as missing for another reason. */
export function reportCoverage(
  findings: FindingLog,
  policy: string,
  texts: readonly PreparedText[],
  { keys, file, entry, isVerified }: Coverage,
): void {
  const lacking = new Map<string, PreparedText>();
  const ours = new Set<string>();
  for (const text of texts) {
    const key = computeKey(text);
    ours.add(key);
    if (!keys.has(key)) lacking.set(key, text);
  }
  const refused = (entry?.refused ?? []).filter(({ key }) => lacking.delete(key));
  const unsent = Math.min(entry?.unsent ?? 0, lacking.size);
  reportRefusals(findings, policy, refused, unsent);
  const strangers = [...keys].filter((key) => !ours.has(key)).length;
  reportLacking(findings, policy, [...lacking.values()].slice(unsent), strangers);
  // A text without scores that is stored under another key has already been reported.
  const others = strangers - (lacking.size - unsent);
  if (others > 0) reportStrangers(findings, policy, others, { file, isVerified });
}

function reportLacking(
  findings: FindingLog,
  policy: string,
  lacking: readonly PreparedText[],
  strangers: number,
): void {
  const [first] = lacking;
  if (first === undefined) return;
  findings.add({
    code: "text-refused",
    severity: "skipped",
    subject: `${policy} without scores`,
    count: lacking.length,
    describe: (count) =>
      count === 1
        ? `${policy} has no scores of the text ${first.id}, which is left out of its figures`
        : `${policy} has no scores of ${plural(count, "text")}, which are left out of its figures; the first is ${first.id}`,
    at: {},
    likely:
      strangers > 0
        ? `texts.jsonl has changed since: ${plural(strangers, "score row")} of ${policy} ${strangers === 1 ? "belongs" : "belong"} to no text in it`
        : "the texts were added after the policy was scored",
    hint: "run logratio score again with the inputs of the study: only what is missing is scored",
  });
}

function reportStrangers(
  findings: FindingLog,
  policy: string,
  strangers: number,
  { file, isVerified }: Pick<Coverage, "file" | "isVerified">,
): void {
  findings.add({
    code: "text-refused",
    severity: isVerified ? "info" : "skipped",
    subject: `${policy} strangers`,
    count: strangers,
    describe: (count) =>
      `${plural(count, "score row")} of ${policy} ${count === 1 ? "belongs" : "belong"} to no text of the study`,
    at: { file },
    likely: isVerified
      ? "the study has fewer texts now than when the policy was scored, or damaged ones"
      : "texts.jsonl was damaged or edited, or has fewer texts than when the policy was scored",
    hint: "run logratio score again with the inputs of the study",
  });
}
