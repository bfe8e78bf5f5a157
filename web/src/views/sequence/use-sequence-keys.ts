import type { RunInfo } from "../../../../src/protocol/view.ts";
import { useKeys } from "../../state/keys.ts";
import { navigate } from "../../state/url.ts";
import type { Follow } from "./linked.ts";
import type { SequenceModel } from "./model/sequence-model.ts";
import { nextDivergent } from "./model/statistics.ts";
import { OF_ONE_SEQUENCE, type Settings } from "./settings.ts";
import { chooseMetric, toggleNumbers } from "./toolbar.tsx";

export interface KeyActions {
  readonly goTo: (token: number, follow: Follow) => void;
  readonly togglePin: (token: number) => void;
  /** Puts away what is open: a card, else the last pin, else the range. */
  readonly dismiss: () => void;
  /** The first response token in sight: where walking starts. */
  readonly firstInSight: () => number;
}

export function useSequenceKeys(
  info: RunInfo,
  model: SequenceModel,
  { current, near, metric, metrics, numbers }: Settings,
  { goTo, togglePin, dismiss, firstInSight }: KeyActions,
): void {
  const walk = (way: 1 | -1): void => {
    const next = current === undefined ? firstInSight() : current + way;
    if (next >= 0 && next < model.response) goTo(next, "near");
  };
  const divergent = (way: 1 | -1): void => {
    const next = nextDivergent(model.deltas, near, current, way);
    if (next !== undefined) goTo(next, "centre");
  };
  const turn = (way: 1 | -1): void => {
    const starts = model.runs.filter(({ kind }) => kind === "turn").map(({ from }) => from - model.prompt);
    const here = current ?? -1;
    const next = way === 1 ? starts.find((start) => start > here) : starts.findLast((start) => start < here);
    if (next !== undefined) goTo(next, "centre");
  };
  const sequence = (way: 1 | -1): void => {
    const next = model.wire.meta.index + way;
    if (next >= 0 && next < info.sequences)
      navigate({ sequence: next, token: undefined, params: OF_ONE_SEQUENCE });
  };
  useKeys({
    ArrowRight: { describe: "next token", run: () => walk(1) },
    ArrowLeft: { describe: "previous token", run: () => walk(-1) },
    ".": { describe: "next divergent token", run: () => divergent(1) },
    ",": { describe: "previous divergent token", run: () => divergent(-1) },
    "]": { describe: "next turn", run: () => turn(1) },
    "[": { describe: "previous turn", run: () => turn(-1) },
    m: {
      describe: "colour by the next metric",
      run: () => chooseMetric(metrics[(metrics.indexOf(metric) + 1) % metrics.length]!.name),
    },
    ...(info.has.texts && {
      d: { describe: "group digits into numbers", run: () => toggleNumbers({ numbers }) },
    }),
    x: {
      describe: "pin or unpin the token's card",
      run: () => {
        if (current !== undefined) togglePin(current);
      },
    },
    j: { describe: "next sequence", run: () => sequence(1) },
    k: { describe: "previous sequence", run: () => sequence(-1) },
    Escape: { describe: "close the card, the last pin, the range", run: dismiss },
  });
}
