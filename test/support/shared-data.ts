/**
 * Recordings that are too large for the repository and lie beside it on some machines. Their place is named here only:
 * a test that named it itself would be skipped, and nothing else, when its file moved.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const shared = fileURLToPath(new URL("../../../shared/", import.meta.url));

export const SHARED_DATA = `${shared}data/`;
export const LAB = `${SHARED_DATA}lab/`;
export const REAL = `${SHARED_DATA}real/`;
export const WILD = `${SHARED_DATA}wild/`;
export const DOCTOR = `${SHARED_DATA}doctor/dev/`;
/** What the reference implementations give. */
export const GOLDEN = `${shared}golden/cases/`;

export const hasSharedData = existsSync(LAB) && existsSync(REAL);

/** Warns visibly that tests are skipped. */
export function warnIfAbsent(what: string, path = SHARED_DATA): void {
  if (!existsSync(path)) console.warn(`SKIPPED: ${what}, because ${path} is not there`);
}
