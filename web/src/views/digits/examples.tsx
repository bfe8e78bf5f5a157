import { useEffect, useState } from "preact/hooks";
import type { DigitExample, WrongAnswer } from "../../../../src/protocol/digits.ts";
import { placeName } from "../../../../src/report/digits/content.ts";
import { printable } from "../../../../src/report/printable.ts";
import { client } from "../../api/client.ts";
import { moveToHandle } from "../../state/handles.ts";
import { table } from "../../state/loaded.ts";
import { flatRows } from "../../ui/export.ts";
import { ExportMenu } from "../../ui/export-menu.tsx";
import { formatNumber, formatSigned } from "../../ui/format.ts";
import { HandleLink } from "../../ui/place-link.tsx";
import { ScrollBox } from "../../ui/scroll-box.tsx";
import { contextOf, type TokenContext } from "./context.ts";

/** Single digits, each in its number, its text, and one click from its place there. */
export function DigitExamples({
  title,
  name,
  examples,
}: {
  readonly title: string;
  /** Of exported files. */
  readonly name: string;
  readonly examples: readonly DigitExample[];
}) {
  if (examples.length === 0) return null;
  const both = examples.some(({ trainer_logprob: logprob }) => logprob !== null);
  return (
    <div class="examples">
      <div class="table-head">
        <h3>{title}</h3>
        <ExportMenu name={name} rows={() => flatRows(examples)} />
      </div>
      <ScrollBox label={title}>
        <table>
          <thead>
            <tr>
              <th scope="col">place in the text</th>
              <th scope="col">digit in its number</th>
              <th scope="col" class="figure">
                p rollout
              </th>
              {both && (
                <>
                  <th scope="col" class="figure">
                    p trainer
                  </th>
                  <th scope="col" class="figure" title="log p_trainer − log p_rollout, nats">
                    Δ
                  </th>
                </>
              )}
              <th scope="col">context</th>
            </tr>
          </thead>
          <tbody>
            {examples.map((example) => (
              <tr key={example.handle}>
                <td>
                  <HandleLink handle={example.handle} />
                </td>
                <td>
                  <b>{example.digit}</b> in {example.number} <small>{placeName(example.place)}</small>
                </td>
                <td class="figure">{formatNumber(Math.exp(example.rollout_logprob))}</td>
                {both && (
                  <>
                    <td class="figure">{formatNumber(probability(example.trainer_logprob))}</td>
                    <td class="figure">
                      {formatSigned(
                        example.trainer_logprob === null
                          ? null
                          : example.trainer_logprob - example.rollout_logprob,
                      )}
                    </td>
                  </>
                )}
                <td>
                  <Context handle={example.handle} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </div>
  );
}

/** Answers that are wrong, and how sure the policy was. */
export function WrongAnswers({ answers }: { readonly answers: readonly WrongAnswer[] }) {
  if (answers.length === 0) return null;
  const title = "Wrong answers that the rollout policy was most sure of";
  return (
    <div class="examples">
      <div class="table-head">
        <h3>{title}</h3>
        <ExportMenu name="surest wrong answers" rows={() => flatRows(answers)} />
      </div>
      <ScrollBox label={title}>
        <table>
          <thead>
            <tr>
              <th scope="col">place in the text</th>
              <th scope="col" class="figure">
                answer
              </th>
              <th scope="col" class="figure">
                truth
              </th>
              <th scope="col" class="figure">
                p rollout
              </th>
              <th scope="col">context</th>
            </tr>
          </thead>
          <tbody>
            {answers.map(({ handle, answer, truth, rollout_logprob: logprob }) => (
              <tr key={handle}>
                <td>
                  <HandleLink handle={handle} />
                </td>
                <td class="figure">{printable(answer)}</td>
                <td class="figure">{printable(truth)}</td>
                <td class="figure">{formatNumber(Math.exp(logprob))}</td>
                <td>
                  <Context handle={handle} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </div>
  );
}

function probability(logprob: number | null): number | null {
  return logprob === null ? null : Math.exp(logprob);
}

type Asked = TokenContext | "missing" | undefined;

function Context({ handle }: { readonly handle: string }) {
  const loaded = table().value;
  const move = loaded.state === "ready" ? moveToHandle(loaded.value, handle) : undefined;
  const { sequence, token } = move ?? {};
  const [context, setContext] = useState<Asked>(undefined);
  useEffect(() => {
    if (sequence === undefined || token === undefined) return;
    let wanted = true;
    client.sequence(sequence).then(
      (wire) => wanted && setContext(contextOf(wire, token) ?? "missing"),
      () => wanted && setContext("missing"),
    );
    return () => {
      wanted = false;
    };
  }, [sequence, token]);
  if (context === undefined) return <span class="muted">…</span>;
  if (context === "missing") return <span class="muted">not to be had</span>;
  return (
    <span class="context">
      <bdi class="muted">{context.before}</bdi>
      <mark>
        <bdi>{context.token}</bdi>
      </mark>
      <bdi class="muted">{context.after}</bdi>
    </span>
  );
}
