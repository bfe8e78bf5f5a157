// A Stryker plugin: tries only a random, reproducible share of a folder's mutants. Large folders have thousands, and an
// honest estimate of every folder is worth more than the exact score of a few.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { relative } from "node:path";

/** Environment variable from which Stryker's own processes read the sample: `{ percent, seed }` as JSON. */
export const SAMPLE_VARIABLE = "MUTATION_SAMPLE";

/**
 * Whether a mutant belongs to the sample. This depends on what the mutant is, not on its number, so that the same code
 * gives the same sample wherever its lines move, and measurements of a folder are comparable.
 *
 * @param {string} mutant what tells the mutant from others
 * @param {{ percent: number, seed: number }} sample
 */
export function isDrawn(mutant, { percent, seed }) {
  const draw = createHash("sha256").update(`${seed}\n${mutant}`).digest().readUInt32BE() / 2 ** 32;
  return 100 * draw < percent;
}

/** `{ percent, seed }` from the command line; undefined if all mutants should be tried. */
export function parseSample(percentText, seedText = "1") {
  const percent = Number(percentText);
  const seed = Number(seedText);
  if (!(percent > 0 && percent <= 100))
    throw new Error(`--sample must be a percentage above 0 and up to 100, not ${percentText}`);
  if (!Number.isInteger(seed)) throw new Error(`--seed must be a whole number, not ${seedText}`);
  return percent === 100 ? undefined : { percent, seed };
}

/**
 * The 95 % interval for a share estimated from a sample (Wilson 1927), in percent, rounded outward to a tenth. The
 * finite number of mutants in a folder would make it narrower; this is ignored.
 */
export function estimateInterval(detected, tried) {
  if (tried === 0) return { low: 0, high: 100 };
  const z = 1.959964;
  const share = detected / tried;
  const middle = share + (z * z) / (2 * tried);
  const half = z * Math.sqrt((share * (1 - share)) / tried + (z * z) / (4 * tried * tried));
  const scale = 1 + (z * z) / tried;
  return {
    low: Math.max(0, Math.floor((1000 * (middle - half)) / scale) / 10),
    high: Math.min(100, Math.ceil((1000 * (middle + half)) / scale) / 10),
  };
}

/** Passes the drawn mutants; the others end as `CompileError`, a status that no score counts. */
class SampleChecker {
  #sample = JSON.parse(process.env[SAMPLE_VARIABLE] ?? '{"percent":100,"seed":1}');
  #lines = new Map();

  async init() {}

  async check(mutants) {
    return Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        isDrawn(this.#describe(mutant), this.#sample)
          ? { status: "passed" }
          : { status: "compileError", reason: "not in the sample" },
      ]),
    );
  }

  /** All in one group, because separate groups would each cost a message to this process. */
  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  #describe({ fileName, location: { start, end }, mutatorName, replacement }) {
    if (!this.#lines.has(fileName)) this.#lines.set(fileName, readFileSync(fileName, "utf8").split("\n"));
    // Plugins get lines counted from 0.
    const line = this.#lines.get(fileName)[start.line] ?? "";
    const indent = line.length - line.trimStart().length;
    const place = [start.column - indent, end.line - start.line, mutatorName, replacement];
    return [relative(process.cwd(), fileName), line.trim(), ...place].join("\n");
  }
}

export const strykerPlugins = [{ kind: "Checker", name: "sample", injectableClass: SampleChecker }];
