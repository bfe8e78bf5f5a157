/**
 * Files that are not on this machine: `s3://`, `gs://`, `hf://`, `https://` and `http://`, found and read by ranges, with
 * the credentials that the environment holds and none of our own. What the bytes mean is the business of `readers`.
 *
 * @module
 */
import { LimitError, NotFoundError, UnsupportedError, UsageError } from "../../core/base/index.ts";
import { type ByteSource, type ByteStream, MAX_WALK_ENTRIES } from "../io/index.ts";
import { googleStore } from "./gs-store.ts";
import { hubStore } from "./hf-store.ts";
import { httpStore, publicName } from "./http-store.ts";
import { rangedSource } from "./ranged-source.ts";
import type { RemoteFile, RemoteStore } from "./remote-file.ts";
import { retrying } from "./retry.ts";
import { s3Store } from "./s3-store.ts";

export { copyToDisk, type LocalCopy } from "./local-copy.ts";

const SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i;

/** Whether a path that a user gave is an address rather than a name in the file system. */
export function isRemote(path: string): boolean {
  return SCHEME.test(path);
}

/** The address as it may stand in messages: without passwords and signed queries. */
export function nameRemote(path: string): string {
  const scheme = SCHEME.exec(path)?.[1]?.toLowerCase();
  return (scheme === "https" || scheme === "http") && URL.canParse(path) ? publicName(new URL(path)) : path;
}

/** @throws UsageError for addresses of other kinds, or without a bucket */
function openStore(address: string): RemoteStore {
  const scheme = SCHEME.exec(address)?.[1]?.toLowerCase();
  if (scheme === "https" || scheme === "http") {
    if (!URL.canParse(address)) throw new UsageError(`${address} is not an address`);
    return httpStore(new URL(address));
  }
  if (scheme === "hf") return hubStore(address);
  if (scheme === "s3" || scheme === "s3a" || scheme === "gs") {
    const [bucket = "", ...key] = address.replace(SCHEME, "").split("/");
    if (bucket === "")
      throw new UsageError(`${address} does not name a bucket`, { hint: `${scheme}://BUCKET/PATH` });
    return scheme === "gs" ? googleStore(bucket, key.join("/")) : s3Store(bucket, key.join("/"));
  }
  throw new UsageError(`addresses of the kind ${scheme}:// cannot be read`, {
    hint: "s3://, gs://, hf://, https:// and http:// are; copy other files here first",
  });
}

/** A file of a store, ready to be read. */
export interface RemoteObject {
  readonly byteLength: number;
  readonly version: string | undefined;
  /** Can be read once, from front to back. */
  readonly isStream: boolean;
  open(): ByteSource | ByteStream;
}

/** One of the files that an address names. */
export interface FoundRemote {
  /** The address of the file, without secrets. */
  readonly path: string;
  /** Below the address that was given; empty when that names the file itself. */
  readonly relative: string;
  readonly object: RemoteObject;
}

function makeObject(store: RemoteStore, file: RemoteFile): RemoteObject {
  const { name, byteLength, version, isStream } = file;
  return {
    byteLength,
    version,
    isStream,
    open: () =>
      isStream && store.stream !== undefined
        ? { name, bytes: store.stream(file) }
        : rangedSource(store, file),
  };
}

/**
 * The files that an address names: itself, or all below it.
 *
 * @throws UsageError for an address that no store can be made of
 * @throws NotFoundError when there is nothing
 * @throws FileSystemError when the store refuses or cannot be reached
 * @throws LimitError when there are more than {@link MAX_WALK_ENTRIES} files
 */
export async function findRemote(address: string): Promise<readonly FoundRemote[]> {
  const store = openStore(address);
  const { isFile, files } = await retrying(store.name, (signal) => store.list(MAX_WALK_ENTRIES, signal));
  if (files.length === 0) {
    throw new NotFoundError(`there is nothing under ${store.name}`, {
      at: { file: store.name },
      likely: "the address is misspelled",
      hint: "list it with the store's own tool, from this machine",
    });
  }
  if (files.length > MAX_WALK_ENTRIES) {
    throw new LimitError(`more than ${MAX_WALK_ENTRIES} files under ${store.name}`, {
      at: { file: store.name },
      hint: "give the address of one run, or of the files themselves",
    });
  }
  const below = store.name.replace(/\/*$/, "/").length;
  return files.map((file) => ({
    path: file.name,
    relative: isFile ? "" : file.name.slice(below),
    object: makeObject(store, file),
  }));
}

/** @throws UnsupportedError where something needs a file on this machine and an address was given */
export function refuseRemote(path: string, what: string): void {
  if (!isRemote(path)) return;
  throw new UnsupportedError(`${what} must be on this machine, not at ${nameRemote(path)}`, {
    at: { file: nameRemote(path) },
    hint: "copy it here first (aws s3 cp, gcloud storage cp, hf download, curl -O)",
  });
}
