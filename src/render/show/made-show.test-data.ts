import { recordBatch } from "../../../test/support/record-batch.ts";
import { buildShow } from "../../analyses/show/build-show.ts";
import { SequenceFinder } from "../../analyses/show/find-sequence.ts";
import { parseHandle } from "../../analyses/show/handle.ts";
import type { TokenMetricName } from "../../results/metrics/token-metrics.ts";
import type { ShowPiece, ShowReport } from "../../results/show.ts";

export type MadePiece = Omit<ShowPiece, "id">;

export interface MadeShow {
  /** In the picture format of `recordBatch`. */
  readonly deltas: string;
  /** One piece per token of prompt and response; a text alone is an ordinary token. */
  readonly texts?: readonly (string | MadePiece)[];
  readonly prompt?: readonly (string | MadePiece)[];
  readonly token?: number;
  readonly metric?: TokenMetricName;
  readonly group?: string;
}

const toPiece = (piece: string | MadePiece): MadePiece =>
  typeof piece === "string" ? { text: piece, kind: "text" } : piece;

/** A report on one sequence, made from pictures. */
export function madeShow({
  deltas,
  texts,
  prompt = [],
  token,
  metric = "delta",
  group,
}: MadeShow): ShowReport {
  const length = deltas.split(/\s+/).filter((word) => word !== "|" && word !== "").length;
  const spelled = Array.from({ length }, (_, at) => toPiece(texts?.[at] ?? `w${at} `));
  const prompts = prompt.map(toPiece);
  // Ids continue from the prompt to the response, so that a speller finds each piece.
  const all = [...prompts, ...spelled];
  const batch = {
    ...recordBatch([
      { deltas, step: 12, rank: 3, row: 41, tokenIds: spelled.map((_, at) => prompts.length + at) },
    ]),
    promptOffsets: Int32Array.of(0, prompts.length),
    promptTokenIds: Int32Array.from(prompts, (_, at) => at),
    groupIds: [group],
  };
  const finder = new SequenceFinder(parseHandle("q41"));
  finder.add(batch);
  return {
    ...buildShow({
      found: finder.result(new Set()),
      token,
      metric,
      speller: {
        pieces: (ids) =>
          Array.from(ids, (id) => ({ ...all[id]!, bytes: new TextEncoder().encode(all[id]!.text) })),
        textOf: (id) => all[id]?.text ?? null,
      },
    }),
    run: "drawn",
    tokenizer: "model",
    next: null,
    findings: [],
    sources: [],
  };
}
