/**
 * Tests of the build run what was built from these sources: a missing or outdated build fails them before they start.
 *
 * @module
 */
import type { TestProject } from "vitest/node";
import { findStalePart } from "../../scripts/support/build-state.mjs";

export default function requireDist({ name }: TestProject): void {
  // A build that was named explicitly is intended, whatever its age.
  if (process.env.LOGRATIO_DIST !== undefined) return;
  const problem =
    findStalePart("modules") ??
    findStalePart("program") ??
    (name === "browser" ? findStalePart("page") : undefined);
  if (problem !== undefined)
    throw new Error(`the ${name} tests run what was built, and ${problem}: run npm run build first`);
}
