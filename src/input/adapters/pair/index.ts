/**
 * Two files that scored the same tokens: the first is the rollout side, the second the trainer side.
 *
 * @module
 */
import { MissingSideError, SchemaError } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import { type FindingLog, unreadableRows } from "../../../core/schema/index.ts";
import type { SourceDocument } from "../../io/index.ts";
import type { Adapter } from "../adapter.ts";
import { commonPrefix, matchScorings } from "./match.ts";
import { detectScorings, readScorings } from "./read-scorings.ts";
import type { Scoring, ScoringFormat } from "./scoring.ts";

function alone(file: string, what: string): MissingSideError {
  return new MissingSideError(`${what}: only one policy's log-probs are present`, {
    at: { file },
    likely: "a server or a single engine wrote this file",
    hint: "give a second file with another engine's scores of the same tokens: FIRST is the rollout side, SECOND the trainer side",
  });
}

/** Recognizes one half of a pair; on its own it cannot be read. */
export const pair: Adapter = {
  name: "pair",
  async detect(document) {
    const scorings = detectScorings(document);
    if (scorings === undefined) return undefined;
    return {
      score: 0.4,
      found: [scorings.what],
      guessed: [],
      missing: ["a second policy's log-probs"],
      problem: alone(document.file, scorings.what),
    };
  },
  async read(document) {
    throw alone(document.file, detectScorings(document)?.what ?? "no scorings");
  },
};

function reportUnused(format: ScoringFormat, file: string, findings: FindingLog): void {
  if (format.ignored.length > 0) {
    findings.add({
      code: "note",
      severity: "info",
      subject: `ignored ${file}`,
      count: format.ignored.length,
      omits: { unit: "input", why: "no_data" },
      at: { file },
      describe: (count) =>
        `${count} ${count === 1 ? "entry is not a generation" : "entries are not generations"}: ${format.ignored.slice(0, 5).join(", ")}`,
    });
  }
  for (const { row, message } of format.unusable) {
    findings.add({
      code: "bad-row",
      severity: "skipped",
      subject: file,
      count: 1,
      omits: { unit: "sequence", why: "unreadable" },
      at: { file, row },
      describe: (count) => unreadableRows(count, message),
    });
  }
}

/**
 * Drafts of the tokens that both files scored after the same text: per generation the common beginning.
 *
 * @throws SchemaError when a document holds no scorings, or no two belong together
 */
export async function readPair(
  rollout: SourceDocument,
  trainer: SourceDocument,
  findings: FindingLog,
): Promise<readonly SequenceDraft[]> {
  for (const document of [rollout, trainer]) {
    if (detectScorings(document) !== undefined) continue;
    throw new SchemaError(
      "this file has no token ids with one list of log-probs, so it cannot be half of a pair",
      {
        at: { file: document.file },
      },
    );
  }
  const first = await readScorings(rollout);
  const second = await readScorings(trainer);
  reportUnused(first, rollout.file, findings);
  reportUnused(second, trainer.file, findings);
  const { pairs, unmatched, by } = matchScorings(first.scorings, second.scorings);
  if (pairs.length === 0) {
    throw new SchemaError(
      `none of ${first.scorings.length} generations in ${rollout.file} has a counterpart among the ${second.scorings.length} in ${trainer.file}`,
      {
        at: { file: trainer.file },
        likely: "the files are about different prompts",
        hint: "both files need the same keys or the same prompt texts",
      },
    );
  }
  if (unmatched > 0) {
    findings.add({
      code: "note",
      severity: "skipped",
      subject: "unmatched",
      count: unmatched,
      omits: { unit: "sequence", why: "incomparable" },
      at: { file: trainer.file },
      describe: (count) =>
        `${count} ${count === 1 ? "generation has" : "generations have"} no counterpart in the other file`,
    });
  }
  if (by.order > 1) {
    findings.add({
      code: "note",
      severity: "warning",
      subject: "by order",
      count: by.order,
      at: { file: trainer.file },
      describe: (count) =>
        `${count} ${count === 1 ? "generation has" : "generations have"} neither key nor prompt and ${count === 1 ? "was" : "were"} paired in the order in which they appear`,
    });
  }
  reportPromptLogprobs(pairs, trainer.file, findings);
  if (pairs.every(([a, b]) => commonPrefix(a, b) === 0 && measureLength([a, b]) > 0))
    throw textsDiffer(pairs, rollout.file, trainer.file);
  let parted = 0;
  let apart = 0;
  return pairs.flatMap(([a, b]): SequenceDraft[] => {
    const length = commonPrefix(a, b);
    const longer = measureLength([a, b]);
    if (length < longer) {
      parted++;
      if (length === 0) apart++;
      findings.add({
        code: "texts-part",
        severity: "warning",
        count: longer - length,
        omits: { unit: "token", why: "incomparable" },
        at: { file: trainer.file, row: b.row },
        likely: "each engine sampled independently, and after the first differing token the contexts differ",
        describe: (count) =>
          `${count} ${count === 1 ? "token" : "tokens"} after the point where ${parted} of ${pairs.length} generations diverge${apart === 0 ? "" : ` (${apart} at the first token)`}`,
      });
    }
    if (length === 0 && longer > 0) return [];
    return [
      {
        length,
        responseMask: new Uint8Array(length).fill(1),
        rolloutLogprobs: a.logprobs.subarray(0, length),
        trainerLogprobs: b.logprobs.subarray(0, length),
        responseTokenIds: a.tokenIds.subarray(0, length),
        promptTokenIds: a.promptTokenIds ?? b.promptTokenIds,
        promptText: a.promptText ?? b.promptText,
        responseText: length === longer ? a.responseText : undefined,
        sampleId: a.key ?? b.key,
        row: a.row,
        sourceOffset: a.sourceOffset,
      },
    ];
  });
}

type Pair = readonly [Scoring, Scoring];

function measureLength([a, b]: Pair): number {
  return Math.max(a.tokenIds.length, b.tokenIds.length);
}

/** Both engines may have scored the prompt too: figures are about what was generated. */
function reportPromptLogprobs(pairs: readonly Pair[], file: string, findings: FindingLog): void {
  const count = pairs.reduce(
    (sum, [a, b]) => sum + Math.min(a.promptLogprobs ?? 0, b.promptLogprobs ?? 0),
    0,
  );
  if (count === 0) return;
  findings.add({
    code: "note",
    severity: "info",
    subject: "prompt log-probs",
    count,
    omits: { unit: "token", why: "no_data" },
    at: { file },
    describe: (total) =>
      `${total} prompt ${total === 1 ? "token has a log-prob" : "tokens have log-probs"} in both files, not compared: figures cover generated tokens only`,
  });
}

function textsDiffer(pairs: readonly Pair[], first: string, second: string): SchemaError {
  const [a, b] = pairs[0]!;
  const name = a.key === undefined ? `row ${a.row}` : `generation ${a.key}`;
  const start = (scoring: Scoring): string =>
    scoring.tokenIds.length === 0 ? "nothing" : `token ${scoring.tokenIds[0]}`;
  return new SchemaError(
    `the two files hold different texts: ${pairs.length === 1 ? "the generation differs" : `all ${pairs.length} generations differ`} from the first token on (${name}: ${start(a)} in ${first}, ${start(b)} in ${second})`,
    {
      at: { file: second, row: b.row },
      likely: "each engine sampled independently, or the files have different tokenizers or prompts",
      hint: "let the second engine score the tokens of the first (teacher forcing) instead of sampling its own",
    },
  );
}
