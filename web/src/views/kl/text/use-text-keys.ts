import { useKeys } from "../../../state/keys.ts";
import { navigate } from "../../../state/url.ts";
import { chooseCheckpoint } from "../checkpoint-select.tsx";
import { type Choices, toPart } from "../choices.ts";
import { nextSpike, type TextModel } from "./text-model.ts";

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"] as const;

/** Keys of one text; `neighbour` gives the next or previous text of the list. */
export function useTextKeys(
  model: TextModel,
  { checkpoint, token }: Choices,
  neighbour: (way: 1 | -1) => number | undefined,
): void {
  const { checkpoints, error } = model.wire.meta;
  const goTo = (next: number | undefined): void => {
    if (next !== undefined && next >= 0 && next < model.tokens)
      navigate({ params: { token: String(next) } }, { replace: true });
  };
  const walk = (way: 1 | -1): void => goTo(token === undefined ? 0 : token + way);
  const text = (way: 1 | -1): void => {
    const next = neighbour(way);
    if (next !== undefined) navigate({ params: toPart("text", next) });
  };
  const by = (way: 1 | -1): void => chooseCheckpoint(checkpoints, checkpoint + way);
  useKeys({
    ".": { describe: "next spike", run: () => goTo(nextSpike(model, checkpoint, token, 1)) },
    ",": { describe: "previous spike", run: () => goTo(nextSpike(model, checkpoint, token, -1)) },
    ArrowRight: { describe: "next token", run: () => walk(1) },
    ArrowLeft: { describe: "previous token", run: () => walk(-1) },
    ...(error !== null && { e: { describe: "the first error", run: () => goTo(error.token) } }),
    j: { describe: "next text", run: () => text(1) },
    k: { describe: "previous text", run: () => text(-1) },
    "]": { describe: "next checkpoint", run: () => by(1) },
    "[": { describe: "previous checkpoint", run: () => by(-1) },
    ...Object.fromEntries(
      DIGITS.slice(0, checkpoints.length).map((digit, at) => [
        digit,
        { describe: `checkpoint ${checkpoints[at]}`, run: () => chooseCheckpoint(checkpoints, at) },
      ]),
    ),
    Escape: { describe: "close the card", run: () => navigate({ params: { token: undefined } }) },
  });
}
