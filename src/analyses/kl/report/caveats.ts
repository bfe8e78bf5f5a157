import type { KlReport } from "../../../results/index.ts";
import type { KlStudyInput } from "./report-input.ts";

/** Below this many problems an interval or a test rests on little. */
const FEW_PROBLEMS = 20;

/**
 * What the figures of this study do not say: each line only where it applies, with its numbers. The first five are the
 * open points of the method itself: whose texts they are, what a high KL means, forcing against free generation,
 * correlation against causation.
 */
export function caveats(
  input: KlStudyInput,
  report: Omit<KlReport, "answers" | "caveats" | "absent">,
): string[] {
  return [
    ...aboutTexts(input),
    ...aboutMeaning(input, report),
    ...aboutPolicies(input, report),
    ...aboutAmount(input, report),
  ];
}

function aboutTexts({ texts, reference, maskedOutTokens }: KlStudyInput): string[] {
  const lines: string[] = [];
  const unknown = texts.filter(({ source }) => source === undefined).length;
  const others = new Map<string, number>();
  for (const { source } of texts)
    if (source !== undefined && source !== reference) others.set(source, (others.get(source) ?? 0) + 1);
  if (others.size > 0) {
    const written = [...others].map(([source, count]) => `${count} by ${source}`).join(", ");
    lines.push(
      `Texts were written by another policy than the reference ${reference} (${written} of ${texts.length}): KL there is not about ${reference}'s own text, and its errors are not ${reference}'s.`,
    );
  }
  if (unknown > 0)
    lines.push(
      `Who wrote ${unknown} of ${texts.length} texts is not known: only on the reference's own texts does KL show how checkpoints take what it would write.`,
    );
  if (maskedOutTokens > 0)
    lines.push(
      `${maskedOutTokens} ${maskedOutTokens === 1 ? "token of tool output is in no figure: no policy chose it" : "tokens of tool output are in no figure: no policy chose them"}.`,
    );
  return lines;
}

function aboutMeaning(
  { texts, checkpoints }: KlStudyInput,
  report: Pick<
    KlReport,
    "attention" | "continuations" | "correlations" | "first_errors" | "gradients" | "metrics"
  >,
): string[] {
  const count = (is: boolean | undefined): number => texts.filter(({ correct }) => correct === is).length;
  const [right, wrong, unknown] = [count(true), count(false), count(undefined)];
  const lines: string[] = [];
  if (unknown > 0)
    lines.push(
      `Whether a text is right is not known of ${unknown} of ${texts.length}: a high KL there may be a correction or a new error.`,
    );
  if (right > 0 && wrong > 0)
    lines.push(
      `Right (${right}) and wrong (${wrong}) texts are together in the figures of a checkpoint: a high KL is good on an error and bad on a right step; read \`correctness\` for the two apart.`,
    );
  if (unknown === 0 && right === 0)
    lines.push(
      `${wrong === 1 ? "The only text is" : `All ${wrong} texts are`} wrong: nothing here says how far checkpoints move on right ones, so a high KL need not be aimed at errors.`,
    );
  const last = checkpoints.find(({ name }) => name === report.metrics.last_checkpoint);
  const solved = [...(last?.outcomes.values() ?? [])];
  const own =
    solved.length === 0
      ? "whether it would solve the problem is not known here"
      : `its own answers are right on ${solved.filter(Boolean).length} of ${solved.length} problems`;
  lines.push(
    `Texts are forced: KL shows what a checkpoint would say next along someone else's text, not what it writes by itself (${own}).`,
  );
  if (report.correlations.length > 0 || report.first_errors.length > 0)
    lines.push(
      "Correlations and spikes at errors show where distributions differ, not why: that a checkpoint moves because it sees the error does not follow.",
    );
  if (report.first_errors.length > 0)
    lines.push(
      "First errors are those that the data name, or arithmetic that does not hold; other kinds of error are not seen and may come before. Chance is a spike at any result that the text announces: results of arithmetic draw spikes where they are right, too.",
    );
  if (report.attention.length > 0)
    lines.push(
      "Attention is not explanation: a share says where a head reads, not what it takes from there or does with it, and layers pass on what earlier ones have read.",
    );
  if (report.attention.some(({ hidden }) => hidden !== null))
    lines.push(
      "Hidden tokens leave a hole that no policy was trained on: KL that grows with it says little, only KL that vanishes, and more than with other tokens hidden, comes from seeing them. Later digits of a wrong result, and where the text repeats it, stay visible.",
    );
  if (report.gradients.length > 0)
    lines.push(
      "Gradients are slopes at the text as it is: they say which tokens the KL answers to if they weigh a little less, not what it would be with another token there. Tokens near a spike have large ones for being near.",
    );
  if (report.continuations.length > 0)
    lines.push(
      "Continuations are graded by their final answer alone: a right answer need not mean that the error was noticed, and one that was cut off at the token limit counts as not right.",
    );
  return lines;
}

function aboutPolicies(
  input: KlStudyInput,
  { checkpoints, policies }: Pick<KlReport, "checkpoints" | "policies">,
): string[] {
  const lines: string[] = [];
  const bounded = Object.entries(checkpoints).filter(([, { exact }]) => !exact);
  if (bounded.length > 0)
    lines.push(
      `Only the most probable tokens are known of ${bounded.map(([name]) => name).join(", ")} or the reference: spikes, categories and series are of the lower bound of KL, and may differ in how much they leave out from token to token.`,
    );
  const used = [...Object.keys(checkpoints), input.reference].flatMap((name) => policies[name] ?? []);
  const kinds = new Set(used.map(({ logprobs }) => logprobs));
  const temperatures = new Set(used.map(({ temperature }) => temperature));
  if (kinds.size > 1)
    lines.push(
      "Log-probs of some policies are raw and of others processed by a sampler: part of the KL is that difference.",
    );
  if (temperatures.size > 1)
    lines.push(
      `Log-probs contain different temperatures (${[...temperatures].sort((a, b) => a - b).join(", ")}): part of the KL is that difference.`,
    );
  return lines;
}

function aboutAmount(
  input: KlStudyInput,
  { checkpoints, metrics, comparisons }: Pick<KlReport, "checkpoints" | "metrics" | "comparisons">,
): string[] {
  const lines: string[] = [];
  if (metrics.problems < FEW_PROBLEMS)
    lines.push(
      `${metrics.problems === 1 ? "1 problem is too few" : `${metrics.problems} problems are few`}: intervals and tests are over problems, and below about ${FEW_PROBLEMS} they are rough.`,
    );
  const missing = Object.entries(checkpoints).filter(([, { texts_missing }]) => texts_missing > 0);
  if (missing.length > 0)
    lines.push(
      `Not every text is scored under every checkpoint (missing: ${missing.map(([name, { texts_missing }]) => `${name} ${texts_missing}`).join(", ")} of ${input.texts.length}): means of checkpoints are over different texts; the comparisons use the problems that both have.`,
    );
  if (comparisons.length > 0)
    lines.push(
      "Tests are over problems, for these checkpoints: they say whether the same would show on other problems of this kind, not in another training run.",
    );
  return lines;
}
