import { client } from "../../api/client.ts";
import { otherRun, table } from "../../state/loaded.ts";

/** Where the sequences on the page come from: this run, or one that it is compared with (`run=b`). */
export interface Source extends Pick<typeof client, "sequence" | "topK"> {
  /** For the compared run: its name. */
  readonly badge?: string;
  readonly table: typeof table;
}

export const OWN: Source = { sequence: client.sequence, topK: client.topK, table };

/** @param at its place in `RunInfo.compared` */
export function otherSource(at: number, name: string): Source {
  const { sequence, topK } = client.other(at);
  return { sequence, topK, table: otherRun(at).table, badge: `run B: ${name}` };
}
