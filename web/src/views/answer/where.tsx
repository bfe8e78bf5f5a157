import type { AnswerPage } from "../../../../src/results/answer-page.ts";
import { makeHref } from "../../state/url.ts";
import { Explained } from "../../ui/explained.tsx";
import { BarList } from "./bar-list.tsx";

/** The parts of the run with more of the mismatch than their share of tokens. */
export function Where({ of }: { readonly of: AnswerPage["where"] }) {
  if (of.length === 0) return null;
  return (
    <section class="where" aria-label="Where">
      <h2>
        Where <small title="the line in a bar: share of the tokens">share of KL</small>
      </h2>
      <BarList
        rows={of.map(({ label, k3_share, token_share, bar, token_bar, move }) => ({
          key: label,
          label: (
            <>
              <a href={makeHref({ ...move, token: undefined })}>{label}</a>
              <span class="visually-hidden">, {token_share} of the tokens</span>
            </>
          ),
          value: k3_share,
          bar,
          mark: { at: token_bar, said: `the line: ${token_share} of the tokens` },
        }))}
      />
    </section>
  );
}

/** Four figures, each with its usual range. */
export function Figures({ of }: { readonly of: AnswerPage["figures"] }) {
  return (
    <section class="figures" aria-label="Figures">
      <table>
        <thead>
          <tr>
            <th scope="col">Figures</th>
            <td />
            <th scope="col">usual</th>
          </tr>
        </thead>
        <tbody>
          {of.map(({ key, label, meaning, value, usual, source, level, sign }) => (
            <tr key={key}>
              <th scope="row">
                <Explained text={label} meaning={meaning} />
              </th>
              <td>{value}</td>
              <td title={source}>
                {usual} <span class={level ?? ""}>{sign}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <a href={makeHref({ view: "steps", token: undefined })}>all</a>
    </section>
  );
}
