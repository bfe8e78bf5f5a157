/**
 * Shares per row for comparing parts of a run when Δ itself does not show a difference: tokens claimed, missing, or 0.
 */
import { LEFT_OUT, type View } from "../sample/view.ts";
import { SUREST } from "./spread.ts";

export interface RowScores {
  readonly what: string;
  /** `[rows]`; NaN for a row without own tokens. A floor keeps ratios finite for parts without any. */
  readonly scores: readonly number[];
}

/** One token in a thousand: smaller shares count as none. */
const FLOOR = 1e-3;

export function scoreRows(view: View): RowScores[] {
  const share = (isHit: (i: number) => boolean, isAsked: (i: number) => boolean): number[] =>
    view.rows.map((_, r) => {
      const [from, to] = view.span(r);
      let [asked, hits] = [0, 0];
      for (let i = from; i < to; i++) {
        if (!isAsked(i)) continue;
        asked++;
        if (isHit(i)) hits++;
      }
      return asked === 0 ? Number.NaN : FLOOR + hits / asked;
    });
  const isOwn = (i: number): boolean => view.left[i] !== LEFT_OUT.masked;
  const [a, c] = [view.a, view.c];
  return [
    {
      what: "share of tokens with a placeholder or a wrong mask",
      scores: share((i) => view.left[i] === LEFT_OUT.claimed, isOwn),
    },
    { what: "share of missing log-probs", scores: share((i) => view.left[i] === LEFT_OUT.missing, isOwn) },
    {
      what: "share of rollout log-probs that are 0 where the trainer's are not",
      scores: share(
        (i) => a[i] === 0,
        (i) => view.isOwn(i) && c[i]! < SUREST,
      ),
    },
    {
      what: "share of trainer log-probs that are 0 where the rollout's are not",
      scores: share(
        (i) => c[i] === 0,
        (i) => view.isOwn(i) && a[i]! < SUREST,
      ),
    },
  ];
}
