/**
 * Files that are not on this machine: `s3://`, `gs://`, `hf://`, `https://` and `http://`, found and read by ranges,
 * with the credentials of the environment. What the bytes mean belongs in `readers`. Most paths are on this machine, so
 * the stores are loaded with the first address.
 *
 * @module
 */
import { UnsupportedError } from "../../core/base/index.ts";
import type { ByteSource } from "../io/byte-source.ts";
import { isRemote, nameRemote } from "./address.ts";
import type { FoundRemote } from "./find-remote.ts";
import type { LocalCopy } from "./local-copy.ts";

export { isRemote, nameRemote } from "./address.ts";
export type { FoundRemote, RemoteObject } from "./find-remote.ts";
export type { LocalCopy } from "./local-copy.ts";

/** See `findRemote` in find-remote.ts. */
export async function findRemote(address: string): Promise<readonly FoundRemote[]> {
  return (await import("./find-remote.ts")).findRemote(address);
}

/** See `copyToDisk` in local-copy.ts. */
export async function copyToDisk(source: ByteSource): Promise<LocalCopy> {
  return (await import("./local-copy.ts")).copyToDisk(source);
}

/** @throws UnsupportedError when a file on this machine is needed and an address was given */
export function refuseRemote(path: string, what: string): void {
  if (!isRemote(path)) return;
  throw new UnsupportedError(`${what} must be on this machine, not at ${nameRemote(path)}`, {
    at: { file: nameRemote(path) },
    hint: "copy it here first (aws s3 cp, gcloud storage cp, hf download, curl -O)",
  });
}
