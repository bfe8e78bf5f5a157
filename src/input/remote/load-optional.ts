/**
 * Packages that only remote stores need, loaded when the first address of their kind is read.
 *
 * @module
 */
import { UnsupportedError } from "../../core/base/index.ts";

/** @throws UnsupportedError when the package is not installed */
export async function loadOptional<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new UnsupportedError(`reading this address needs the package ${name}, which is not installed`, {
      cause,
      likely: "npm left optional packages out (--omit=optional)",
      hint: `npm install ${name}, or copy the files here first`,
    });
  }
}
