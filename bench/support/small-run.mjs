// Runs of many small files, one per step, like those of a trainer that saves every micro-batch.
import { join } from "node:path";
import { FORMATS, writeRun } from "./padded-run.mjs";

/** Four sequences of up to 200 tokens: about 512 tokens with mask 1. */
const SHAPE = { rows: 4, width: 200 };

/** @returns the directory, the paths of its files and the number of tokens with mask 1 */
export async function writeSmallRun(format, files, folder) {
  const directory = join(folder, format);
  return { directory, ...(await writeRun(FORMATS[format], files, directory, { shape: SHAPE })) };
}
