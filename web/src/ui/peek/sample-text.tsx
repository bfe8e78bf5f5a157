import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { formatCounted } from "../../../../src/render/text/display/index.ts";
import type { RunInfo } from "../../../../src/results/view.ts";
import type { WireSequence } from "../../../../src/results/wire/sequence.ts";
import { client } from "../../api/client.ts";
import { type Loaded, settle } from "../../state/loaded.ts";
import { makeHref } from "../../state/url.ts";
import { deltaScale } from "../legend.tsx";
import { promptText, tokenClass, tokenText } from "../token-text.ts";
import { WhenLoaded } from "../when-loaded.tsx";
import "./style.css";

/** The most tokens that are in the page at a time. */
const WINDOW = 500;
const MOST_PROMPT = 20_000;

interface SampleTextProps {
  readonly info: RunInfo;
  readonly sequence: number;
  /** The response token to mark: the first where it differs from all other samples. */
  readonly mark?: number | undefined;
  /** Whether the prompt is shown, too. */
  readonly prompt?: boolean;
}

/** A sequence's text in the colors of |Δ|, as on its page but without cards, minimap and choices. */
export function SampleText(props: SampleTextProps) {
  const { info, sequence } = props;
  const state = info.growing ?? info.version;
  const loaded = useMemo(() => {
    const asked = signal<Loaded<WireSequence>>({ state: "loading" });
    void settle(client.sequence(sequence), asked);
    return asked;
  }, [sequence, state]);
  return <WhenLoaded of={loaded}>{(wire) => <Text key={sequence} {...props} wire={wire} />}</WhenLoaded>;
}

function Text({ info, wire, mark, prompt = false }: SampleTextProps & { readonly wire: WireSequence }) {
  const tokens = wire.mask.length;
  const [from, setFrom] = useState(0);
  const to = Math.min(tokens, from + WINDOW);
  const turn = (label: string, next: number) => (
    <button type="button" class="quiet" onClick={() => setFrom(next)}>
      {label}
    </button>
  );
  return (
    <div class="sample-text scaled">
      {prompt && wire.meta.promptLength > 0 && <Prompt wire={wire} />}
      {from > 0 &&
        turn(`show the ${formatCounted(Math.min(from, WINDOW), "token")} before`, Math.max(0, from - WINDOW))}
      <p class="tokens">
        {Array.from({ length: to - from }, (_, at) => (
          <Token
            key={from + at}
            wire={wire}
            at={from + at}
            scales={info.scales}
            ids={!info.has.texts}
            isMarked={from + at === mark}
          />
        ))}
      </p>
      {to < tokens && turn(`show the ${formatCounted(tokens - to, "token")} after`, to)}
    </div>
  );
}

function Prompt({ wire }: { readonly wire: WireSequence }) {
  const text = promptText(wire);
  return (
    <details class="prompt">
      <summary>Prompt · {formatCounted(wire.meta.promptLength, "token")}</summary>
      <p>{text === "" ? "its text is unknown" : text.slice(0, MOST_PROMPT)}</p>
    </details>
  );
}

function Token({
  wire,
  at,
  scales,
  ids,
  isMarked,
}: {
  readonly wire: WireSequence;
  readonly at: number;
  readonly scales: RunInfo["scales"];
  readonly ids: boolean;
  readonly isMarked: boolean;
}) {
  const { mask, trainer, rollout, meta } = wire;
  const { text, breaks, isSpecial } = tokenText(wire, at);
  const delta = trainer[at]! - rollout[at]!;
  const classes = tokenClass(mask[at], delta, deltaScale(scales), isSpecial);
  const shown = ids ? `#${wire.ids[meta.promptLength + at]} ` : text;
  return (
    <>
      {isMarked && <b title="from here on it differs from all others">▼</b>}
      {Math.abs(delta) > scales.delta && mask[at] !== 0 ? (
        // Divergent tokens link to their card.
        <a class={classes} href={makeHref({ view: "sequence", sequence: meta.index, token: at })}>
          {shown}
        </a>
      ) : (
        <span class={classes}>{shown}</span>
      )}
      {breaks && <br />}
    </>
  );
}
