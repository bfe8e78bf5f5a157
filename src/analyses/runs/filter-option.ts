import type { BatchFilter } from "../filter/filter-batches.ts";

export interface FilterOptions {
  /** Keeps only what matches, written as in the viewer: `abs>0.5 turn:3 correct:no`; docs/view.md lists the fields. */
  readonly filter?: string;
  /** Directory of the model's `tokenizer.json`, for terms about texts (`token:`, `is:`) and the texts of mistakes. */
  readonly tokenizer?: string;
}

/** @throws UsageError if the filter cannot be parsed, or needs texts without a tokenizer */
export async function compileFilter({ filter, tokenizer }: FilterOptions): Promise<BatchFilter | undefined> {
  if (filter === undefined) return undefined;
  // Late: most runs are read whole.
  const { compileFilterText } = await import("./compile-filter.ts");
  return compileFilterText(filter, tokenizer);
}
