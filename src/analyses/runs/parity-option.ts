import { UsageError } from "../../core/base/index.ts";
import type { ParityTrainer } from "../../trainers/index.ts";

/** The trainers of `--parity`, by name. @throws UsageError listing the known ones */
export async function parseParity(names: readonly string[]): Promise<ParityTrainer[]> {
  const given = names.map((name) => name.trim()).filter(Boolean);
  if (given.length === 0) return [];
  // Late: these come with all that the trainers compute.
  const { PARITY_TRAINERS } = await import("../../trainers/index.ts");
  return given.map((name) => {
    const trainer = PARITY_TRAINERS.find((candidate) => candidate.name === name);
    if (!trainer) {
      throw new UsageError(`--parity: unknown trainer "${name}"`, {
        hint: `known: ${PARITY_TRAINERS.map((known) => known.name).join(", ")}`,
      });
    }
    return trainer;
  });
}
