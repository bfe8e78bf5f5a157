/**
 * Recordings that are too large for the repository and lie beside it on some machines.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../../shared/data/", import.meta.url));

export const LAB = `${root}lab/`;
export const REAL = `${root}real/`;
export const WILD = `${root}wild/`;
export const DOCTOR = `${root}doctor/dev/`;
export const hasSharedData = existsSync(LAB) && existsSync(REAL);

/** Warns visibly that tests are skipped. */
export function warnIfAbsent(what: string): void {
  if (!hasSharedData) console.warn(`SKIPPED: ${what}, because ${root} is not there`);
}
