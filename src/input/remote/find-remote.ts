import { FormatError, LimitError, NotFoundError, UsageError } from "../../core/base/index.ts";
import type { ByteSource } from "../io/byte-source.ts";
import type { ByteStream } from "../io/decompress.ts";
import { MAX_WALK_ENTRIES } from "../io/limits.ts";
import { SCHEME } from "./address.ts";
import { googleStore } from "./gs-store.ts";
import { hubStore } from "./hf-store.ts";
import { httpStore } from "./http-store.ts";
import { rangedSource } from "./ranged-source.ts";
import type { RemoteFile, RemoteStore } from "./remote-file.ts";
import { retrying } from "./retry.ts";
import { s3Store } from "./s3-store.ts";

/** @throws UsageError for addresses of other kinds, or without a bucket */
function openStore(address: string): RemoteStore {
  const scheme = SCHEME.exec(address)?.[1]?.toLowerCase();
  if (scheme === "https" || scheme === "http") {
    if (!URL.canParse(address)) throw new UsageError(`${address} is not a valid address`);
    return httpStore(new URL(address));
  }
  if (scheme === "hf") return hubStore(address);
  if (scheme === "s3" || scheme === "s3a" || scheme === "gs") {
    const [bucket = "", ...key] = address.replace(SCHEME, "").split("/");
    if (bucket === "")
      throw new UsageError(`${address} does not name a bucket`, { hint: `${scheme}://BUCKET/PATH` });
    return scheme === "gs" ? googleStore(bucket, key.join("/")) : s3Store(bucket, key.join("/"));
  }
  if (scheme === "wandb") {
    const run = address.replace(SCHEME, "").replace(/\/runs\//, "/");
    throw new UsageError("a run is not read from W&B's servers", {
      hint: `give the folder that wandb wrote beside the training, wandb/run-*/ or wandb/offline-run-*/: its run-*.wandb has every step; or export the history: wandb.Api().run('${run}').history(samples=100000).to_csv('history.csv')`,
    });
  }
  throw new UsageError(`${scheme}:// addresses are not supported`, {
    hint: "use s3://, gs://, hf://, https:// or http://, or copy the files here first",
  });
}

/** A file in a store, ready to be read. */
export interface RemoteObject {
  readonly byteLength: number;
  readonly version: string | undefined;
  /** Can be read only once, from front to back. */
  readonly isStream: boolean;
  open(): ByteSource | ByteStream;
}

/** One of the files that an address names. */
export interface FoundRemote {
  /** The address of the file, without secrets. */
  readonly path: string;
  /** Path below the given address; empty when that names the file itself. */
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
 * @throws UsageError for an invalid address
 * @throws NotFoundError when nothing is found
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
  for (const { name, byteLength } of files) checkSize(name, byteLength);
  const below = store.name.replace(/\/*$/, "/").length;
  return files.map((file) => ({
    path: file.name,
    relative: isFile ? "" : file.name.slice(below),
    object: makeObject(store, file),
  }));
}

/** @throws FormatError when the store gives a size that no file has */
function checkSize(name: string, byteLength: number): void {
  if (Number.isSafeInteger(byteLength) && byteLength >= 0) return;
  throw new FormatError(`the store gives ${byteLength} bytes as the size of ${name}`, {
    at: { file: name },
    likely: "the server is broken, or does not speak the store's protocol",
  });
}
