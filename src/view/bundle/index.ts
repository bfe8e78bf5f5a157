/**
 * The viewer without a server.
 *
 * @module
 */
export { type BundleResult, writeBundle } from "./write-bundle.ts";
