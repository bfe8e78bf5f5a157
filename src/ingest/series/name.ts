import type { SourceDocument } from "../../input/io/index.ts";
import type { OtherFile } from "../other-files/other-file.ts";
import { describeSeries } from "./from-document.ts";

/** The error for logged metrics where log-probs were expected. */
export function nameSeries(document: SourceDocument): OtherFile | undefined {
  const form = describeSeries(document);
  return form === undefined
    ? undefined
    : {
        what: `logged metrics (${form})`,
        hint: "logratio report FILE draws the mismatch metrics in it over the steps",
      };
}
