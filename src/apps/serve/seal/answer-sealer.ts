import { sealSegment } from "./seal-segment.ts";
import type { SealReply, SealTask } from "./seal-task.ts";
import { writeSummaries } from "./segment-figures.ts";

/** `end` is the last task: it writes sums that are only in memory. */
export type SealerTask = { readonly seal: SealTask } | { readonly end: true };
export type SealerReply = SealReply | undefined;

export async function answerSealer(task: SealerTask): Promise<SealerReply> {
  if ("seal" in task) return sealSegment(task.seal);
  await writeSummaries();
  return undefined;
}
