import type { Bounded, DigitDistribution } from "../../../../src/protocol/digits.ts";
import { formatBounded } from "../../../../src/report/digits/tables.ts";
import { formatCount, formatShare } from "../../../../src/report/format.ts";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { LOSSES, lossRows, placesOn, scaleTop } from "./losses.ts";

/** Losses of both policies side by side, each with the interval that the digits outside the top k leave. */
export function LossTable({
  title,
  name,
  distributions,
}: {
  readonly title: string;
  /** Of exported files. */
  readonly name: string;
  readonly distributions: readonly DigitDistribution[];
}) {
  return (
    <div class="loss-table">
      <div class="table-head">
        <h3>{title}</h3>
        <ExportMenu name={name} rows={() => lossRows(distributions)} />
      </div>
      <ScrollBox label={title}>
        <table>
          <thead>
            <tr>
              <th scope="col">mean per digit</th>
              {distributions.map(({ policy }) => (
                <th key={policy} scope="col" class="figure">
                  {policy}
                </th>
              ))}
              {distributions.map(({ policy }) => (
                <th key={policy} scope="col" class="figure">
                  {policy}, not renormalised
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {LOSSES.map((kind) => {
              const top = scaleTop(kind, distributions);
              return (
                <tr key={kind.name}>
                  <th scope="row">
                    {kind.name} <small>{kind.meaning}</small>
                  </th>
                  {distributions.map((one) => (
                    <Interval key={one.policy} of={one[kind.own]} top={top} policy={one.policy} />
                  ))}
                  {distributions.map((one) =>
                    kind.raw === undefined ? (
                      <td key={one.policy} />
                    ) : (
                      <Interval key={one.policy} of={one[kind.raw]} top={top} policy={one.policy} />
                    ),
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </ScrollBox>
      {distributions.map((one) => (
        <p key={one.policy} class="note">
          {sayCoverage(one)}
        </p>
      ))}
    </div>
  );
}

function Interval({
  of,
  top,
  policy,
}: {
  readonly of: Bounded;
  readonly top: number;
  readonly policy: string;
}) {
  const [low, estimate, high] = placesOn(top, of).map((share) => `${(share * 100).toFixed(2)}%`);
  return (
    <td class="figure">
      {formatBounded(of)}
      <span class={`interval ${policy === "trainer" ? "trainer" : "rollout"}`} aria-hidden="true">
        <i class="range" style={{ left: low, right: `calc(100% - ${high})` }} />
        <i class="estimate" style={{ left: estimate }} />
      </span>
    </td>
  );
}

function sayCoverage(one: DigitDistribution): string {
  const unknown = one.unknown > 0 ? ` ${formatCount(one.unknown)} more hold no digit at all.` : "";
  return (
    `${one.policy}: top ${one.k} of ${formatCount(one.positions)} digit positions, ` +
    `${formatShare(one.complete / one.positions)} of them fully known; ${formatShare(one.unaccounted_mean)} of the ` +
    `probability is outside (at most ${formatShare(one.unaccounted_max)}).${unknown}`
  );
}
