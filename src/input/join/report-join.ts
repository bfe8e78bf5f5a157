/**
 * Reports a join: how many sequences were matched and how, and which were not and why.
 *
 * @module
 */
import { type Place, SchemaError } from "../../core/base/index.ts";
import type { FindingLog, SequenceDraft } from "../../core/schema/index.ts";
import { formatCount, plural } from "../../core/text/index.ts";
import type { Half } from "./half.ts";
import type { JoinedBy, JoinedPair } from "./match.ts";
import { findComparison, listTokens, type Tokens } from "./same-tokens.ts";

export interface JoinTally {
  readonly by: Map<JoinedBy, number>;
  /** Matched pairs, compared or not. */
  pairs: number;
  /** Pairs that became a draft. */
  joined: number;
  /** Pairs that differ before the end of the longer one. */
  parted: number;
  /** Pairs that differ at the first token. */
  apart: number;
  /** Pairs whose tokens neither ids nor texts could compare. */
  unchecked: number;
  /** Pairs of different lengths whose tokens could not be compared. */
  unequal: number;
  firstApart: Apart | undefined;
}

export function emptyJoinTally(): JoinTally {
  return {
    by: new Map(),
    pairs: 0,
    joined: 0,
    parted: 0,
    apart: 0,
    unchecked: 0,
    unequal: 0,
    firstApart: undefined,
  };
}

/** Why a half has no counterpart, in singular and plural. */
function explainUnmatched({ draft }: Half): readonly [one: string, several: string] {
  if (draft.sampleId !== undefined) return ["its id is not there", "their ids are not there"];
  if (draft.groupId !== undefined) return ["its group is not there", "their groups are not there"];
  if (draft.promptText !== undefined || draft.promptTokenIds !== undefined)
    return ["its prompt is not there", "their prompts are not there"];
  return ["it has no id, group or prompt", "they have no id, group or prompt"];
}

/** Halves without a counterpart, by reason. */
export function reportUnmatched(
  halves: readonly Half[],
  [file, other]: readonly [string, string],
  findings: FindingLog,
): void {
  for (const half of halves) {
    const [one, several] = explainUnmatched(half);
    findings.add({
      code: "note",
      severity: "skipped",
      subject: `unmatched ${file} ${one}`,
      count: 1,
      omits: { unit: "sequence", why: "incomparable" },
      at: { file, ...(half.draft.row !== undefined && { row: half.draft.row }) },
      describe: (count) =>
        `${plural(count, "sequence has", "sequences have")} no counterpart in ${other}: ${count === 1 ? one : several}`,
    });
  }
}

/**
 * Reports the tokens after the first difference between the texts of a pair.
 *
 * @param tally read only when the message is written, so that it counts all pairs, including later ones
 */
export function reportParting(dropped: number, tally: JoinTally, at: Place, findings: FindingLog): void {
  findings.add({
    code: "texts-part",
    severity: "warning",
    count: dropped,
    omits: { unit: "token", why: "incomparable" },
    at,
    likely: "each engine sampled independently, and after the first differing token the contexts differ",
    describe: (count) =>
      `${plural(count, "token")} after the point where ${tally.parted} of ${plural(tally.pairs, "sequence")} ${tally.parted === 1 ? "diverges" : "diverge"}${tally.apart === 0 ? "" : ` (${tally.apart} at the first token)`}`,
  });
}

/** @param incomparable tokens of prompts */
export function reportPrompts(incomparable: number, file: string, findings: FindingLog): void {
  if (incomparable === 0) return;
  findings.add({
    code: "note",
    severity: "info",
    subject: "prompt log-probs",
    count: incomparable,
    omits: { unit: "token", why: "incomparable" },
    at: { file },
    likely: "the prompts were tokenized differently, or one file does not name the prompt's tokens",
    describe: (count) =>
      `${plural(count, "prompt token has", "prompt tokens have")} log-probs in both files but cannot be compared`,
  });
}

export function reportJoined(
  { by, unchecked, unequal }: JoinTally,
  file: string,
  findings: FindingLog,
): void {
  const ways = [...by].map(([way, count]) => `${formatCount(count)} by ${way}`);
  const total = [...by.values()].reduce((sum, count) => sum + count, 0);
  findings.add({
    code: "note",
    severity: "info",
    subject: "joined",
    count: total,
    at: { file },
    describe: (count) => `${plural(count, "sequence")} joined from the two sides: ${ways.join(", ")}`,
  });
  const ordered = by.get("order") ?? 0;
  if (ordered > 1) {
    findings.add({
      code: "note",
      severity: "warning",
      subject: "by order",
      count: ordered,
      at: { file },
      describe: (count) =>
        `${formatCount(count)} sequences have neither id nor prompt and were joined in the order in which they appear`,
    });
  }
  if (unchecked > 0) {
    findings.add({
      code: "note",
      severity: "warning",
      subject: "unchecked tokens",
      count: unchecked,
      at: { file },
      likely: "one of the two files has log-probs without token ids",
      describe: (count) =>
        `${plural(count, "sequence has", "sequences have")} tokens on one side only: whether both sides scored the same tokens was not checked`,
    });
  }
  if (unequal > 0) {
    findings.add({
      code: "length-mismatch",
      severity: "skipped",
      subject: "joined lengths",
      count: unequal,
      omits: { unit: "sequence", why: "incomparable" },
      at: { file },
      likely: "one side includes the prompt, the end-of-text token or tool output, the other does not",
      describe: (count) =>
        `${plural(count, "sequence has", "sequences have")} different lengths on the two sides and no tokens to align them by`,
    });
  }
}

/** Whether one side names its tokens only by id and the other only by text. */
function nameDifferently(a: SequenceDraft | undefined, b: SequenceDraft | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  const [first, second] = [listTokens(a), listTokens(b)];
  const has = ({ ids, texts }: Tokens): boolean => ids !== undefined || texts !== undefined;
  return has(first) && has(second) && findComparison(first, second) === undefined;
}

/** @param drafts one draft of each side */
export function refuseUnjoined(
  first: readonly [file: string, count: number],
  second: readonly [file: string, count: number],
  drafts: readonly [SequenceDraft | undefined, SequenceDraft | undefined],
): SchemaError {
  return new SchemaError(
    `none of ${plural(first[1], "sequence")} in ${first[0]} has a counterpart among the ${formatCount(second[1])} in ${second[0]}`,
    nameDifferently(...drafts)
      ? {
          at: { file: second[0] },
          likely:
            "one file names tokens by id and the other by text, and nothing else says which belong together",
          hint: 'request both: "return_tokens_as_token_ids": true (vLLM), "return_text_in_logprobs": true (SGLang)',
        }
      : {
          at: { file: second[0] },
          likely: "the files are about different prompts or steps",
          hint: "give two files with the same ids, the same groups, or the same prompts",
        },
  );
}

export function refuseOtherTexts(
  { name, starts, row }: Apart,
  pairs: number,
  files: readonly [string, string],
): SchemaError {
  return new SchemaError(
    `the two files hold different texts: ${pairs === 1 ? "the sequence differs" : `all ${formatCount(pairs)} sequences differ`} from the first token on (${name}: ${starts[0]} in ${files[0]}, ${starts[1]} in ${files[1]})`,
    {
      at: { file: files[1], ...(row !== undefined && { row }) },
      likely: "each engine sampled independently, or the files have different tokenizers or prompts",
      hint: "let the second engine score the tokens of the first (teacher forcing) instead of sampling its own",
    },
  );
}

/** What is reported about a pair that differs from the first token on. */
export interface Apart {
  readonly name: string;
  /** How each side's response begins. */
  readonly starts: readonly [string, string];
  /** Row on the second side. */
  readonly row: number | undefined;
}

/** Must be read immediately: a draft's arrays may lie in a buffer that the next block overwrites. */
export function describeApart({ first, second }: JoinedPair): Apart {
  const { sampleId, row } = first.draft;
  const start = ({ draft }: Half): string => {
    const { length, responseTokenIds: ids, responseTokens: texts } = draft;
    if (length === 0) return "nothing";
    return ids === undefined ? `token ${JSON.stringify(texts?.[0] ?? "")}` : `token ${ids[0]}`;
  };
  return {
    name: sampleId === undefined ? `row ${row ?? first.index}` : `sequence ${sampleId}`,
    starts: [start(first), start(second)],
    row: second.draft.row,
  };
}
