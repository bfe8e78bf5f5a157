import { type SealReply, type SealTask, sealSegment, writeSummaries } from "./seal-segment.ts";

/** `end` comes last: sums that are in memory only are written. */
export type SealerTask = { readonly seal: SealTask } | { readonly end: true };
export type SealerReply = SealReply | undefined;

export async function answerSealer(task: SealerTask): Promise<SealerReply> {
  if ("seal" in task) return sealSegment(task.seal);
  await writeSummaries();
  return undefined;
}
