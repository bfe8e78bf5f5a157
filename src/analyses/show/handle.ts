import { UsageError } from "../../core/base/index.ts";
import { formatHandle, type Handle, readHandle } from "../../core/schema/index.ts";

/** The token with the largest |Δ| of the run, and its sequence. */
export const WORST = "worst";

/**
 * `s12.r3.q41.t880` and its shorter forms: step, rank and token may be left out.
 *
 * @throws UsageError if the text is not a handle
 */
export function parseHandle(text: string): Handle {
  const handle = readHandle(text);
  if (handle === undefined) {
    throw new UsageError(`"${text}" is not a handle of a sequence or token`, {
      hint: "s12.r3.q41.t880 is step 12, rank 3, sequence 41, token 880; all but q41 may be left out. logratio report prints handles; or write worst",
    });
  }
  return handle;
}

/** The part of a handle that names a sequence. */
export function sequenceHandle({ token: _, ...rest }: Handle): string {
  return formatHandle(rest);
}
