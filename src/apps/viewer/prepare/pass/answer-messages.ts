import type { RowSums } from "../../../../core/kernels/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { Diagnosis } from "../../../../results/diagnosis.ts";
import type { AnswerOptions, BuiltAnswers, ReportParts } from "./answer-builder.ts";
import type { RunRead } from "./run-read.ts";

/** Tasks for the thread of `answer-thread.ts`, done one after another. */
export type AnswerTask =
  | { readonly kind: "start"; readonly options: AnswerOptions; readonly memoryLimit: number }
  | {
      readonly kind: "add";
      readonly batch: RecordBatch;
      readonly sums: RowSums;
      readonly truths: readonly (string | undefined)[] | undefined;
    }
  | { readonly kind: "flush" }
  | { readonly kind: "diagnose"; readonly read: RunRead; readonly sampleTokens: number | undefined }
  | { readonly kind: "finish"; readonly parts: ReportParts }
  | { readonly kind: "close" };

/** The diagnosis for `diagnose`, the files for `finish`; else null. */
export type AnswerReply = Diagnosis | BuiltAnswers | null;
