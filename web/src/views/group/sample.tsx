import { formatCounted, formatNumber } from "../../../../src/render/text/display/index.ts";
import type { GroupPage, GroupSample } from "../../../../src/results/page.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import { sparkValue } from "../../../../src/results/wire/briefs.ts";
import { makeHref } from "../../state/url.ts";
import { shadeClass } from "../../ui/color-scale.ts";
import { deltaScale } from "../../ui/legend.tsx";
import { SampleText } from "../../ui/peek/sample-text.tsx";
import { StarMark } from "../../ui/star-button.tsx";

interface SampleProps {
  readonly info: RunInfo;
  readonly page: GroupPage;
  readonly sample: GroupSample;
  readonly isCurrent: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** One sample: its outcome, its strip, and on request its text. */
export function Sample({ info, page, sample, isCurrent, isOpen, onToggle }: SampleProps) {
  const { sequence, handle, worst, branch, tokens, answer } = sample;
  const isAlone = page.samples.length === 1;
  return (
    <li class={isCurrent ? "sample current" : "sample"} aria-current={isCurrent || undefined}>
      <div class="sample-head">
        <a
          href={makeHref({ view: "sequence", sequence, token: undefined, params: { "text-of": undefined } })}
        >
          {handle}
        </a>
        <StarMark handle={handle} />
        <Outcome {...sample} />
        {worst >= 0 && (
          <a
            href={makeHref({ view: "sequence", sequence, token: worst, params: { "text-of": undefined } })}
            title={`token ${worst}`}
          >
            max |Δ| {formatNumber(sample.delta_abs_max)}
          </a>
        )}
        <button type="button" class="quiet" aria-expanded={isOpen} onClick={onToggle}>
          {isOpen ? "▾" : "▸"} text
        </button>
      </div>
      <Strip sample={sample} scales={info.scales} longest={page.longest} marksBranch={!isAlone} />
      {!isOpen && answer !== null && (
        <p class="answer" title={answer}>
          <bdi>{answer}</bdi>
        </p>
      )}
      {isOpen && (
        <>
          {!isAlone && <p class="muted">{sayBranch(branch, tokens)}</p>}
          <SampleText info={info} sequence={sequence} mark={isAlone ? undefined : branch} />
        </>
      )}
    </li>
  );
}

function Outcome({ correct, facts }: GroupSample) {
  return (
    <>
      {correct !== null && (
        <strong class={correct === 1 ? "is-right" : "is-wrong"}>
          {correct === 1 ? "✓ right" : "✗ wrong"}
        </strong>
      )}
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </>
  );
}

function sayBranch(branch: number, tokens: number): string {
  if (branch >= tokens) return "Another sample starts with all of this one.";
  return `Differs from all others from token ${branch} on.`;
}

/** |Δ| along the response, with the same length scale and colors for all samples; neighbors of one color are merged. */
function Strip({
  sample: { strip, tokens, branch, worst, delta_abs_max },
  scales,
  longest,
  marksBranch,
}: {
  readonly sample: GroupSample;
  readonly scales: RunInfo["scales"];
  readonly longest: number;
  readonly marksBranch: boolean;
}) {
  const scale = deltaScale(scales);
  const pieces: { shade: string; bins: number }[] = [];
  for (const level of strip) {
    const shade = level === 0 ? "nothing" : shadeClass(Math.sign(level) * sparkValue(Math.abs(level)), scale);
    const last = pieces.at(-1);
    if (last?.shade === shade) last.bins++;
    else pieces.push({ shade, bins: 1 });
  }
  const toLeft = (token: number): string => `${(100 * token) / longest}%`;
  return (
    <div
      class="group-strip"
      role="img"
      aria-label={`|Δ| along ${formatCounted(tokens, "token")}${worst < 0 ? "" : `, the largest ${formatNumber(delta_abs_max)} at token ${worst}`}`}
    >
      <div class="pieces" style={{ inlineSize: toLeft(tokens) }}>
        {pieces.map(({ shade, bins }, at) => (
          <i key={at} class={shade} style={{ flexGrow: bins }} />
        ))}
      </div>
      {marksBranch && branch < tokens && (
        <b
          class="branch"
          style={{ insetInlineStart: toLeft(branch) }}
          title={`differs from all others from token ${branch} on`}
        >
          ▼
        </b>
      )}
    </div>
  );
}
