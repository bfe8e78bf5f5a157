import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { formatCounted, formatNumber, formatSigned } from "../../../../../src/render/text/display/index.ts";
import { printable } from "../../../../../src/render/text/index.ts";
import type { StudyInfo, StudyTexts } from "../../../../../src/results/view.ts";
import type { WireStudyText } from "../../../../../src/results/wire/study-text.ts";
import { caseFacts } from "../../../../../src/study/render/index.ts";
import { client } from "../../../api/client.ts";
import { type Loaded, settle } from "../../../state/loaded.ts";
import { makeHref, navigate } from "../../../state/url.ts";
import { elementSvg } from "../../../ui/element-svg.ts";
import { ExportMenu } from "../../../ui/export-menu.tsx";
import { WhenLoaded } from "../../../ui/when-loaded.tsx";
import { CheckpointSelect, chooseCheckpoint } from "../checkpoint-select.tsx";
import { type Choices, toPart } from "../choices.ts";
import { chooseTexts, neighbour } from "../texts/order.ts";
import { HeatMap } from "./heat-map.tsx";
import { HeatLegend } from "./legend.tsx";
import { Strip } from "./strip.tsx";
import "./text.css";
import { isError, type TextModel, textModel, tokenRows, valueAt } from "./text-model.ts";
import { TokenCard } from "./token-card.tsx";
import { runningText, shortToken } from "./token-text.ts";
import { useTextKeys } from "./use-text-keys.ts";

interface TextPartProps {
  readonly info: StudyInfo;
  readonly list: StudyTexts;
  readonly choices: Choices;
}

/** One text under every checkpoint. */
export function TextPart(props: TextPartProps) {
  const { info, choices } = props;
  const index = choices.text ?? 0;
  const loaded = useMemo(() => {
    const asked = signal<Loaded<WireStudyText>>({ state: "loading" });
    if (index < info.texts) settle(client.study.text(index), asked);
    return asked;
  }, [index, info.version, info.texts]);
  if (index >= info.texts) {
    return (
      <p class="failed" role="alert">
        There is no text {index}: this study has {formatCounted(info.texts, "text")}, counted from 0.
      </p>
    );
  }
  return (
    <WhenLoaded of={loaded}>
      {(wire) => <TextPage key={`${info.version} ${index}`} {...props} wire={wire} />}
    </WhenLoaded>
  );
}

function TextPage({ info, list, choices, wire }: TextPartProps & { readonly wire: WireStudyText }) {
  const model = useMemo(() => textModel(wire, list.scale), [wire, list.scale]);
  const { meta, mask } = wire;
  const { checkpoint, find, answer, order } = choices;
  const token = choices.token !== undefined && choices.token < model.tokens ? choices.token : undefined;
  const rows = useMemo(
    () => chooseTexts(list.texts, choices),
    [list, find, answer, order.key, order.descending, checkpoint],
  );
  const near = (way: 1 | -1): number | undefined => neighbour(rows, meta.index, way);
  useTextKeys(model, { ...choices, token }, near);
  const choose = (next: number): void => navigate({ params: { token: String(next) } });
  const facts = caseFacts({
    ...meta,
    mask: [...mask],
    spikes: meta.spikes[checkpoint] ?? [],
    error_token: meta.error?.token ?? null,
  });
  return (
    <div class={token === undefined ? "text-page" : "text-page with-card"}>
      <div class="of-text">
        <div class="text-head">
          <h2>
            {meta.handle} <bdi>{printable(meta.text)}</bdi>
          </h2>
          <Step to={near(-1)} label="previous text (k)" sign="↑" />
          <Step to={near(1)} label="next text (j)" sign="↓" />
          <CheckpointSelect checkpoints={meta.checkpoints} at={checkpoint} />
          <ExportMenu
            name={`${meta.handle} tokens`}
            svg={() =>
              elementSvg(
                `${meta.handle}: KL of tokens by checkpoint`,
                [document.querySelector(".heat-legend"), document.querySelector(".heat-map")],
                emptyLines(document.querySelectorAll(".heat-map .part:empty").length),
              )
            }
            rows={() => tokenRows(model)}
          />
        </div>
        <p class="facts">{facts.map(printable).join(" · ")}</p>
        {meta.promptText !== null && (
          <details class="prompt">
            <summary>prompt</summary>
            <pre>{runningText(meta.promptText)}</pre>
          </details>
        )}
        <HeatLegend scale={model.scale} hasError={meta.error !== null} />
        <p class="readout" role="status" aria-live="polite">
          <bdi>{readout(model, checkpoint, token)}</bdi>
        </p>
        <h3>KL at {printable(meta.checkpoints[checkpoint] ?? "")}, token by token</h3>
        <Strip model={model} checkpoint={checkpoint} token={token} onChoose={choose} />
        <h3>Tokens × checkpoints</h3>
        <HeatMap
          model={model}
          checkpoint={checkpoint}
          token={token}
          allLines={choices.allLines}
          onChoose={(next, row) => {
            if (row !== undefined && row !== checkpoint) chooseCheckpoint(meta.checkpoints, row);
            choose(next);
          }}
        />
      </div>
      {token !== undefined && (
        <aside>
          <TokenCard
            model={model}
            info={info}
            checkpoint={checkpoint}
            token={token}
            onClose={() => navigate({ params: { token: undefined } })}
          />
        </aside>
      )}
    </div>
  );
}

function Step({
  to,
  label,
  sign,
}: {
  readonly to: number | undefined;
  readonly label: string;
  readonly sign: string;
}) {
  if (to === undefined) return null;
  return (
    <a class="step" href={makeHref({ params: toPart("text", to) })} aria-label={label} title={label}>
      {sign}
    </a>
  );
}

/** An exported picture contains only what the page has drawn. */
function emptyLines(count: number): string {
  return count === 0 ? "" : `${formatCounted(count, "line")} of tokens not scrolled to yet left empty`;
}

/** The chosen token in words; read out as it changes. */
function readout(model: TextModel, checkpoint: number, token: number | undefined): string {
  const { meta, mask } = model.wire;
  if (token === undefined) {
    const spikes = formatCounted(meta.spikes[checkpoint]?.length ?? 0, "spike");
    return `${spikes} at ${printable(meta.checkpoints[checkpoint] ?? "")}; click a token; ← → go token by token, . and , from spike to spike`;
  }
  const name = `token ${token} “${shortToken(meta.tokens[token] ?? "", 40)}”`;
  if (mask[token] === 0) return `${name}: tool output, not scored`;
  const spike = model.spikes[checkpoint]?.get(token);
  return [
    `${name}: KL ${formatNumber(valueAt(model, "kl", checkpoint, token))}`,
    `Δ ${formatSigned(valueAt(model, "delta", checkpoint, token))}`,
    ...(spike === undefined ? [] : [`a spike, z ${formatNumber(spike.zscore)}`]),
    ...(isError(model, token) ? ["first error"] : []),
  ].join(", ");
}
