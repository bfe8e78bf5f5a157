import { navigate } from "../../state/url.ts";
import { shadeClass } from "../../ui/colour-scale.ts";
import { type PairModel, tokenText } from "./pair-model.ts";

interface StripProps {
  readonly model: PairModel;
  /** Response tokens. */
  readonly from: number;
  readonly to: number;
  /** Nats, for all colours. */
  readonly domain: number;
  readonly current: number | undefined;
}

/**
 * Where both texts are the same: one above the other, with a band for the difference below. A token of A, that of B and
 * their band are one cell, so that they stay together however lines wrap. After that each text by itself.
 */
export function PairStrip(props: StripProps) {
  const { model, from, to } = props;
  const onClick = (event: MouseEvent): void => {
    const cell = event.target instanceof Element ? event.target.closest("[data-at]") : null;
    if (cell !== null) navigate({ params: { at: cell.getAttribute("data-at")! } }, { replace: true });
  };
  const parting = Math.min(to, Math.max(from, model.shared));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys choose tokens too (use-pair-keys)
    <section class="pair-strip" aria-label="Both texts, token by token" onClick={onClick}>
      {places(from, parting).map((at) => (
        <Cell key={at} {...props} at={at} />
      ))}
      {parting < to && (
        <>
          <p class="parting">
            {model.shared === 0
              ? "No token is shared: nothing is compared."
              : "From here on the texts differ, and nothing is compared."}
          </p>
          <div class="sides">
            <Rest {...props} from={parting} side="a" />
            <Rest {...props} from={parting} side="b" />
          </div>
        </>
      )}
    </section>
  );
}

function Cell({ model, at, domain, current }: StripProps & { readonly at: number }) {
  const { a, b, deltasA, deltasB, differences } = model;
  const { text, breaks, isSpecial } = tokenText(a, at);
  const difference = differences[at]!;
  return (
    <>
      <span class={at === current ? "cell is-current" : "cell"} data-at={at} id={tokenId(at)}>
        <span class={tokenClass(a.mask[at], deltasA[at], domain, isSpecial)}>{text}</span>
        {/* The same text, said once. */}
        <span class={tokenClass(b.mask[at], deltasB[at], domain, isSpecial)} aria-hidden="true">
          {text}
        </span>
        <i class={Number.isNaN(difference) ? "untrained" : shadeClass(difference, domain)} />
      </span>
      {breaks && <br />}
    </>
  );
}

/** What one of the texts has after the tokens that both share. */
function Rest({ model, from, to, domain, current, side }: StripProps & { readonly side: "a" | "b" }) {
  const sequence = model[side];
  const deltas = side === "a" ? model.deltasA : model.deltasB;
  const end = Math.min(to, sequence.mask.length);
  return (
    <div>
      <h3 class={side === "a" ? "is-a" : "is-b"}>{side === "a" ? "A" : "B"}</h3>
      {from >= end ? (
        <p class="muted">has ended</p>
      ) : (
        <p class="rest">
          {places(from, end).map((at) => {
            const { text, breaks, isSpecial } = tokenText(sequence, at);
            const shade = tokenClass(sequence.mask[at], deltas[at], domain, isSpecial);
            return (
              <>
                <span
                  key={at}
                  class={at === current ? `${shade} is-current` : shade}
                  data-at={at}
                  id={side === "a" ? tokenId(at) : undefined}
                >
                  {text}
                </span>
                {breaks && <br />}
              </>
            );
          })}
        </p>
      )}
    </div>
  );
}

export function tokenId(at: number): string {
  return `pair-token-${at}`;
}

function places(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
}

function tokenClass(
  bit: number | undefined,
  delta: number | undefined,
  domain: number,
  isSpecial: boolean,
): string {
  const shade = bit === 0 || delta === undefined ? "untrained" : shadeClass(delta, domain);
  return isSpecial ? `${shade} special` : shade;
}
