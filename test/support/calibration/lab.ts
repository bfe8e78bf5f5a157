/**
 * Recorded runs whose prompts are resampled: the cause of their Δ is real, and their pooled figures are the truth.
 *
 * @module
 */
import { openRun } from "../../../src/ingest/open-run.ts";
import { hasSharedData, LAB, warnIfAbsent } from "../shared-data.ts";
import { type DrawnSequence, type Process, resampled } from "./processes.ts";

/** None, with a warning, if the recordings are missing. */
export async function labProcesses(): Promise<Process[]> {
  warnIfAbsent("intervals of the lab's runs");
  if (!hasSharedData) return [];
  return Promise.all(
    ["main", "stale", "int8"].map(async (name) =>
      resampled(`lab run ${name}, prompts drawn again`, await readSequences(`${LAB}${name}`)),
    ),
  );
}

async function readSequences(path: string): Promise<DrawnSequence[]> {
  const sequences: DrawnSequence[] = [];
  const prompts = new Map<string, number>();
  const run = await openRun([path]);
  for await (const batch of run.batches()) {
    const { rolloutLogprobs: rollout, trainerLogprobs: trainer, offsets, responseMask: mask } = batch;
    if (!rollout || !trainer) continue;
    for (let row = 0; row < batch.length; row++) {
      const deltas: number[] = [];
      for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
        const delta = trainer[t]! - rollout[t]!;
        if (mask[t] === 1 && Number.isFinite(delta)) deltas.push(delta);
      }
      const name = `${batch.steps[row]} ${batch.groupIds[row]}`;
      const prompt = prompts.get(name) ?? prompts.size;
      prompts.set(name, prompt);
      sequences.push({ deltas: Float32Array.from(deltas), prompt, step: batch.steps[row]! });
    }
  }
  return sequences;
}
