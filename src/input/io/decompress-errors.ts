import { FormatError } from "../../core/base/index.ts";

export interface CutPlace {
  readonly name: string;
  /** Where the compressed file ends. */
  readonly offset: number;
  readonly cause?: unknown;
}

/** The error for a compressed file that ends inside `what`. */
export function cutOff(format: string, what: string, { name, offset, cause }: CutPlace): FormatError {
  return new FormatError(`${format} data is cut off: the file ends at byte ${offset}, inside ${what}`, {
    at: { file: name, offset },
    likely: "the file was being written or copied when it was read",
    hint: "wait until its writer has finished, or copy it again",
    cause,
  });
}
