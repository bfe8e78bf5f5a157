import type { Sample } from "./sample.mjs";

/** Mutants of one folder; `score` in percent, rounded down to a tenth. */
export interface FolderScore {
  readonly mutants: number;
  readonly killed: number;
  readonly timeout: number;
  readonly survived: number;
  readonly noCoverage: number;
  readonly score: number;
  /** Where only a sample was tried: which, and the ends of the interval of 95 % in percent. */
  readonly sample?: Sample & { readonly low: number; readonly high: number };
}

export type Scores = Readonly<Record<string, FolderScore>>;

export function countResults(statuses: readonly string[], sample?: Sample): FolderScore;
export function findFall(
  folder: string,
  recorded: FolderScore | undefined,
  measured: FolderScore,
): string | undefined;
export function mergeScores(recorded: Scores, measured: Scores, folders: readonly string[]): Scores;
export function writeTable(scores: Scores, folders: readonly string[]): string;
export function replaceTable(page: string, table: string): string;
