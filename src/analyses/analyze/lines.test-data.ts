import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { AnalyzeReport } from "../../results/analyze.ts";
import { type AnalyzeOptions, analyzeLog } from "./analyze-log.ts";

/** A line of a divergence log: what `analyze` reads of it, each absent from some logs, and whatever else it has. */
export interface Line {
  readonly iteration?: number | undefined;
  readonly batch_idx?: number | undefined;
  readonly position?: number;
  readonly prob_divergence: number;
  readonly is_correct?: boolean | undefined;
  readonly token_text?: string | undefined;
  readonly flip_type?: string | undefined;
  readonly [field: string]: unknown;
}

/** What `analyze` reports of these lines, written to a log in a folder that lives as long as the file's tests. */
export function useLines(): (lines: readonly Line[], options?: AnalyzeOptions) => Promise<AnalyzeReport> {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "logratio-lines-"));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return (lines, options = {}) => {
    const file = join(directory, "log.jsonl");
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
    return analyzeLog([file], options);
  };
}
