import type { ReadonlySignal } from "@preact/signals";
import type { SampledToken } from "../../../../../src/analyses/show/index.ts";
import { formatProbability } from "../../../../../src/render/text/display/index.ts";
import type { ShowAlternatives, ShowShare } from "../../../../../src/results/show.ts";
import type { WireTopK } from "../../../../../src/results/wire/sequence.ts";
import type { Loaded } from "../../../state/loaded.ts";
import { WhenLoaded } from "../../../ui/when-loaded.tsx";
import { literal } from "../model/display.ts";
import { alternativesAt } from "./alternatives.ts";

export interface TopKProps {
  readonly of: ReadonlySignal<Loaded<WireTopK>>;
  readonly token: number;
  readonly actual: SampledToken;
  /** Whether the policy sampled the token, instead of being given it. */
  readonly own: boolean;
}

/** Both policies' alternatives in one list, with paired bars. */
export function TopKTable({ of, token, actual, own }: TopKProps) {
  return (
    <WhenLoaded of={of}>
      {(alternatives) => <Merged merged={alternativesAt(alternatives, token, actual)} own={own} />}
    </WhenLoaded>
  );
}

function Merged({ merged, own }: { readonly merged: ShowAlternatives | null; readonly own: boolean }) {
  if (merged === null) return <p class="card-note">no alternatives recorded at this token</p>;
  return (
    <table class="top-k">
      <thead>
        <tr>
          <th scope="col">candidate</th>
          <th scope="col">p rollout</th>
          <th scope="col">p trainer</th>
        </tr>
      </thead>
      <tbody>
        {merged.candidates.map(({ id, text, sampled, rollout, trainer }) => (
          <tr key={id} class={sampled ? "actual" : undefined}>
            <th scope="row" title={`id ${id}`}>
              <bdi>{text === null ? `#${id}` : literal(text, 24)}</bdi>
              {sampled && <span class="mark"> {own ? "sampled" : "given"}</span>}
            </th>
            <ShareCell share={rollout} side="rollout" />
            <ShareCell share={trainer} side="trainer" />
          </tr>
        ))}
        <tr class="rest">
          <th scope="row">rest of the vocabulary</th>
          <RestCell p={merged.rollout_rest} side="rollout" />
          <RestCell p={merged.trainer_rest} side="trainer" />
        </tr>
      </tbody>
    </table>
  );
}

function ShareCell({
  share,
  side,
}: {
  readonly share: ShowShare | null;
  readonly side: "rollout" | "trainer";
}) {
  if (share === null) return <td class="none">not recorded</td>;
  if (share.at_most)
    return (
      <td class="none" title="not in its top k">
        ≤ {formatProbability(share.probability)}
      </td>
    );
  return (
    <td>
      <Bar p={share.probability} side={side} />
      {formatProbability(share.probability)}
      {share.rank !== null && <span class="rank"> #{share.rank}</span>}
    </td>
  );
}

function RestCell({ p, side }: { readonly p: number | null; readonly side: "rollout" | "trainer" }) {
  if (p === null) return <td class="none">not recorded</td>;
  return (
    <td>
      <Bar p={p} side={side} />
      {formatProbability(p)}
    </td>
  );
}

function Bar({ p, side }: { readonly p: number; readonly side: "rollout" | "trainer" }) {
  return <i class={`bar ${side}`} style={{ width: `${Math.min(1, p) * 100}%` }} />;
}
