import { digitsTables } from "../../state/loaded.ts";
import { DocumentView } from "../../ui/document-view.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";

/** How sure the policies are about digits, and how far off: `logratio digits` as a page. */
export function DigitsView({ info }: ViewProps) {
  return (
    <div class="digits">
      <h1 class="visually-hidden">Digits</h1>
      {info.has.digits ? (
        <WhenLoaded of={digitsTables()}>{(page) => <DocumentView of={page} />}</WhenLoaded>
      ) : (
        <p role="status">
          There are no figures for digits:{" "}
          {info.tokenizer === null
            ? "telling which tokens are digits needs a tokenizer (logratio view --tokenizer DIR)."
            : info.redacted
              ? "texts are redacted."
              : "no token of this run is a digit of its tokenizer."}
        </p>
      )}
    </div>
  );
}
