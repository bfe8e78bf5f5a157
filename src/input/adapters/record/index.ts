/**
 * The record itself: Parquet that logratio wrote, or that a trainer wrote with the same column names (a subset is
 * enough); the same names in JSONL; and in safetensors with the lists laid end to end.
 *
 * @module
 */

import type { NumericArray } from "../../../core/base/index.ts";
import {
  dictionary,
  isLogratioError,
  type LogratioError,
  MissingSideError,
} from "../../../core/base/index.ts";
import type { Origin, Provenance, SequenceDraft, TopKDraft } from "../../../core/schema/index.ts";
import {
  LIST_COLUMNS,
  nameInVersion,
  ORIGIN_COLUMNS,
  POLICY_PREFIXES,
  readVersion,
  SCALAR_COLUMNS,
  VERSION_KEY,
} from "../../../core/schema/index.ts";
import type { RowChunk, RowDocument, RowValue, SourceDocument, TreeDocument } from "../../io/columns.ts";
import type { Adapter, AdapterContext, Match, OnePolicy } from "../adapter.ts";
import { findOnePolicy } from "../shared/missing-side.ts";
import { agreedNumber, reportBadRow } from "../shared/row-objects.ts";
import { describeRowValue, isRowMap, toNumber, toNumbers, toText } from "../shared/row-values.ts";
import { describeValue } from "../shared/tree-values.ts";
import { readSampling, readSides } from "./origin.ts";
import { isPacked, readMetadataNumber, readPackedRecord } from "./packed.ts";

export { checkPackedRecord } from "./packed.ts";

const NO_MASK = "response mask: not present, so every token counts as sampled";
const NEEDED = [LIST_COLUMNS.rolloutLogprobs, LIST_COLUMNS.trainerLogprobs];

/** Row `i` of a chunk under the current version's names. */
interface RecordRow {
  readonly get: (name: string) => RowValue | undefined;
  /** Arrays under a prefix (`entropy.trainer`, or an object `entropy` with a key `trainer`), by what follows it. */
  readonly named: (prefix: string) => Record<string, NumericArray>;
}

function asRow(chunk: RowChunk, i: number, version: number): RecordRow {
  const get = (name: string): RowValue | undefined => chunk.get(i, nameInVersion(name, version));
  const named = (prefix: string): Record<string, NumericArray> => {
    const found = dictionary<NumericArray>();
    const add = (name: string, value: RowValue | undefined): void => {
      const numbers = value === undefined || value === null ? undefined : toNumbers(value);
      if (numbers !== undefined) found[name] = numbers;
    };
    for (const name of chunk.names(i))
      if (name.startsWith(prefix)) add(name.slice(prefix.length), chunk.get(i, name));
    const nested = chunk.get(i, prefix.slice(0, -1));
    if (isRowMap(nested)) for (const [name, value] of Object.entries(nested)) add(name, value);
    return found;
  };
  return { get, named };
}

function topK(row: RecordRow, length: number): Record<string, TopKDraft> {
  const ids = row.named(POLICY_PREFIXES.topKIds);
  const logprobs = row.named(POLICY_PREFIXES.topKLogprobs);
  const found = dictionary<TopKDraft>();
  for (const [name, values] of Object.entries(ids)) {
    const k = values.length / length;
    const alternatives = logprobs[name];
    if (length > 0 && Number.isInteger(k) && k > 0 && alternatives?.length === values.length) {
      found[name] = { k, ids: values, logprobs: alternatives };
    }
  }
  return found;
}

/** Remembers the last origin, so that consecutive rows of one source share one object. */
function originReader(document: RowDocument): (row: RecordRow) => Origin {
  let key = "";
  let last: Origin | undefined;
  return ({ get }) => {
    const text = (name: string): string | undefined => toText(get(name));
    const number = (name: string): number | undefined => toNumber(get(name));
    const alignment: Provenance["alignment"] =
      text(ORIGIN_COLUMNS.alignment) === "next-token" ? "next-token" : "token";
    const provenance = {
      file: text(ORIGIN_COLUMNS.file) ?? document.file,
      format: text(ORIGIN_COLUMNS.format) ?? document.format,
      trainer: text(ORIGIN_COLUMNS.trainer) ?? "record",
      alignment,
    };
    const sides = readSides({ text, number });
    const now: Origin = { provenance, sampling: readSampling({ text, number }), ...(sides && { sides }) };
    const nowKey = JSON.stringify(now);
    if (last === undefined || nowKey !== key) {
      key = nowKey;
      last = now;
    }
    return last;
  };
}

function some<T>(named: Record<string, T>): Record<string, T> | undefined {
  return Object.keys(named).length === 0 ? undefined : named;
}

function toDraft(row: RecordRow, origin: Origin, position: number): SequenceDraft | undefined {
  const array = (name: keyof typeof LIST_COLUMNS): NumericArray | undefined =>
    toNumbers(row.get(LIST_COLUMNS[name]));
  const text = (name: keyof typeof SCALAR_COLUMNS): string | undefined =>
    toText(row.get(SCALAR_COLUMNS[name]));
  const number = (name: keyof typeof SCALAR_COLUMNS): number | undefined =>
    toNumber(row.get(SCALAR_COLUMNS[name]));
  const rolloutLogprobs = array("rolloutLogprobs");
  const trainerLogprobs = array("trainerLogprobs");
  const responseTokenIds = array("responseTokenIds");
  const length = (rolloutLogprobs ?? trainerLogprobs ?? responseTokenIds)?.length;
  if (length === undefined) return undefined;
  return {
    length,
    responseMask: array("responseMask") ?? new Uint8Array(length).fill(1),
    rolloutLogprobs,
    trainerLogprobs,
    responseTokenIds,
    policyLogprobs: some(row.named(POLICY_PREFIXES.policyLogprobs)),
    entropies: some(row.named(POLICY_PREFIXES.entropies)),
    topK: some(topK(row, length)),
    digitLogprobs: array("digitLogprobs"),
    advantages: array("advantages") ?? toNumber(row.get(LIST_COLUMNS.advantages)),
    positionIds: array("positionIds"),
    weightVersions: array("weightVersions"),
    keptMass: array("keptMass"),
    routeAgreement: array("routeAgreement"),
    promptTokenIds: array("promptTokenIds"),
    trainerPromptTokenIds: array("trainerPromptTokenIds"),
    step: number("step"),
    rank: number("rank"),
    row: number("row") ?? position,
    pack: number("pack"),
    reward: number("reward"),
    correctness: number("correctness"),
    sourceOffset: number("sourceOffset"),
    sampleId: text("sampleId"),
    groupId: text("groupId"),
    environment: text("environment"),
    finishReason: text("finishReason"),
    engineId: text("engineId"),
    recorder: text("recorder"),
    cachedTokens: number("cachedTokens"),
    promptText: text("promptText"),
    responseText: text("responseText"),
    origin,
  };
}

/** Reports what a row holds that does not fit into a draft. */
function reportLosses(
  row: RecordRow,
  draft: SequenceDraft,
  file: string,
  position: number,
  { findings }: AdapterContext,
): void {
  const at = { file, row: position };
  if (row.get(LIST_COLUMNS.responseMask) === null) {
    findings.add({
      code: "mask-guessed",
      severity: "warning",
      subject: "null masks",
      count: 1,
      at,
      hint: "write a response mask for every row",
      describe: (count) =>
        `${count} ${count === 1 ? "row has" : "rows have"} a null response_mask: all ${count === 1 ? "its" : "their"} tokens count as sampled`,
    });
  }
  for (const name of Object.keys(row.named(POLICY_PREFIXES.topKIds))) {
    if (draft.topK?.[name] !== undefined || draft.length === 0) continue;
    findings.add({
      code: "note",
      severity: "warning",
      subject: `ragged top-k of ${name}`,
      count: 1,
      at,
      likely: "tokens have different numbers of alternatives, or ids and log-probs differ in length",
      hint: "write the same number of alternatives per token, padded with id -1",
      describe: (count) =>
        `${count} ${count === 1 ? "row has" : "rows have"} top-k lists of unequal length for ${name}: left out`,
    });
  }
}

async function* readBlocks(
  document: RowDocument,
  context: AdapterContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const { file } = document;
  const version = readVersion(document.metadata, file);
  const readOrigin = originReader(document);
  for await (const chunk of document.chunks({
    onBadRow: (bad) => reportBadRow(context.findings, file, bad),
  })) {
    const drafts: SequenceDraft[] = [];
    for (let i = 0; i < chunk.length; i++) {
      const row = asRow(chunk, i, version);
      const draft = toDraft(row, readOrigin(row), chunk.firstRow + i);
      if (draft !== undefined) reportLosses(row, draft, file, chunk.firstRow + i, context);
      if (draft !== undefined) drafts.push(draft);
      else
        reportBadRow(context.findings, file, {
          row: chunk.firstRow + i,
          message: "neither log-probs nor token ids in this row",
        });
    }
    yield drafts;
  }
}

function versionProblem(document: SourceDocument): LogratioError | undefined {
  try {
    readVersion(document.metadata, document.file);
    return undefined;
  } catch (error) {
    if (isLogratioError(error)) return error;
    throw error;
  }
}

function missingColumn(has: "rollout" | "trainer", file: string): MissingSideError {
  const missing = has === "rollout" ? LIST_COLUMNS.trainerLogprobs : LIST_COLUMNS.rolloutLogprobs;
  return new MissingSideError(`the record has no ${missing}: it holds one policy only`, {
    at: { file },
    hint: `write ${missing}, one log-prob per response token, next to ${LIST_COLUMNS[`${has}Logprobs`]}`,
  });
}

/** The only side present; undefined when there are two or none. */
function describeColumns(names: readonly string[], file: string): OnePolicy | undefined {
  const only = findOnePolicy((side) => names.includes(LIST_COLUMNS[`${side}Logprobs`]));
  return only && { has: only, error: missingColumn(only, file) };
}

const KNOWN: readonly string[] = [...Object.values(LIST_COLUMNS), ...Object.values(SCALAR_COLUMNS)];

function isKnown(name: string): boolean {
  return KNOWN.includes(name) || Object.values(POLICY_PREFIXES).some((prefix) => name.startsWith(prefix));
}

function detectPacked(document: TreeDocument): Match | undefined {
  const names = Object.keys(document.root);
  const isDeclared = document.metadata[VERSION_KEY] !== undefined;
  if (!isPacked(document) || (!isDeclared && !NEEDED.every((name) => names.includes(name)))) return undefined;
  return {
    score: 1,
    found: names.filter(isKnown).map((name) => `${name}: ${describeValue(document.root[name])}`),
    guessed: names.includes(LIST_COLUMNS.responseMask) ? [] : [NO_MASK],
    missing: KNOWN.filter((name) => !names.includes(name)),
    step: readMetadataNumber(document, SCALAR_COLUMNS.step),
    rank: readMetadataNumber(document, SCALAR_COLUMNS.rank),
    problem: versionProblem(document),
    onePolicy: describeColumns(names, document.file),
  };
}

export const record: Adapter = {
  name: "record",
  async detect(document, mapping) {
    // Columns that the user named do not belong to the layout: the generic adapter reads them.
    if (mapping !== undefined) return undefined;
    if (document.kind === "tree") return detectPacked(document);
    const names = [...new Set(document.sample.flatMap((row) => Object.keys(row)))];
    const declared = document.metadata[VERSION_KEY] !== undefined;
    if (!declared && !NEEDED.every((name) => names.includes(name))) return undefined;
    const problem = versionProblem(document);
    const sampled = (name: string): RowValue | undefined =>
      document.sample.map((row) => row[name]).find((value) => value !== undefined && value !== null);
    return {
      score: 1,
      found: names.filter(isKnown).map((name) => `${name}: ${describeRowValue(sampled(name))}`),
      guessed: names.includes(LIST_COLUMNS.responseMask) ? [] : [NO_MASK],
      missing: KNOWN.filter((name) => !names.includes(name)),
      step: agreedNumber(document, [SCALAR_COLUMNS.step]),
      rank: agreedNumber(document, [SCALAR_COLUMNS.rank]),
      problem,
      onePolicy: describeColumns(names, document.file),
    };
  },
  async read(document, context) {
    const blocks =
      document.kind === "tree" ? readPackedRecord(document, context) : readBlocks(document, context);
    return { alignment: "token", sampling: {}, blocks };
  },
};
