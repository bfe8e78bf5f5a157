import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { parseFilter } from "../../../../src/analyses/filter/index.ts";
import { formatCounted } from "../../../../src/render/text/display/index.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import type { WireSequence } from "../../../../src/results/wire/sequence.ts";
import { comparedWith } from "../../state/compared-with.ts";
import { findGroupPlace } from "../../state/group-place.ts";
import { type Loaded, otherRun, settle } from "../../state/loaded.ts";
import { useMatches } from "../../state/matches.ts";
import { orderedSequences } from "../../state/sequence-order.ts";
import { useNamedAddress, useSequencePlace } from "../../state/sequence-place.ts";
import { route } from "../../state/url.ts";
import { ComparisonBanner } from "../../ui/comparison-warnings.tsx";
import { MissingSequence, SameHandle } from "../../ui/missing-sequence.tsx";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { pickTokenTerms } from "./model/finding.ts";
import { orderAround } from "./model/order.ts";
import { SequencePage } from "./page.tsx";
import { OWN, otherSource, type Source } from "./source.ts";
import "./style.css";
import "./card.css";
import "./find.css";
import "./numbers.css";

/** One sequence, token by token: of this run, or with `run=b` of a compared one. */
export function SequenceView({ info }: ViewProps) {
  const { compared, scales } = info;
  const isOther = route.value.params.run === "b";
  const at = comparedWith(info);
  const source = useMemo(
    () => (isOther && at !== undefined ? otherSource(at, compared[at]!) : OWN),
    [isOther, at, compared],
  );
  if (!isOther) return <OneSequence info={info} source={source} />;
  if (at === undefined) {
    return (
      <p class="failed" role="alert">
        This is a sequence of a run that is not compared with this one: logratio view A --compare B.
      </p>
    );
  }
  return (
    <WhenLoaded of={otherRun(at).run()}>
      {/* One scale for both, so that a color means the same. */}
      {(run) => (
        <>
          <ComparisonBanner compared={compared} />
          <OneSequence info={{ ...run, scales }} source={source} />
        </>
      )}
    </WhenLoaded>
  );
}

function OneSequence({ info, source }: { readonly info: RunInfo; readonly source: Source }) {
  const place = useSequencePlace(source.table);
  if (place.state !== "ready") return <MissingSequence of={place} info={info} />;
  const { index, same } = place.value;
  return (
    <>
      {same.length > 1 && <SameHandle table={source.table} index={index} same={same} />}
      <SequenceAt info={info} source={source} index={index} />
    </>
  );
}

function SequenceAt({ info, source, index }: { info: RunInfo; source: Source; index: number }) {
  // Steps added to a followed run change no existing sequence: its page stays as it is.
  const state = info.growing ?? info.version;
  const loaded = useMemo(() => {
    const asked = signal<Loaded<WireSequence>>({ state: "loading" });
    if (index < info.sequences) settle(source.sequence(index), asked);
    return asked;
  }, [source, index, state, index < info.sequences]);
  const { params } = route.value;
  // The table is requested after the text.
  const listed = loaded.value.state === "ready" ? source.table().value : undefined;
  const table = listed?.state === "ready" ? listed.value : undefined;
  useNamedAddress(table);
  const filter = useMemo(() => parseFilter(params.filter ?? ""), [params.filter]);
  const { found } = useMatches(filter, source === OWN ? info : { ...info, bundled: true });
  const rows = useMemo(
    () => table && orderedSequences(table, params, filter, found),
    [table, filter, found, params.steps, params.sort],
  );
  const order = useMemo(() => table && rows && orderAround(table, rows, index), [rows, index]);
  const filtered = useMemo(() => pickTokenTerms(filter, table, index), [filter, table, index]);
  const group = table && source === OWN ? findGroupPlace(table, index) : undefined;
  if (index >= info.sequences) {
    return (
      <p class="failed" role="alert">
        There is no sequence {index}: this run has {formatCounted(info.sequences, "sequence")}, counted from
        0.
      </p>
    );
  }
  return (
    <WhenLoaded of={loaded}>
      {(wire) => (
        <SequencePage key={`${state} ${index}`} {...{ info, wire, source, order, group, filtered }} />
      )}
    </WhenLoaded>
  );
}
