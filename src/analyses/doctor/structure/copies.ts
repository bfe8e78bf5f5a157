import { formatNumber, formatShare, plural } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import { type Duplicates, measureDuplicates } from "../features/duplicates.ts";
import { LEFT_OUT, type View } from "../sample/view.ts";
import { listRows } from "./handles.ts";

/** Columns that equal each other, rows that equal each other, and a rollout column of zeros. */
export function examineCopies(view: View): Clue[] {
  const duplicates = measureDuplicates(view);
  const equal = countEqual(view);
  const zeros = examineZeros(view, duplicates);
  return [
    ...zeros,
    ...examineColumns(equal),
    ...(zeros.length > 0 ? [] : examineDuplicates(view, duplicates)),
  ];
}

interface EqualColumns {
  own: number;
  ownEqual: number;
  /** Masked tokens inside responses where the trainer has a value; and those where both sides do. */
  tool: number;
  toolEqual: number;
  /** Masked tokens before an own token where both sides are exactly 0. */
  toolZero: number;
}

function countEqual(view: View): EqualColumns {
  const counts = { own: 0, ownEqual: 0, tool: 0, toolEqual: 0, toolZero: 0 };
  let [row, zeros] = [-1, 0];
  for (let i = 0; i < view.tokens; i++) {
    if (view.rowAt[i] !== row) [row, zeros] = [view.rowAt[i]!, 0];
    if (view.left[i] === LEFT_OUT.own) {
      counts.toolZero += zeros;
      zeros = 0;
    } else if (view.left[i] === LEFT_OUT.masked && view.a[i] === 0 && view.c[i] === 0) zeros++;
    const isEqual = view.a[i] === view.c[i];
    if (view.left[i] === LEFT_OUT.own) {
      counts.own++;
      if (isEqual) counts.ownEqual++;
    } else if (view.left[i] === LEFT_OUT.masked && view.c[i]! < -1) {
      counts.tool++;
      if (isEqual) counts.toolEqual++;
    }
  }
  return counts;
}

function examineColumns({ own, ownEqual, tool, toolEqual, toolZero }: EqualColumns): Clue[] {
  if (own === 0 || ownEqual < own) return [];
  const figures = { tokens: own, tool_tokens: tool, tool_tokens_equal: toolEqual };
  const equal = `Rollout and trainer log-probs are identical at all ${plural(own, "token")}`;
  if (tool >= 5 && toolEqual === tool)
    return [
      {
        cause: "copied_column",
        weight: 11,
        sentence: `${equal}, and also at ${plural(tool, "token")} of tool output, where an engine has no log-probs: one column is a copy of the other.`,
        figures,
      },
    ];
  if (tool === 0 && toolZero >= 5)
    return [
      {
        cause: "copied_column",
        weight: 2,
        sentence: `${equal}, and both are 0 at ${plural(toolZero, "token")} of tool output, where an engine has no log-probs but a trainer computes them: the trainer column is likely a copy.`,
        figures: { ...figures, tool_tokens_zero: toolZero },
      },
    ];
  const apart =
    tool >= 5
      ? `, but not at ${plural(tool - toolEqual, "token")} of tool output, where the engine wrote its own values`
      : "";
  return [
    {
      cause: "copied_column",
      // A bitwise consistent engine produces the same: neither is excluded.
      weight: tool >= 5 ? -2 : -0.7,
      sentence: `${equal}${apart}: a bitwise consistent engine and a copied column look the same.`,
      figures,
    },
  ];
}

function examineZeros(view: View, { rowsInGroups, rowsAllSame }: Duplicates): Clue[] {
  let [own, zeros, unsure] = [0, 0, 0];
  for (let i = 0; i < view.tokens; i++) {
    if (view.left[i] !== LEFT_OUT.own) continue;
    own++;
    if (view.a[i] === 0) zeros++;
    if (view.c[i]! < Math.log(0.5)) unsure++;
  }
  if (own < 20 || zeros < 0.999 * own || unsure === 0) return [];
  for (let i = 0; i < view.tokens; i++) view.claim(i);
  const same = rowsInGroups === 0 ? Number.NaN : rowsAllSame / rowsInGroups;
  const figures = {
    tokens: own,
    zeros,
    below_half: unsure / own,
    rows_all_same: Number.isNaN(same) ? null : same,
  };
  const every = `All ${plural(own, "rollout log-prob")} are exactly 0`;
  const isGreedy = same > 0.5 || (Number.isNaN(same) && unsure < 0.05 * own);
  return [
    {
      cause: "greedy_zero_logprobs",
      weight: isGreedy ? 12 : 5,
      sentence: `${every}, and ${Number.isNaN(same) ? "no prompt was sampled twice" : `${formatShare(same)} of the responses that share a prompt are the same`}: greedy decoding gives one response per prompt.`,
      figures,
    },
    {
      cause: "sentinel_fill",
      weight: isGreedy ? 7 : 11,
      sentence: `${every}, while the trainer gives ${formatShare(unsure / own)} of the tokens a probability below ½.`,
      figures,
    },
  ];
}

function examineDuplicates(view: View, found: Duplicates): Clue[] {
  const { copies, pairs, expectedPairs, rows, acrossPrompts, inLargerGroups, examples } = found;
  // Log of a Poisson tail of the pairs expected by chance; the expectation is itself an estimate, so it is raised.
  const mean = 1.3 * expectedPairs + 1;
  const tail = pairs > mean ? pairs * Math.log(pairs / mean) - (pairs - mean) : 0;
  const weight = tail + (acrossPrompts + inLargerGroups > 0 ? 8 : 0) - 4;
  if (weight < 1) return [];
  // Counted twice, tokens seem to differ the same way each time they occur, as they do where weights differ.
  for (const r of found.copied) {
    const [from, to] = view.span(r);
    for (let i = from; i < to; i++) view.claim(i);
  }
  return [
    {
      cause: "duplicated_rows",
      weight: hold(weight),
      sentence: `${plural(copies, "sequence")} of ${rows} (${formatShare(copies / rows)}) repeat another sequence of their step exactly, in tokens and in both columns: ${plural(pairs, "pair")}, where chance would give ${formatNumber(expectedPairs)}${inLargerGroups > 0 ? `; ${inLargerGroups} of them ${inLargerGroups === 1 ? "belongs" : "belong"} to prompts with more responses than the other prompts` : ""}.`,
      figures: {
        copies,
        in_larger_groups: inLargerGroups,
        share: copies / rows,
        pairs,
        expected_pairs: expectedPairs,
      },
      handles: listRows(view, examples.flat()),
    },
  ];
}
