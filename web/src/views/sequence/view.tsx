import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { WireSequence } from "../../../../src/wire/index.ts";
import { client } from "../../api/client.ts";
import { type Loaded, settle } from "../../state/loaded.ts";
import { route } from "../../state/url.ts";
import { countOf } from "../../ui/format.ts";
import { WhenLoaded } from "../../ui/when-loaded.tsx";
import type { ViewProps } from "../../view-props.ts";
import { SequencePage } from "./page.tsx";
import "./style.css";
import "./card.css";
import "./numbers.css";

/** One sequence, token by token. */
export function SequenceView({ info }: ViewProps) {
  const index = route.value.sequence ?? 0;
  const loaded = useMemo(() => {
    const asked = signal<Loaded<WireSequence>>({ state: "loading" });
    if (index < info.sequences) settle(client.sequence(index), asked);
    return asked;
  }, [index, info.version, info.sequences]);
  if (index >= info.sequences) {
    return (
      <p class="failed" role="alert">
        There is no sequence {index}: this run has {countOf(info.sequences, "sequence")}, counted from 0.
      </p>
    );
  }
  return (
    <WhenLoaded of={loaded}>
      {(wire) => <SequencePage key={`${info.version} ${index}`} info={info} wire={wire} />}
    </WhenLoaded>
  );
}
