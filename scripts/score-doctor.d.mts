/** What a test of the score imports; the script itself is plain JavaScript. */
export interface Answer {
  readonly verdict: string;
  readonly ranked: readonly string[];
  readonly healthy: boolean;
  readonly guilty_leg: string | null;
  readonly alike?: { readonly causes: readonly string[]; readonly probability: number } | null;
  readonly probabilities: Readonly<Record<string, number>>;
}
export interface Truth {
  readonly healthy: boolean;
  readonly grey?: boolean | null;
  readonly cause: string;
  readonly causes: readonly string[];
  readonly acceptable: readonly string[];
  readonly identifiable: boolean;
  readonly severity: string;
  readonly guilty_leg: string | null;
}
export interface Judged {
  readonly kind: "healthy" | "faulty" | "hidden";
  readonly top1: boolean;
  readonly top3: boolean;
  readonly strict: boolean;
  readonly falseAlarm: boolean;
  readonly honest: boolean;
  readonly leg: boolean | null;
}
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly stated: number | null;
  readonly frequency: number | null;
}
export interface Score {
  readonly faulty: number;
  readonly top1: number;
  readonly top3: number;
  readonly strict: number;
  readonly family: number;
  readonly missed: number;
  readonly healthy: number;
  readonly falseAlarms: number;
  readonly hidden: number;
  readonly honest: number;
  readonly legs: number;
  readonly rightLegs: number;
  readonly first: readonly Bin[];
  readonly every: readonly Bin[];
  readonly wrong: readonly { readonly name: string; readonly truth: string; readonly said: string }[];
  readonly [figure: string]: unknown;
}
export function readAnswer(report: {
  readonly verdict: string;
  readonly causes: readonly { readonly id: string; readonly probability: number }[];
  readonly guilty_leg: string | null;
  readonly alike?: { readonly causes: readonly string[]; readonly probability: number } | null;
}): Answer;
export function judgeCase(truth: Truth, answer: Answer): Judged;
export function binProbabilities(
  pairs: readonly { readonly probability: number; readonly isTrue: boolean }[],
  bins?: number,
): Bin[];
export function calibrationError(table: readonly Bin[]): number;
export function scoreCases(
  cases: readonly { readonly name: string; readonly truth: Truth; readonly answer: Answer }[],
  families: Readonly<Record<string, string>>,
): Score;
export function printScore(score: Score): string;
