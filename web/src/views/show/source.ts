import { client } from "../../api/client.ts";
import { other, table } from "../../state/loaded.ts";

/** Where the sequences on the page come from: this run, or the one that it is compared with (`run=b`). */
export interface Source extends Pick<typeof client, "sequence" | "topK"> {
  /** Of the compared run: what names it. */
  readonly badge?: string;
  readonly table: typeof table;
}

export const OWN: Source = { sequence: client.sequence, topK: client.topK, table };

export function otherSource(name: string): Source {
  const { sequence, topK } = client.other;
  return { sequence, topK, table: other.table, badge: `run B: ${name}` };
}
