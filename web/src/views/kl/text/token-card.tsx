import {
  formatNumber,
  formatShare,
  formatSigned,
  MISSING,
} from "../../../../../src/render/text/display/index.ts";
import { printable } from "../../../../../src/render/text/index.ts";
import type { StudyInfo } from "../../../../../src/results/view.ts";
import { listChoices } from "../../../../../src/study/render/index.ts";
import { makeHref } from "../../../state/url.ts";
import type { Row } from "../../../ui/export.ts";
import { ExportMenu } from "../../../ui/export-menu.tsx";
import { checkpointParam } from "../choices.ts";
import { forcedToken, isError, probabilityAt, sinceWhen, type TextModel, valueAt } from "./text-model.ts";
import "./token-card.css";
import { shortToken } from "./token-text.ts";

/** A token at every checkpoint, and what both policies would have said instead. */
export function TokenCard({
  model,
  info: { reference, baselines },
  checkpoint,
  token,
  onClose,
}: {
  readonly model: TextModel;
  readonly info: StudyInfo;
  readonly checkpoint: number;
  readonly token: number;
  readonly onClose: () => void;
}) {
  const { meta, ids, mask, categories } = model.wire;
  const trained = meta.checkpoints.flatMap((name, at) => (baselines.includes(name) ? [] : [at]));
  const since = mask[token] === 0 ? null : sinceWhen(model, token, trained);
  return (
    <section class="token-card" aria-label={`Token ${token}`}>
      <header>
        <h3>
          <span class="muted">token {token}</span> <mark>{shortToken(meta.tokens[token] ?? "", 60)}</mark>
        </h3>
        <ExportMenu name={`${meta.handle} t${token}`} rows={() => valueRows(model, token)} />
        <button type="button" class="quiet" aria-label="Close the card" onClick={onClose}>
          ✕
        </button>
      </header>
      <p class="facts">
        {[
          `id ${ids[token]}`,
          meta.categories[categories[token] ?? -1] ?? "",
          ...(mask[token] === 0 ? ["tool output, not scored"] : []),
          ...(isError(model, token) ? ["of the first error"] : []),
          ...(since === null
            ? []
            : [`half of its last KL since ${printable(meta.checkpoints[since] ?? "")}`]),
        ].join(" · ")}
      </p>
      {mask[token] !== 0 && (
        <>
          <Values model={model} reference={reference} checkpoint={checkpoint} token={token} />
          <Alternatives model={model} reference={reference} checkpoint={checkpoint} token={token} />
        </>
      )}
    </section>
  );
}

interface PartProps {
  readonly model: TextModel;
  readonly reference: string;
  readonly checkpoint: number;
  readonly token: number;
}

function Values({ model, reference, checkpoint, token }: PartProps) {
  const { meta, referenceLogprob, referenceEntropy } = model.wire;
  const most = Math.max(
    ...meta.checkpoints.map((_, at) => valueAt(model, "kl", at, token)).filter(Number.isFinite),
    0,
  );
  return (
    <table class="values">
      <caption>At every checkpoint, against {printable(reference)}</caption>
      <thead>
        <tr>
          <th scope="col" class="name">
            checkpoint
          </th>
          <th scope="col" title="nats">
            KL
          </th>
          <th scope="col" title="log p checkpoint − log p reference of this token, nats">
            Δ
          </th>
          <th scope="col" title="probability of this token">
            p
          </th>
          <th scope="col" title="nats">
            entropy
          </th>
        </tr>
      </thead>
      <tbody>
        {meta.checkpoints.map((name, at) => {
          const kl = valueAt(model, "kl", at, token);
          const params = { checkpoint: checkpointParam(meta.checkpoints, at) };
          return (
            <tr key={name} class={at === checkpoint ? "chosen-row" : undefined}>
              <th scope="row" class="name">
                <a href={makeHref({ params })} aria-current={at === checkpoint ? "true" : undefined}>
                  {printable(name)}
                </a>
              </th>
              <td class={model.spikes[at]?.has(token) ? "is-spike" : undefined}>
                {model.spikes[at]?.has(token) && <abbr title="a spike at this checkpoint">▲</abbr>}{" "}
                {formatNumber(kl)}
                <span class="kl-bar" aria-hidden="true">
                  <i style={{ inlineSize: `${scaleBar(kl, most) * 100}%` }} />
                </span>
              </td>
              <td>{formatSigned(valueAt(model, "delta", at, token))}</td>
              <td>{probabilityText(probabilityAt(model, at, token))}</td>
              <td>{formatNumber(valueAt(model, "entropy", at, token))}</td>
            </tr>
          );
        })}
        <tr class="reference-row">
          <th scope="row" class="name">
            {printable(reference)}
          </th>
          <td>–</td>
          <td>–</td>
          <td>{probabilityText(Math.exp(referenceLogprob[token] ?? Number.NaN))}</td>
          <td>{formatNumber(referenceEntropy[token])}</td>
        </tr>
      </tbody>
    </table>
  );
}

function scaleBar(kl: number, most: number): number {
  if (Number.isNaN(kl) || most === 0) return 0;
  return Math.min(1, kl / most);
}

function probabilityText(probability: number | null): string {
  return probability === null || Number.isNaN(probability) ? MISSING : formatShare(probability);
}

/** The most probable tokens are stored for spikes only. */
function Alternatives({ model, reference, checkpoint, token }: PartProps) {
  const { checkpoints } = model.wire.meta;
  const spike = model.spikes[checkpoint]?.get(token);
  if (spike === undefined) {
    const elsewhere = checkpoints.findIndex((_, at) => model.spikes[at]?.has(token));
    return (
      <p class="note">
        No spike at {printable(checkpoints[checkpoint] ?? "")}: alternatives are kept for spikes only.
        {elsewhere >= 0 && (
          <>
            {" "}
            It is a spike at{" "}
            <a href={makeHref({ params: { checkpoint: checkpointParam(checkpoints, elsewhere) } })}>
              {printable(checkpoints[elsewhere] ?? "")}
            </a>
            .
          </>
        )}
      </p>
    );
  }
  const forced = forcedToken(model, spike);
  return (
    <>
      <table class="choices">
        <caption>
          Next token by probability; a spike with z = {formatNumber(spike.zscore)} in the{" "}
          {THIRDS[spike.region]}
        </caption>
        <thead>
          <tr>
            <th scope="col" class="name">
              token
            </th>
            <th scope="col">{printable(checkpoints[checkpoint] ?? "")}</th>
            <th scope="col">{printable(reference)}</th>
          </tr>
        </thead>
        <tbody>
          {listChoices(forced).map(({ token: text, own, reference: theirs }) => (
            <tr key={text} class={text === forced.token ? "forced" : undefined}>
              <th scope="row" class="name">
                <mark>{shortToken(text, 40)}</mark>
                {text === forced.token && <span class="muted"> forced</span>}
              </th>
              <Share value={own} />
              <Share value={theirs} />
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        {spike.alternatives.length === 0
          ? "The back end returns no alternatives."
          : "–: not among the tokens kept."}
      </p>
    </>
  );
}

const THIRDS = { early: "first third", mid: "middle third", late: "last third" } as const;

function Share({ value }: { readonly value: number | null }) {
  return (
    <td>
      {probabilityText(value)}
      <span class="kl-bar" aria-hidden="true">
        <i style={{ inlineSize: `${(value ?? 0) * 100}%` }} />
      </span>
    </td>
  );
}

function valueRows(model: TextModel, token: number): Row[] {
  return model.wire.meta.checkpoints.map((checkpoint, at) => ({
    checkpoint,
    kl: valueAt(model, "kl", at, token),
    delta: valueAt(model, "delta", at, token),
    probability: probabilityAt(model, at, token),
    entropy: valueAt(model, "entropy", at, token),
    spike: model.spikes[at]?.has(token) ?? false,
  }));
}
