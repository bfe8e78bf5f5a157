import { formatCount, formatId, formatShare, plural } from "../../../core/text/index.ts";
import type { EventAlternative, MistakeEvent } from "../../../results/events.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { WorstToken } from "../../../results/worst.ts";
import { printable } from "../../text/printable.ts";
import type { AnswerRow } from "./answer-row.ts";

type EventRow = Omit<AnswerRow, "rank">;

/** Characters shown of the response on either side of the token, and of the prompt's end. */
const AROUND = 26;
const OF_PROMPT = 24;
/** Alternatives shown for each side, including the sampled token. */
const MOST_ALTERNATIVES = 2;

/**
 * The mistake with the largest effect by |Δ|: where it is, its text, what each side gives. In a run without so large a
 * mistake, the token with the largest |Δ|. Undefined if no token was compared.
 */
export function eventRow(report: MismatchReport, unicode: boolean): EventRow | undefined {
  const { events, level } = report.assessment;
  if (level === "not_comparable") return undefined;
  const [event] = events.by_raw;
  if (event !== undefined) return describeEvent(event, unicode);
  const [token] = report.worst_tokens;
  return token === undefined ? undefined : describeToken(token, report.metrics.tokens);
}

function describeEvent(event: MistakeEvent, unicode: boolean): EventRow {
  const { steps, answers, of_answers: of, text } = event;
  const step = steps.length === 0 ? "" : `${steps.length === 1 ? "step" : "steps"} ${sayNumbers(steps)}, `;
  const prompt = text?.prompt == null ? "one prompt" : `“${endOf(text.prompt, OF_PROMPT)}”`;
  const some =
    of === null
      ? `in ${plural(answers, "answer")}`
      : `in ${formatCount(answers)} of the ${plural(of, "answer")}`;
  const quoted = [...(text === null ? [] : [`    ${quote(text, unicode)}`]), ...sideLines(event)];
  return { label: "worst", text: `${step}${some} to ${prompt}:`, quoted };
}

function sayNumbers(steps: readonly number[]): string {
  const shown = steps.slice(0, 3).map(formatId).join(", ");
  return steps.length > 3 ? `${shown} and ${steps.length - 3} more` : shown;
}

/** The token between marks, on one line. */
function quote({ before, token, after }: NonNullable<MistakeEvent["text"]>, unicode: boolean): string {
  const [open, close] = unicode ? ["▐", "▌"] : ["[", "]"];
  const [lead, rest] = [
    [...oneLine(before)].slice(-AROUND).join(""),
    [...oneLine(after)].slice(0, AROUND).join(""),
  ];
  return printable(`${lead}${open}${oneLine(token)}${close}${rest}`);
}

const oneLine = (text: string): string => text.replaceAll(/\r?\n/g, "⏎");

function endOf(text: string, most: number): string {
  const shown = [...printable(oneLine(text).trim())];
  return shown.length <= most ? shown.join("") : `…${shown.slice(-most).join("")}`;
}

/** `engine   0  98.3 %   1  1.6 %`: the sampled token first, then the likeliest others. */
function sideLines({
  alternatives,
  rollout_logprob,
  trainer_logprob,
  token_id: id,
  text,
}: MistakeEvent): string[] {
  const sampled: EventAlternative = alternatives.find((one) => one.sampled) ?? {
    token_id: id,
    text: text?.token ?? null,
    sampled: true,
    rollout_probability: Math.exp(rollout_logprob),
    trainer_probability: Math.exp(trainer_logprob),
  };
  const others = alternatives
    .filter((one) => !one.sampled)
    .sort((a, b) => largest(b) - largest(a))
    .slice(0, MOST_ALTERNATIVES - 1);
  const shown = [sampled, ...others];
  const names = shown.map((one) => nameToken(one));
  const cell = (name: string, probability: number | null): string =>
    `${name}  ${(probability === null ? "?" : formatShare(probability)).padStart(8)}`;
  const line = (side: string, of: (one: EventAlternative) => number | null): string =>
    `${side.padEnd(8)} ${shown.map((one, at) => cell(names[at]!, of(one))).join("     ")}`;
  return [
    line("engine", ({ rollout_probability }) => rollout_probability),
    line("trainer", ({ trainer_probability }) => trainer_probability),
  ];
}

function largest({ rollout_probability: a, trainer_probability: b }: EventAlternative): number {
  return Math.max(a ?? 0, b ?? 0);
}

function nameToken({ text, token_id: id }: EventAlternative): string {
  if (text !== null && text.trim() !== "") return printable(oneLine(text.trim()));
  if (text !== null) return `“${printable(oneLine(text))}”`;
  return id === null ? "the token" : `#${formatId(id)}`;
}

/** Describes a token of a run without a large difference. */
function describeToken({ handle, rollout_logprob, trainer_logprob }: WorstToken, tokens: number): EventRow {
  const [engine, trainer] = [rollout_logprob, trainer_logprob].map((logprob) =>
    formatShare(Math.exp(logprob)),
  );
  return {
    label: "worst",
    text: `${handle}: ${engine} in the engine, ${trainer} in the trainer. No other of ${plural(tokens, "token")} differs more`,
  };
}
