import { formatCounted } from "../../../../src/render/text/display/index.ts";
import type { AnswerPage, RunInfo } from "../../../../src/results/index.ts";
import { LinkedText } from "../../ui/place-link.tsx";

/** The verdict in one sentence, with when. */
export function Sentence({ info, page }: { readonly info: RunInfo; readonly page: AnswerPage }) {
  const { level, sign, word, headline, detail } = page;
  return (
    <p class="sentence">
      <span class={`badge ${level}`}>
        <span aria-hidden="true">{sign}</span> {word}
        {info.status !== "ready" && <small>so far, {formatCounted(info.steps.length, "step")}</small>}
      </span>{" "}
      <b>{headline}</b>{" "}
      <span class="muted">
        <LinkedText text={detail} />
      </span>
    </p>
  );
}
