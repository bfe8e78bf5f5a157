/**
 * Files that were made to do harm, each with what reading it must come to.
 *
 * @module
 */
export interface HostileFile {
  /** With the extension. */
  readonly name: string;
  readonly make: () => Uint8Array | Promise<Uint8Array>;
  readonly expect: {
    /** Of `logratio report` on this file alone. */
    readonly exit: number;
    /** In what it prints. */
    readonly says: RegExp;
  };
}
