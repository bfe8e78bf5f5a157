import { formatCorrection } from "../../../../src/trainers/neutral/index.ts";
import { correctionParams, NO_CORRECTION, readCorrection } from "../../state/correction.ts";
import { makeHref, navigate, route } from "../../state/url.ts";
import { CorrectionEditor } from "../../ui/correction-editor.tsx";
import { Popover } from "../../ui/popover.tsx";

/** The correction whose effects are underlined, in one line that opens its editor. */
export function CorrectionPicker() {
  const { correction, problem } = readCorrection(route.value.params);
  return (
    <Popover
      class="correction-picker"
      title="what a correction would do to these tokens: underlined in the text"
      summary={
        <>
          correction: <strong>{formatCorrection(correction ?? NO_CORRECTION)}</strong>
        </>
      }
    >
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
    </Popover>
  );
}
