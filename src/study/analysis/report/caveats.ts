import { plural } from "../../../core/text/index.ts";
import type { KlReport } from "../../results/report.ts";
import type { KlStudyInput } from "./report-input.ts";

/** With fewer problems, an interval or a test rests on little. */
const FEW_PROBLEMS = 20;
/**
 * Times the squared coefficient of variation: from so many problems on, intervals of lognormal means hold in 93 % or
 * more of simulated studies; below, in 82 to 93 %.
 */
const PROBLEMS_PER_VARIATION = 25;

/**
 * What the figures of this study do not show: each line only if it applies, with its numbers. The first five are the
 * open points of the method itself: whose texts they are, what a high KL means, forced against free generation,
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
      `Texts were written by another policy than the reference ${reference} (${written} of ${texts.length}): KL there does not describe ${reference}'s own text, and the errors are not ${reference}'s.`,
    );
  }
  if (unknown > 0)
    lines.push(
      `The author of ${unknown} of ${texts.length} texts is unknown: KL shows how checkpoints differ on what the reference would write only if the reference wrote the text.`,
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
      `For ${unknown} of ${texts.length} texts, correctness is unknown: a high KL there may be a correction or a new error.`,
    );
  if (right > 0 && wrong > 0)
    lines.push(
      `The figures of a checkpoint combine right (${right}) and wrong (${wrong}) texts: a high KL is good on an error and bad on a right step; correctness has the two separately.`,
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
    `Texts are forced: KL shows what a checkpoint would say next in a given text, not what it writes by itself (${own}).`,
  );
  if (report.correlations.length > 0 || report.first_errors.length > 0)
    lines.push(
      "Correlations and spikes at errors show where distributions differ, not why: they do not prove that a checkpoint moves because it sees the error.",
    );
  if (report.first_errors.length > 0)
    lines.push(
      "First errors are those named in the data, or wrong arithmetic; other kinds of error are not detected and may come earlier. The chance rate is that of a spike at any result in the text, because right results of arithmetic draw spikes, too.",
    );
  if (report.attention.length > 0)
    lines.push(
      "Attention is not an explanation: a share shows where a head reads, not what it takes from there or does with it, and layers pass on what earlier layers have read.",
    );
  if (report.attention.some(({ hidden }) => hidden !== null))
    lines.push(
      "Hidden tokens leave a gap that no policy was trained on, so KL that grows says little. Only KL that vanishes, and more than with other tokens hidden, comes from seeing them. Later digits of a wrong result and its repetitions stay visible.",
    );
  if (report.gradients.length > 0)
    lines.push(
      "Gradients are slopes at the text as it is: they show which tokens the KL reacts to if they have a little less weight, not what it would be with another token there. Tokens near a spike have large gradients because they are near.",
    );
  if (report.continuations.length > 0)
    lines.push(
      "Continuations are graded by their final answer alone: a right answer does not prove that the error was noticed, and a continuation cut off at the token limit counts as not right.",
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
      `Of ${bounded.map(([name]) => name).join(", ")} or the reference, only the most probable tokens are known: spikes, categories and series use the lower bound of KL, which may leave out more at one token than at another.`,
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
  const needed = Math.max(
    0,
    ...Object.values(checkpoints).map(({ mean_kl, std_kl, mean_kl_interval }) =>
      mean_kl_interval === null
        ? 0
        : Math.ceil(PROBLEMS_PER_VARIATION * ((std_kl ?? 0) / (mean_kl ?? 0)) ** 2),
    ),
  );
  if (needed > metrics.problems && Number.isFinite(needed))
    lines.push(
      `Problems differ so much in mean KL that 95 % intervals hold somewhat less often: at least ${plural(needed - metrics.problems, "more problem")} would be needed.`,
    );
  const missing = Object.entries(checkpoints).filter(([, { texts_missing }]) => texts_missing > 0);
  if (missing.length > 0)
    lines.push(
      `Not every text is scored under every checkpoint (missing: ${missing.map(([name, { texts_missing }]) => `${name} ${texts_missing}`).join(", ")} of ${input.texts.length}): means of checkpoints are over different texts; the comparisons use the problems that both have.`,
    );
  if (comparisons.length > 0)
    lines.push(
      "Tests are over problems, for these checkpoints: they show whether the result holds on other problems of this kind, not in another training run.",
    );
  return lines;
}
