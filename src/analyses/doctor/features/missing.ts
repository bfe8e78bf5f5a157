/** NaN or infinite log-probs, by side: where they occur within rows. */
import { LEFT_OUT, type View } from "../sample/view.ts";

export interface MissingSide {
  readonly tokens: number;
  /** Share of the tokens with mask 1. */
  readonly share: number;
  readonly rows: number;
  /** Rows in which the missing tokens are contiguous and extend to the end. */
  readonly rowsToEnd: number;
  /** Rows in which every token is missing. */
  readonly rowsWhole: number;
  readonly first: readonly number[];
}

export interface Missing {
  readonly rollout: MissingSide;
  readonly trainer: MissingSide;
}

export function measureMissing(view: View): Missing {
  return { rollout: measureSide(view, view.a), trainer: measureSide(view, view.c) };
}

function measureSide(view: View, values: Float64Array): MissingSide {
  const found = { tokens: 0, rows: 0, rowsToEnd: 0, rowsWhole: 0 };
  const first: number[] = [];
  let own = 0;
  for (let r = 0; r < view.rows.length; r++) {
    const [from, to] = view.span(r);
    let [count, runs, total, last] = [0, 0, 0, false];
    for (let i = from; i < to; i++) {
      if (view.left[i] === LEFT_OUT.masked) continue;
      total++;
      const isMissing = !Number.isFinite(values[i]!);
      if (isMissing && !last) {
        runs++;
        if (first.length < 5) first.push(i);
      }
      if (isMissing) count++;
      last = isMissing;
    }
    own += total;
    if (count === 0) continue;
    found.tokens += count;
    found.rows++;
    if (count === total) found.rowsWhole++;
    else if (runs === 1 && last) found.rowsToEnd++;
  }
  return { ...found, share: own === 0 ? 0 : found.tokens / own, first };
}
