import { rowHandle } from "../sample/row.ts";
import type { View } from "../sample/view.ts";

/** Handles of tokens to look at; at most five. */
export function listHandles(view: View, tokens: readonly number[]): string[] {
  return tokens.slice(0, 5).map((i) => rowHandle(view.row(i), view.index(i)));
}

export function listRows(view: View, rows: readonly number[]): string[] {
  return rows.slice(0, 5).flatMap((r) => {
    const row = view.rows[r];
    return row ? [rowHandle(row)] : [];
  });
}
