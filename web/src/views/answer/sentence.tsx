import { formatCounted, formatShare } from "../../../../src/render/text/display/index.ts";
import type { AnswerPage } from "../../../../src/results/answer-page.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import { formatSteps } from "../../state/step-range.ts";
import { makeHref } from "../../state/url.ts";
import { LinkedText } from "../../ui/place-link.tsx";

/** Below this share of a run, the verdict says little yet. */
const EARLY = 0.1;

/** The verdict in one sentence, including since when. */
export function Sentence({ info, page }: { readonly info: RunInfo; readonly page: AnswerPage }) {
  const { level, sign, word, headline, detail, stretch } = page;
  const { status, steps, read_share: share = 1 } = info;
  return (
    <p class={`sentence ${share < EARLY ? "early" : ""}`}>
      <span class={`badge ${level}`}>
        <span aria-hidden="true">{sign}</span> {word}
        {status !== "ready" && (
          <small>
            so far, {formatCounted(steps.length, "step")}
            {share < 1 && ` · ${formatShare(share)} read`}
          </small>
        )}
      </span>{" "}
      <b>
        {stretch === null ? (
          headline
        ) : (
          <a href={makeHref({ params: { steps: formatSteps(stretch) } })} title="choose these steps">
            {headline}
          </a>
        )}
      </b>{" "}
      <span class="muted">
        <LinkedText text={detail} />
      </span>
    </p>
  );
}
