/**
 * The interface of a store: it finds files and reads ranges of them.
 *
 * @module
 */

/** A file in a remote store, with everything needed to read it without another lookup. */
export interface RemoteFile {
  /** The address without credentials, queries and fragments, for messages. */
  readonly name: string;
  readonly byteLength: number;
  /** Changes with the content (an ETag, a generation, a commit); undefined when the store has none. */
  readonly version: string | undefined;
  /** Whether the server sends only whole files, so that it can be read only once, from front to back. */
  readonly isStream: boolean;
}

/** The files that an address names. */
export interface RemoteListing {
  /** The address names one file; otherwise it names a folder, and these are the files below it. */
  readonly isFile: boolean;
  readonly files: readonly RemoteFile[];
}

export interface RangeRequest {
  /** First byte. */
  readonly start: number;
  /** One past the last byte. */
  readonly end: number;
  readonly signal: AbortSignal;
}

/** A user's address in a store. Methods throw {@link StoreFailure}, or an error for the user. */
export interface RemoteStore {
  /** The address in messages. */
  readonly name: string;
  /** @param limit number of files after which listing stops */
  list(limit: number, signal: AbortSignal): Promise<RemoteListing>;
  /** Exactly the requested bytes. */
  read(file: RemoteFile, range: RangeRequest): Promise<Uint8Array>;
  /** The whole file, if {@link RemoteFile.isStream}. */
  stream?(file: RemoteFile): AsyncIterable<Uint8Array>;
}

/** Why a request failed. */
export interface FailureDetail {
  /** HTTP's status; undefined when no answer came. */
  readonly status?: number | undefined;
  /** Whether the same request may succeed later. */
  readonly isPassing: boolean;
  /** Wait that the store asks for. */
  readonly waitMs?: number | undefined;
  readonly cause?: unknown;
}

/** A failed request; it becomes an error for the user where the file and the attempts are known. */
export class StoreFailure extends Error {
  readonly status: number | undefined;
  readonly isPassing: boolean;
  readonly waitMs: number | undefined;

  constructor(message: string, { status, isPassing, waitMs, cause }: FailureDetail) {
    super(message, { cause });
    this.status = status;
    this.isPassing = isPassing;
    this.waitMs = waitMs;
  }
}
