import type { SampledCluster } from "../../core/summaries/index.ts";
import type { SequenceTable } from "../../results/wire/table.ts";

type Columns = SequenceTable["columns"];
type Texts = SequenceTable["texts"];

/** What the checks need of a run's answers; `SequenceTable` and the answers sampled by a run summary both have it. */
export interface AnswerTable {
  readonly length: number;
  readonly columns: Pick<Columns, "step" | "reward" | "response_tokens">;
  readonly texts: {
    readonly group: Pick<Texts["group"], "codes">;
    readonly finish_reason: Texts["finish_reason"];
  };
}

/** The sampled answers as a table, grouped by prompt and step; the whole run if the sample contains all of it. */
export function tabulateSample(clusters: readonly SampledCluster[]): AnswerTable {
  const all = clusters.flatMap(({ sequences }, group) => sequences.map((one) => ({ one, group })));
  const finishes = [...new Set(all.flatMap(({ one: { finish } }) => finish ?? []))].sort();
  const codes = new Map(finishes.map((finish, code) => [finish, code]));
  return {
    length: all.length,
    columns: {
      step: Float64Array.from(all, ({ one }) => one.step),
      reward: Float64Array.from(all, ({ one }) => one.reward),
      response_tokens: Float64Array.from(all, ({ one }) => one.tokens),
    },
    texts: {
      group: { codes: Int32Array.from(all, ({ group }) => group) },
      finish_reason: {
        values: finishes,
        codes: Int32Array.from(all, ({ one: { finish } }) => (finish === null ? -1 : codes.get(finish)!)),
      },
    },
  };
}
