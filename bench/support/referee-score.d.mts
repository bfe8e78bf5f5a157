import type { Truth } from "../../scripts/score-doctor.mjs";
import type { Claim } from "./referee-claims.mjs";

export interface ToolAnswer {
  readonly ranked: readonly string[];
  readonly healthy: boolean;
  readonly guilty_leg: string | null;
  readonly size?: number;
}
export interface Run {
  readonly truth: Truth;
  readonly answer: ToolAnswer;
  readonly cpu: number;
}
export type Figures = Readonly<
  Record<
    "sound" | "falseAlarms" | "faulty" | "alarms" | "right" | "named" | "namedRight" | "size" | "cpu",
    number
  >
>;
export function answerOf(
  findings: readonly { readonly id: string; readonly level: string }[],
  claims: Readonly<Record<string, Claim>>,
  truth: Truth,
): ToolAnswer;
export function score(runs: readonly Run[], claims?: Readonly<Record<string, Claim>>): Figures;
