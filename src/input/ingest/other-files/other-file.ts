import { basename } from "node:path";
import { quoteForShell, UnsupportedError } from "../../../core/base/index.ts";

/** A file that is known and not read. */
export interface OtherFile {
  /** With its article: `a tokenizer`, `an image (PNG)`. */
  readonly what: string;
  /** Why it cannot be used: `it holds no log-probs` where nothing else is said. */
  readonly why?: string;
  readonly likely?: string;
  /** `FILE` in it stands for the file's name, `GIVEN` for its path as a word of a command. */
  readonly hint: string;
  /** The data themselves were to be in it (a pointer, a broken copy): in a directory it counts as a file lost. */
  readonly standsForData?: true;
}

/** A well-known file of another kind was given. In a directory it is counted, and is not an error. */
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
