import { formatCorrection } from "../../../../src/trainers/neutral/index.ts";
import { correctionParams, NO_CORRECTION, readCorrection } from "../../state/correction.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import { CorrectionEditor } from "../../ui/correction-editor.tsx";

/** The correction whose effects are underlined, in a line; opened, everything of it. */
export function CorrectionPicker() {
  const { correction, problem } = readCorrection(route.value.params);
  return (
    <details
      class="correction-picker"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.currentTarget.open = false;
        event.currentTarget.querySelector("summary")?.focus();
        event.preventDefault();
      }}
    >
      <summary title="what a correction would do to these tokens: underlined in the text">
        correction: <strong>{formatCorrection(correction ?? NO_CORRECTION)}</strong>
      </summary>
      <div class="correction-panel">
        {problem !== undefined && <p class="failed">{problem}</p>}
        <CorrectionEditor
          correction={correction ?? NO_CORRECTION}
          onChange={(next) => navigate({ params: correctionParams(next) })}
        />
        <p>
          <a href={makeHref({ view: "correct", token: undefined })}>What it does to the whole run</a>
          <button type="button" onClick={() => navigate({ params: correctionParams(undefined) })}>
            no correction
          </button>
        </p>
      </div>
    </details>
  );
}
