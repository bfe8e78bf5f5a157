/**
 * A file that means harm, or that an accident left: made when it is needed, so that none lies in the repository.
 *
 * @module
 */
export interface HostileFile {
  /** With the ending that a file of its kind has. */
  readonly name: string;
  readonly make: () => Uint8Array | Promise<Uint8Array>;
  readonly expect: {
    /** Of `logratio report` of this file alone. */
    readonly exit: number;
    /** What its messages say. */
    readonly says: RegExp;
  };
}
