import { useKeys } from "../../state/keys.ts";
import { navigate } from "../../state/url.ts";
import { toggleStar } from "../../ui/star-button.tsx";
import { type Choices, OF_ONE_SEQUENCE } from "./choices.ts";
import type { Follow } from "./linked.ts";
import { inNextStep, neighbour } from "./model/order.ts";
import type { SequenceModel } from "./model/sequence-model.ts";
import { nextDivergent } from "./model/statistics.ts";
import type { PageInput } from "./page-state.ts";
import { chooseMetric, toggleNumbers } from "./toolbar.tsx";

export interface KeyActions {
  /** A place, counted from the first prompt token. */
  readonly goToPlace: (place: number, follow: Follow) => void;
  readonly togglePin: (token: number) => void;
  /** Closes what is open: the card, else the last pin, else the range. */
  readonly dismiss: () => void;
  readonly openFind: () => void;
  readonly stepFind: (way: 1 | -1) => void;
  /** The first response token in sight, where stepping starts. */
  readonly firstInSight: () => number;
}

export function useSequenceKeys(
  { info, order, group }: PageInput,
  model: SequenceModel,
  { place, current, near, metric, metrics, numbers }: Choices,
  { goToPlace, togglePin, dismiss, openFind, stepFind, firstInSight }: KeyActions,
): void {
  const goTo = (token: number): void => goToPlace(token + model.prompt, "centre");
  const walk = (way: 1 | -1): void => {
    const next = place === undefined ? firstInSight() + model.prompt : place + way;
    if (next >= 0 && next < model.length) goToPlace(next, "near");
  };
  const divergent = (way: 1 | -1): void => {
    const next = nextDivergent(model.deltas, near, current, way);
    if (next !== undefined) goTo(next);
  };
  const turn = (way: 1 | -1): void => {
    const starts = model.runs.filter(({ kind }) => kind === "turn").map(({ from }) => from - model.prompt);
    const here = current ?? -1;
    const next = way === 1 ? starts.find((start) => start > here) : starts.findLast((start) => start < here);
    if (next !== undefined) goTo(next);
  };
  const sequence = (next: number | undefined): void => {
    if (next !== undefined) navigate({ sequence: next, token: undefined, params: OF_ONE_SEQUENCE });
  };
  const step = (way: 1 | -1): void => sequence(order && inNextStep(order, model.wire.meta.index, way));
  useKeys({
    ArrowRight: { describe: "next token", run: () => walk(1) },
    ArrowLeft: { describe: "previous token", run: () => walk(-1) },
    ".": { describe: "next divergent token", run: () => divergent(1) },
    ",": { describe: "previous divergent token", run: () => divergent(-1) },
    "]": { describe: "next turn", run: () => turn(1) },
    "[": { describe: "previous turn", run: () => turn(-1) },
    m: {
      describe: "color by the next metric",
      run: () => chooseMetric(metrics[(metrics.indexOf(metric) + 1) % metrics.length]!.name),
    },
    ...(info.has.texts && {
      d: { describe: "group digits into numbers", run: () => toggleNumbers({ numbers }) },
    }),
    "/": { describe: "find in all tokens", run: openFind },
    n: { describe: "next hit", run: () => stepFind(1) },
    N: { describe: "previous hit", run: () => stepFind(-1) },
    "g g": { describe: "first token of the response", run: () => goTo(0) },
    G: { describe: "last token", run: () => goTo(model.response - 1) },
    ...Object.fromEntries(
      metrics
        .slice(0, 9)
        .map(({ name }, at) => [
          String(at + 1),
          { describe: "color by the metric of that place", run: () => chooseMetric(name) },
        ]),
    ),
    x: {
      describe: "pin or unpin the token's card",
      run: () => {
        if (current !== undefined) togglePin(current);
      },
    },
    j: { describe: "next sequence in the list's order", run: () => sequence(order && neighbour(order, 1)) },
    k: {
      describe: "previous sequence in the list's order",
      run: () => sequence(order && neighbour(order, -1)),
    },
    ...(group !== undefined && {
      o: {
        describe: "open the page of the prompt group",
        run: () => navigate({ view: "group", sequence: group, token: undefined, params: OF_ONE_SEQUENCE }),
      },
    }),
    J: { describe: "first sequence of the next step", run: () => step(1) },
    K: { describe: "first sequence of the previous step", run: () => step(-1) },
    Escape: { describe: "close the card, find, the last pin, the range", run: dismiss },
  });
}

/** The key that stars the token, or else the sequence; the compared run and bundles have none. */
export function useStarKey({ info, source }: PageInput, model: SequenceModel, { current }: Choices): void {
  const isFree = source.badge === undefined && info.bundled !== true;
  const { handle } = model.wire.meta;
  useKeys({
    ...(isFree && {
      s: {
        describe: "star the token, or the sequence, for the story",
        run: () => toggleStar(current === undefined ? handle : `${handle}.t${current}`),
      },
    }),
  });
}
