/**
 * Recordings that lie beside the repository on some machines and are too large for it.
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

/** Says loudly that tests are skipped. */
export function warnIfAbsent(what: string): void {
  if (!hasSharedData) console.warn(`SKIPPED: ${what}, because ${root} is not there`);
}
