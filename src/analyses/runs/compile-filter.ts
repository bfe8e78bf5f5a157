/**
 * Compiles a filter, in the viewer's grammar, for what is read.
 *
 * @module
 */

import { UsageError } from "../../core/base/index.ts";
import { parseFilter } from "../filter/filter.ts";
import { type BatchFilter, batchFilter } from "../filter/filter-batches.ts";
import { needsTexts } from "../filter/scopes.ts";
import { spelledTexts } from "../filter/token-columns.ts";

/**
 * @param tokenizer directory of the model's `tokenizer.json`
 * @throws UsageError if the filter cannot be parsed, or needs texts without a tokenizer
 */
export async function compileFilterText(filter: string, tokenizer: string | undefined): Promise<BatchFilter> {
  const { alternatives, terms, problems } = parseFilter(filter);
  const [first] = problems;
  if (first !== undefined) {
    throw new UsageError(`--filter: ${problems.map(({ message }) => message).join("; ")}`, {
      hint:
        first.instead === undefined ? "docs/view.md lists the fields" : `perhaps --filter '${first.instead}'`,
    });
  }
  if (terms.length === 0)
    throw new UsageError("--filter is empty", { hint: "write a term, as in --filter 'abs>0.5'" });
  if (!needsTexts(terms)) return batchFilter(alternatives);
  if (tokenizer === undefined) {
    throw new UsageError("--filter with token: or is: needs a tokenizer", {
      hint: "add --tokenizer DIR, the model's directory with tokenizer.json in it",
    });
  }
  const { openTokenizer, TokenTexts } = await import("../../input/tokens/index.ts");
  const texts = new TokenTexts(await openTokenizer(tokenizer));
  return batchFilter(alternatives, (ids) => {
    const { offsets, ...spelled } = texts.spell(ids);
    return spelledTexts({ ...spelled, textOffsets: offsets }, 0);
  });
}
