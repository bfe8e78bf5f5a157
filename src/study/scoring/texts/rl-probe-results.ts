import { closeQuietly } from "../../../ingest/index.ts";
import { openFile, openPlain } from "../../../input/io/index.ts";

const HEAD_BYTES = 4096;

/**
 * The output of RL-Probe's `03_compute_kl.py`: `{"kl_analyses": [{…, "kl_forward": […]}], "spike_analyses": […], …}`.
 */
const KL = /^\s*\{\s*"kl_analyses"\s*:\s*\[/;

const KEY = /"(?:[^"\\]|\\.)*"\s*:/g;

/** `{"ID": true}`, also by checkpoint, with each key written as a colon; the end may be cut in a key or a value. */
const OUTCOMES = /^\s*\{\s*(?:[{},\s]|:\s*(?:true|false|\{))*(?:"[^"]*"?\s*|:\s*[a-z]{0,4})?$/;

/**
 * What a file without texts holds, judged by its beginning: RL-Probe's figures, or which problems policies solve.
 *
 * @returns undefined for all other files, including unreadable ones
 */
export async function recognizeResults(path: string): Promise<"kl" | "outcomes" | undefined> {
  const source = await openFile(path).catch(() => undefined);
  if (source === undefined) return undefined;
  try {
    const start = new TextDecoder().decode((await openPlain(source, HEAD_BYTES)).head);
    if (KL.test(start)) return "kl";
    const keys = start.replace(KEY, ":");
    return OUTCOMES.test(keys) && /:\s*(true|false)\b/.test(keys) ? "outcomes" : undefined;
  } catch {
    return undefined;
  } finally {
    await closeQuietly(source);
  }
}
