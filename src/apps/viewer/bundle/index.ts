/**
 * The viewer without a server.
 *
 * @module
 */
export { type BundleOptions, type BundleResult, writeBundle } from "./write-bundle.ts";
