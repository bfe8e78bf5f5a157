/** Mutants of one folder; `score` in percent, rounded down to a tenth. */
export interface FolderScore {
  readonly mutants: number;
  readonly killed: number;
  readonly timeout: number;
  readonly survived: number;
  readonly noCoverage: number;
  readonly score: number;
}

export type Scores = Readonly<Record<string, FolderScore>>;

export function countResults(statuses: readonly string[]): FolderScore;
export function findFall(
  folder: string,
  recorded: FolderScore | undefined,
  measured: FolderScore,
): string | undefined;
export function mergeScores(recorded: Scores, measured: Scores, folders: readonly string[]): Scores;
export function writeTable(scores: Scores, folders: readonly string[]): string;
export function replaceTable(page: string, table: string): string;
