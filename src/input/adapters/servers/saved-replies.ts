import { MissingSideError, SchemaError } from "../../../core/base/index.ts";
import {
  type FindingLog,
  type Sampling,
  type SequenceDraft,
  unreadableRows,
} from "../../../core/schema/index.ts";
import { formatCount } from "../../../core/text/index.ts";
import type { SourceDocument } from "../../io/columns.ts";
import { member, numberAt } from "../../replies/json.ts";
import type { Adapter, Match } from "../adapter.ts";
import { reportBadRow } from "../shared/row-objects.ts";
import { type FoundReply, readRowReplies, readTreeReplies, sampleReplies } from "./read-document.ts";
import type { ReplyProblem } from "./reply.ts";
import { countAlternatives, toDrafts } from "./to-draft.ts";

const IGNORED_LISTED = 5;

function explainAlone(file: string, what: string): MissingSideError {
  return new MissingSideError(`${what}: only one policy's log-probs are present`, {
    at: { file },
    likely: "a server or a single engine wrote this file",
    hint: "give a second file with another engine's scores of the same tokens: FIRST is the rollout side, SECOND the trainer side",
  });
}

function refuseAll(file: string, server: string, { message, ...advice }: ReplyProblem): SchemaError {
  const { likely, hint } = advice;
  return new SchemaError(`${server}: ${message}`, {
    at: { file },
    ...(likely !== undefined && { likely }),
    ...(hint !== undefined && { hint }),
  });
}

function reportIgnored(ignored: readonly string[], file: string, findings: FindingLog): void {
  if (ignored.length === 0) return;
  findings.add({
    code: "note",
    severity: "info",
    subject: `ignored ${file}`,
    count: ignored.length,
    omits: { unit: "input", why: "no_data" },
    at: { file },
    describe: (count) =>
      `${count} ${count === 1 ? "entry is not a generation" : "entries are not generations"}: ${ignored.slice(0, IGNORED_LISTED).join(", ")}`,
  });
}

const NOT_A_REPLY: ReplyProblem = { message: "no token ids with log-probs in this row" };

function reportProblem(findings: FindingLog, file: string, row: number, problem: ReplyProblem): void {
  const { message, likely, hint } = problem;
  findings.add({
    code: "bad-row",
    severity: "skipped",
    subject: file,
    count: 1,
    omits: { unit: "sequence", why: "unreadable" },
    at: { file, row },
    ...(likely !== undefined && { likely }),
    ...(hint !== undefined && { hint }),
    describe: (count) => unreadableRows(count, message),
  });
}

/** Alternatives without an id are in no figure: different tokens with the same text could not be distinguished. */
function reportUnnamed(findings: FindingLog, file: string, count: number): void {
  if (count === 0) return;
  findings.add({
    code: "note",
    severity: "info",
    subject: `unnamed alternatives ${file}`,
    count,
    at: { file },
    likely: "the server names tokens by text, and several tokens can have the same text",
    hint: 'request ids: "return_tokens_as_token_ids": true (vLLM)',
    describe: (total) =>
      `${formatCount(total)} ${total === 1 ? "alternative has" : "alternatives have"} a text but no token id and ${total === 1 ? "is" : "are"} not used`,
  });
}

/** llama.cpp repeats what was requested. */
function readSampling(document: SourceDocument): Sampling {
  const reply = document.kind === "tree" ? document.root : document.sample[0];
  const settings = member(reply, "generation_settings");
  const temperature = numberAt(settings, "temperature");
  const topP = numberAt(settings, "top_p");
  const topK = numberAt(settings, "top_k");
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
  };
}

function describeSample(found: readonly FoundReply[]): string {
  const servers = [...new Set(found.flatMap(({ reply }) => reply?.server ?? []))];
  return servers.join(", ");
}

/** How tokens are named decides how a second file can be matched. */
function describeTokens(found: readonly FoundReply[]): string[] {
  const texts = found.flatMap(({ reply }) => reply?.texts ?? []);
  const some = (has: boolean, what: string): string[] => (has ? [what] : []);
  return [
    ...some(
      texts.some(({ tokens }) => tokens.ids !== undefined),
      "token ids",
    ),
    ...some(
      texts.some(({ tokens }) => tokens.texts !== undefined),
      "the text of each token",
    ),
    ...some(
      texts.some(({ prompt }) => prompt !== undefined),
      "log-probs of the prompt",
    ),
    ...some(
      texts.some(({ tokens }) => tokens.top !== undefined),
      "alternatives by token id",
    ),
  ];
}

export const savedReplies: Adapter = {
  name: "servers",
  async detect(document) {
    const found = sampleReplies(document);
    const what = describeSample(found);
    if (what === "") return undefined;
    const usable = found.some(({ reply }) => (reply?.texts.length ?? 0) > 0);
    const first = found.find(({ reply }) => reply?.problem !== undefined)?.reply;
    const match: Match = {
      score: 0.4,
      found: [what, ...describeTokens(found)],
      guessed: [],
      missing: ["a second policy's log-probs"],
    };
    if (usable)
      return { ...match, onePolicy: { has: "rollout", what, error: explainAlone(document.file, what) } };
    return first?.problem && { ...match, problem: refuseAll(document.file, first.server, first.problem) };
  },
  async read(document, { findings }) {
    const { file } = document;
    const k = countAlternatives(sampleReplies(document).flatMap(({ reply }) => reply?.texts ?? []));
    let unnamed = 0;
    let next = 0;
    const readAll = (found: readonly FoundReply[]): SequenceDraft[] =>
      found.flatMap(({ reply, row, offset }) => {
        const problem = reply === undefined ? NOT_A_REPLY : reply.problem;
        if (problem !== undefined) reportProblem(findings, file, row, problem);
        if (reply === undefined) return [];
        for (const { tokens } of reply.texts) unnamed += tokens.unnamed ?? 0;
        // A reply with several choices moves all later rows down, so that every sequence has a row of its own.
        const first = Math.max(row, next);
        next = first + reply.texts.length;
        return toDrafts(reply, { row, first, offset }, k);
      });
    async function* blocks(): AsyncGenerator<readonly SequenceDraft[]> {
      if (document.kind === "tree") {
        const all = readTreeReplies(document);
        const replies = all.filter(({ reply }) => reply !== undefined);
        const others = all.filter(({ reply }) => reply === undefined);
        reportIgnored(
          others.map(({ name }) => name ?? ""),
          file,
          findings,
        );
        yield readAll(replies);
      } else {
        for await (const found of readRowReplies(document, (bad) => reportBadRow(findings, file, bad)))
          yield readAll(found);
      }
      reportUnnamed(findings, file, unnamed);
    }
    return { alignment: "token", sampling: readSampling(document), blocks: blocks() };
  },
};
