/**
 * A file that means harm, or that an accident left: made when it is needed, so that none lies in the repository.
 *
 * @module
 */
export interface HostileFile {
  /** With the ending that a file of its kind has. */
  readonly name: string;
  readonly make: () => Uint8Array | Promise<Uint8Array>;
  /** `--memory`, in MiB: most bombs are as large as they must be for a small limit; default {@link SMALL_LIMIT}. */
  readonly memory?: number;
  /** Takes a minute or so to make and to read: only tried where LOGRATIO_LONG is set. */
  readonly long?: boolean;
  readonly expect: {
    /** Of `logratio report` of this file alone. */
    readonly exit: number;
    /** What its messages say. */
    readonly says: RegExp;
  };
}

/** A limit of the same kind as the default of 1,024 MiB, which a bomb of a few megabytes reaches. */
export const SMALL_LIMIT = 64;
