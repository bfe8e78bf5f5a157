import { ByteWriter } from "../../core/base/index.ts";
import type { SequenceSample } from "../../core/summaries/index.ts";
import type { Comparisons } from "../report/index.ts";
import type { CompareTask } from "./messages.ts";
import { startThread, workerFile } from "./thread.ts";

/** Compared in 50 ms: as long as starting a thread and packing the sample takes. */
const SMALL_SAMPLE = 4096;

/**
 * What `compareParts` finds, in a thread of its own: its permutation tests are half of a large report. Undefined where no
 * thread can run it, or the sample is too small to gain by it.
 *
 * @param url the file that the thread runs
 */
export function compareApart(
  sample: SequenceSample,
  {
    small = SMALL_SAMPLE,
    url = workerFile("compare-worker"),
  }: { readonly small?: number; readonly url?: URL | undefined } = {},
): Promise<Comparisons> | undefined {
  if (url === undefined || sample.size <= small) return undefined;
  const thread = startThread<CompareTask, Comparisons>(url);
  const bytes = new ByteWriter();
  sample.encode(bytes);
  const task = bytes.finish();
  return thread.ask(task, [task.buffer]).finally(() => void thread.close());
}
