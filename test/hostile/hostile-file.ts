/**
 * A malicious or accidentally broken file, made when needed so that none lies in the repository.
 *
 * @module
 */
export interface HostileFile {
  /** With the usual ending for a file of its kind. */
  readonly name: string;
  readonly make: () => Uint8Array | Promise<Uint8Array>;
  /** `--memory`, in MiB: most bombs are only as large as a small limit requires; default {@link SMALL_LIMIT}. */
  readonly memory?: number;
  /** Takes about a minute to make and to read: only tried if LOGRATIO_LONG is set. */
  readonly long?: boolean;
  readonly expect: {
    /** Exit status of `logratio report` on this file alone. */
    readonly exit: number;
    /** Matches its messages. */
    readonly says: RegExp;
  };
}

/** A limit that works like the default of 1,024 MiB, but that a bomb of a few megabytes reaches. */
export const SMALL_LIMIT = 64;
