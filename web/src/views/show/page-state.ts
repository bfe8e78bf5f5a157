import { signal, useSignal } from "@preact/signals";
import { useMemo, useRef } from "preact/hooks";
import type { RunInfo } from "../../../../src/results/view.ts";
import type { WireSequence } from "../../../../src/results/wire/sequence.ts";
import { formatCorrection } from "../../../../src/trainers/neutral/index.ts";
import { route } from "../../state/url.ts";
import { loadAlternatives } from "./card/alternatives.ts";
import { type Choices, readChoices } from "./choices.ts";
import type { Follow, Hovered, Linked } from "./linked.ts";
import { judgeTokens } from "./model/fate.ts";
import { finderIn } from "./model/finding.ts";
import { openNumbers } from "./model/numbers.ts";
import type { Order } from "./model/order.ts";
import { sequenceModel } from "./model/sequence-model.ts";
import type { Source } from "./source.ts";
import type { Strip } from "./strip/strip.ts";

export interface PageInput {
  readonly info: RunInfo;
  readonly wire: WireSequence;
  readonly source: Source;
  /** Undefined until the table of sequences is loaded. */
  readonly order: Order | undefined;
  /** The number of its group's page in the address; undefined without a group, or until the table is loaded. */
  readonly group: number | undefined;
  /** The terms on tokens of the list's filter. */
  readonly filtered: string | undefined;
}

export type Page = ReturnType<typeof useModel> & ReturnType<typeof useHandles>;

/** The sequence as the address asks for it; costly parts are computed only when their inputs change. */
export function useModel({ info, wire, source, filtered }: PageInput) {
  const model = useMemo(() => sequenceModel(wire), [wire]);
  const alternatives = useMemo(
    () => (info.top_k.length === 0 ? undefined : loadAlternatives(source, wire.meta.index, model.response)),
    [model, info.top_k.length],
  );
  const numbers = useMemo(() => openNumbers(model), [model]);
  const wanted = readChoices(route.value, info, model, filtered);
  // If the text has no numbers, nothing is dimmed.
  const choices: Choices = { ...wanted, numbers: wanted.numbers && numbers.any };
  const { metric, correction, find = "", findsText } = choices;
  const values = useMemo(() => metric.values(wire), [wire, metric.name]);
  const correctionText = correction && formatCorrection(correction);
  const fates = useMemo(() => judgeTokens(correction, model), [model, correctionText]);
  const finder = useMemo(() => finderIn(model, info.has.texts), [model, info.has.texts]);
  const finding = find === "" ? undefined : finder(find, findsText);
  return { model, alternatives, numbers, choices, values, fates, finder, finding, find };
}

/** Refs and signals that the parts of the page share. */
export function useHandles({ wire }: PageInput) {
  const linked = useMemo<Linked>(
    () => ({ hovered: signal<Hovered | undefined>(undefined), sight: signal({ from: 0, to: 0 }) }),
    [wire],
  );
  /** How often the find box was requested, below 0 if the address opened it; an empty box stays open. */
  const asked = useSignal(0);
  const strip = useRef<Strip>(undefined);
  const follow = useRef<Follow>("centre");
  const root = useRef<HTMLElement>(null);
  return { linked, asked, strip, follow, root };
}
