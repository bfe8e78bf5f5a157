import { navigate } from "../../state/url.ts";
import { type Scale, shadeClass } from "../../ui/color-scale.ts";
import { tokenClass, tokenText } from "../../ui/token-text.ts";
import { getId, type PairModel, range } from "./pair-model.ts";

interface StripProps {
  readonly model: PairModel;
  /** The response tokens to show, `[from, to)`. */
  readonly from: number;
  readonly to: number;
  readonly scale: Scale;
  readonly current: number | undefined;
}

/**
 * While both texts are the same, one is above the other, with a band for the difference below. A token of A, that of B
 * and their band are one cell, so that they stay together however lines wrap. After that, each text stands by itself.
 */
export function PairStrip(props: StripProps) {
  const { model, from, to } = props;
  const onClick = (event: MouseEvent): void => {
    const cell = event.target instanceof Element ? event.target.closest("[data-at]") : null;
    if (cell !== null) navigate({ params: { at: cell.getAttribute("data-at")! } }, { replace: true });
  };
  // After the texts part, only an alignment by turns pairs their tokens.
  const parting = model.alignment === "index" ? Math.min(to, Math.max(from, model.shared)) : to;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: arrow keys choose tokens too (use-pair-keys)
    <section class="pair-strip" aria-label="Both texts, token by token" onClick={onClick}>
      {range(from, parting).map((at) => (
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

function Cell({ model, at, scale, current }: StripProps & { readonly at: number }) {
  const { a, b, tokensA, tokensB, deltasA, deltasB, differences, shared } = model;
  const [one, other] = [tokensA[at]!, tokensB[at]!];
  const [first, second] = [tokenText(a, one), tokenText(b, other)];
  const isSame = one >= 0 && other >= 0 && getId(a, one) === getId(b, other);
  const difference = differences[at]!;
  const isElsewhere = one !== other || one >= shared;
  const classes = ["cell", at === current ? "is-current" : "", isElsewhere ? "is-elsewhere" : ""];
  const half = (token: number, { text, isSpecial }: typeof first, bit?: number, delta?: number) =>
    token < 0 ? (
      <span class="alone" title="no partner here">
        ∅
      </span>
    ) : (
      <span class={tokenClass(bit, delta, scale, isSpecial)}>{text}</span>
    );
  return (
    <>
      <span class={classes.filter(Boolean).join(" ")} data-at={at} id={tokenId(at)}>
        {half(one, first, a.mask[one], deltasA[at])}
        {/* Equal texts are read aloud once. */}
        <span class="half" aria-hidden={isSame}>
          {half(other, second, b.mask[other], deltasB[at])}
        </span>
        <i class={Number.isNaN(difference) ? "untrained" : shadeClass(difference, scale)} />
      </span>
      {(one < 0 ? second : first).breaks && <br />}
    </>
  );
}

/** The rest of one text after the shared tokens. */
function Rest({ model, from, to, scale, current, side }: StripProps & { readonly side: "a" | "b" }) {
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
          {range(from, end).map((at) => {
            const { text, breaks, isSpecial } = tokenText(sequence, at);
            const shade = tokenClass(sequence.mask[at], deltas[at], scale, isSpecial);
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
