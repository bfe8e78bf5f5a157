import type { ComponentChildren } from "preact";
import { computeK3, computeProbDiff } from "../../../../../src/core/kernels/index.ts";
import {
  formatNearOne,
  formatNumber,
  formatProbability,
  formatSigned,
} from "../../../../../src/render/text/display/index.ts";
import { Explained } from "../../../ui/explained.tsx";
import { hexBytes, literal } from "../model/display.ts";
import type { Fates } from "../model/fate.ts";
import { deltaAt } from "../model/metrics.ts";
import { describeNumber, type Numbers } from "../model/numbers.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import { type Alternatives, alternativesAt } from "./alternatives.ts";
import { TopKTable } from "./top-k-table.tsx";

export interface TokenCardProps {
  readonly model: SequenceModel;
  readonly numbers: Numbers;
  /** Counted from the first prompt token. */
  readonly place: number;
  readonly fates: Fates;
  /** Absent if the run has none. */
  readonly alternatives: Alternatives | undefined;
  /** Beside the title. */
  readonly children?: ComponentChildren;
}

/** Everything that is known about one token. */
export function TokenCard({ model, numbers, place, fates, alternatives, children }: TokenCardProps) {
  const { wire, prompt } = model;
  const token = place - prompt;
  const id = wire.ids[place]!;
  const own = model.textOf(place);
  const text = own.includes("\ufffd") ? model.nameOf(place) : own;
  const part = numbers.at(place);
  const { from, to } = model.sharing(place);
  const isShared = to - from > 1;
  const name = (at: number): string => (at < prompt ? `prompt ${at}` : `t${at - prompt}`);
  return (
    <>
      <header class="card-head">
        <bdi class="card-text">{model.nameOf(place)}</bdi>
        {children}
      </header>
      <p class="card-place">
        {place < prompt ? "prompt token" : `${wire.meta.handle}.t${token}`} · id {id}
        {` · bytes ${hexBytes(model.bytesOf(place)) || "none"}`}
      </p>
      {isShared && (
        <p class="card-place">
          {place - from + 1} of {to - from} tokens ({name(from)} – {name(to - 1)}) that write{" "}
          <bdi>{literal(model.cellText(from))}</bdi> together: bytes{" "}
          {hexBytes(wire.texts.subarray(wire.textOffsets[from], wire.textOffsets[to]))}
        </p>
      )}
      {part !== undefined && <p class="card-place">{describeNumber(part)}</p>}
      {place < prompt && <p class="card-note">prompt · not trained</p>}
      {place >= prompt && wire.mask[token] === 0 && (
        <p class="card-note">tool output · not trained, in no figure</p>
      )}
      {place >= prompt && <Values {...{ model, token, fates, alternatives }} actual={{ id, text }} />}
    </>
  );
}

interface ValuesProps extends Pick<TokenCardProps, "model" | "fates" | "alternatives"> {
  readonly token: number;
  readonly actual: { readonly id: number; readonly text: string };
}

function Values({ model, token, fates, alternatives, actual }: ValuesProps) {
  const { wire } = model;
  const rollout = wire.rollout[token]!;
  const trainer = wire.trainer[token]!;
  const own = wire.mask[token] !== 0;
  // Values that trainers write at untrained tokens do not count as a mismatch.
  const delta = own ? deltaAt(token, wire) : Number.NaN;
  const listed = alternatives?.(token);
  const sampled = { ...actual, rollout, trainer };
  const rank = (side: "rollout" | "trainer"): string => {
    if (listed?.value.state !== "ready") return "";
    const merged = alternativesAt(listed.value.value, token, sampled);
    const share = merged?.candidates.find((one) => one.sampled)?.[side];
    const k = merged?.[`${side}_k`];
    if (!share || share.at_most || !k) return "";
    return share.rank === null ? `> ${k}` : String(share.rank);
  };
  const ranks = [rank("rollout"), rank("trainer")];
  const entropies = [wire.rolloutEntropy?.[token], wire.trainerEntropy?.[token]];
  const run = model.runs.find(({ from, to }) => token + model.prompt >= from && token + model.prompt < to);
  return (
    <>
      <table class="card-values">
        <thead>
          <tr>
            <td />
            {["rollout", "trainer", "Δ"].map((name) => (
              <th key={name} scope="col">
                <Explained text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Row
            name="log p"
            values={[formatNumber(rollout, 4), formatNumber(trainer, 4), formatSigned(delta)]}
          />
          <Row
            name="p"
            values={[
              formatProbability(Math.exp(rollout)),
              formatProbability(Math.exp(trainer)),
              formatSigned(own ? computeProbDiff(rollout, trainer) : Number.NaN),
            ]}
          />
          {ranks.some((text) => text !== "") && <Row name="rank" values={[...ranks, ""]} />}
          {entropies.some((entropy) => entropy !== undefined) && (
            <Row
              name="entropy"
              values={[
                formatNumber(entropies[0]),
                formatNumber(entropies[1]),
                formatSigned(
                  entropies[0] === undefined || entropies[1] === undefined
                    ? undefined
                    : entropies[1] - entropies[0],
                ),
              ]}
            />
          )}
          {Object.entries(wire.policies).map(([name, logprobs]) => (
            <tr key={name}>
              <th scope="row">log p {name}</th>
              <td colSpan={2}>{formatNumber(logprobs[token], 4)}</td>
              <td title={`log p trainer − log p ${name}`}>{formatSigned(trainer - logprobs[token]!)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {own && (
        <p class="card-fate">
          <Explained text="ρ" /> {formatNearOne(Math.exp(delta))} · <Explained text="k3" />{" "}
          {formatNumber(computeK3(delta))} · {fates.describe(token)}
        </p>
      )}
      <p class="card-place">
        {[
          run?.kind === "turn" && `turn ${run.turn}, token ${token + model.prompt - run.from}`,
          wire.advantages !== undefined && `advantage ${formatSigned(wire.advantages[token])}`,
          wire.weightVersions !== undefined && `weights ${wire.weightVersions[token]}`,
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {listed === undefined ? null : <TopKTable of={listed} token={token} actual={sampled} own={own} />}
    </>
  );
}

function Row({ name, values }: { readonly name: string; readonly values: readonly (string | undefined)[] }) {
  return (
    <tr>
      <th scope="row">
        <Explained text={name} />
      </th>
      {values.map((value, at) => (
        <td key={String(at)}>{value}</td>
      ))}
    </tr>
  );
}
