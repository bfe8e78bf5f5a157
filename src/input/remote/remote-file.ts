/**
 * What every store has in common: it finds files and reads ranges of them.
 *
 * @module
 */

/** One file of a remote store: all that is needed to read it without asking for it again. */
export interface RemoteFile {
  /** The address without credentials, queries and fragments: it stands in messages. */
  readonly name: string;
  readonly byteLength: number;
  /** Another version is another content (an ETag, a generation, a commit); undefined where the store gives none. */
  readonly version: string | undefined;
  /** The server sends whole files only, so that it can be read once, from front to back. */
  readonly isStream: boolean;
}

/** What an address names. */
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

/** A place in a store that a user named. Its methods throw {@link StoreFailure}, or an error for the user. */
export interface RemoteStore {
  /** The address as it stands in messages. */
  readonly name: string;
  /** @param limit files, beyond which it stops asking */
  list(limit: number, signal: AbortSignal): Promise<RemoteListing>;
  /** Exactly the bytes that were asked for. */
  read(file: RemoteFile, range: RangeRequest): Promise<Uint8Array>;
  /** The whole file, where it {@link RemoteFile.isStream}. */
  stream?(file: RemoteFile): AsyncIterable<Uint8Array>;
}

/** Why a request gave nothing. */
export interface FailureDetail {
  /** HTTP's status; undefined when no answer came. */
  readonly status?: number | undefined;
  /** The same request may succeed later. */
  readonly isPassing: boolean;
  /** As the store asks for. */
  readonly waitMs?: number | undefined;
  readonly cause?: unknown;
}

/** A request that failed; what it means to the user is said where the file and the attempts are known. */
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
