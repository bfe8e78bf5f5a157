/**
 * The scorings of a document, whatever server wrote it.
 *
 * @module
 */
import type { RowMap, SourceDocument } from "../../io/index.ts";
import { readMegatron } from "./megatron.ts";
import { isTgi, readScoringRow } from "./rows.ts";
import type { Scoring, ScoringFormat } from "./scoring.ts";

function asRow(document: SourceDocument & { kind: "tree" }): RowMap {
  // A JSON object holds what a row holds; tensors of other formats are no row values and read as nothing.
  return document.root as RowMap;
}

/** What a document is, judged by its first rows; undefined when it holds no scorings. */
export function detectScorings(
  document: SourceDocument,
): { readonly what: string; readonly sample: number } | undefined {
  if (document.kind === "tree") {
    if (document.format !== "json") return undefined;
    const format = readMegatron(document.root) ?? readSingle(document);
    return format && { what: format.what, sample: format.scorings.length };
  }
  const usable = document.sample.filter((row, i) => typeof readScoringRow(row, i) === "object");
  if (usable.length === 0) return undefined;
  return {
    what: isTgi(usable[0]!) ? "text-generation-inference replies" : "token ids with one list of log-probs",
    sample: usable.length,
  };
}

function readSingle(document: SourceDocument & { kind: "tree" }): ScoringFormat | undefined {
  const row = asRow(document);
  const scoring = readScoringRow(row, 0);
  if (scoring === undefined) return undefined;
  const what = isTgi(row) ? "a text-generation-inference reply" : "token ids with one list of log-probs";
  if (typeof scoring === "string")
    return { what, scorings: [], ignored: [], unusable: [{ row: 0, message: scoring }] };
  return { what, scorings: [scoring], ignored: [], unusable: [] };
}

/** All scorings of a document that {@link detectScorings} recognized; they are held in memory. */
export async function readScorings(document: SourceDocument): Promise<ScoringFormat> {
  if (document.kind === "tree") return readMegatron(document.root) ?? readSingle(document)!;
  const scorings: Scoring[] = [];
  const unusable: { row: number; message: string }[] = [];
  const onBadRow = (bad: { row: number; message: string }): void => {
    unusable.push(bad);
  };
  for await (const chunk of document.chunks({ onBadRow })) {
    for (let i = 0; i < chunk.length; i++) {
      const row = chunk.firstRow + i;
      const values = Object.fromEntries(chunk.names(i).map((name) => [name, chunk.get(i, name)!]));
      const scoring = readScoringRow(values, row);
      if (typeof scoring === "object") {
        scorings.push({
          ...scoring,
          // Views of a chunk end with it.
          tokenIds: scoring.tokenIds.slice(),
          logprobs: scoring.logprobs.slice(),
          promptTokenIds: scoring.promptTokenIds?.slice(),
          sourceOffset: chunk.offset?.(i) ?? chunk.line?.(i),
        });
      } else unusable.push({ row, message: scoring ?? "no token ids with log-probs in this row" });
    }
  }
  return { what: detectScorings(document)!.what, scorings, ignored: [], unusable };
}
