/**
 * Well-known files without recorded log-probs: says what they are and what to do instead. A file that a trainer dumps
 * belongs to an adapter; a file recognized here never has figures.
 *
 * @module
 */
import { basename } from "node:path";
import { quoteForShell, UnsupportedError } from "../../core/base/index.ts";

/** A known file that is not read. */
export interface OtherFile {
  /** With its article: `a tokenizer`, `an image (PNG)`. */
  readonly what: string;
  /** Why it cannot be used; default `it holds no log-probs`. */
  readonly why?: string;
  readonly likely?: string;
  /** `FILE` in it is replaced by the file's name, `GIVEN` by its path, quoted for a command. */
  readonly hint: string;
  /** The data should have been in it (a pointer, a broken copy): in a directory it counts as a lost file. */
  readonly standsForData?: true;
}

/** The error for a well-known file of another kind. In a directory it is counted and is not an error. */
export class OtherFileError extends UnsupportedError {
  readonly what: string;
  readonly standsForData: boolean;

  constructor(file: string, { what, why, likely, hint, standsForData }: OtherFile) {
    super(`${what}: ${why ?? "it holds no log-probs"}`, {
      at: { file },
      hint: hint.replace(/\bFILE\b/g, () => basename(file)).replace(/\bGIVEN\b/g, () => quoteForShell(file)),
      ...(likely === undefined ? {} : { likely }),
    });
    this.what = what;
    this.standsForData = standsForData === true;
  }
}

export function otherFileError(file: string, other: OtherFile | undefined): OtherFileError | undefined {
  return other === undefined ? undefined : new OtherFileError(file, other);
}
