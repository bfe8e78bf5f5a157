import { useKeys } from "../../state/keys.ts";
import { navigate } from "../../state/url.ts";
import { nextStop, type PairModel, WINDOW } from "./pair-model.ts";

export function goToToken(at: number | undefined): void {
  if (at !== undefined) navigate({ params: { at: String(at) } }, { replace: true });
}

/** Keys of one pair. */
export function usePairKeys({ stops, largest, length }: PairModel, current: number | undefined): void {
  const here = current ?? -1;
  const last = length - 1;
  const step = (by: number): void => goToToken(Math.max(0, Math.min(last, here + by)));
  useKeys({
    m: { describe: "the token with the largest difference", run: () => goToToken(largest) },
    ".": { describe: "next large difference", run: () => goToToken(nextStop(stops, here, 1)) },
    ",": { describe: "previous large difference", run: () => goToToken(nextStop(stops, here, -1)) },
    ArrowRight: { describe: "next token", run: () => step(1) },
    ArrowLeft: { describe: "previous token", run: () => step(-1) },
    "]": { describe: `${WINDOW} tokens forward`, run: () => step(WINDOW) },
    "[": { describe: `${WINDOW} tokens back`, run: () => step(-WINDOW) },
  });
}
