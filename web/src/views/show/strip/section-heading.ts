import { formatCounted, formatNumber } from "../../../../../src/render/text/display/index.ts";
import type { TokenRun } from "../model/runs.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import { computeStatistics } from "../model/statistics.ts";

/** The heading of a turn, sticky while the turn is in sight. */
export function sectionHeading(
  model: SequenceModel,
  run: TokenRun,
  goTo: (token: number) => void,
): HTMLElement {
  const heading = document.createElement("h2");
  heading.className = "turn-heading";
  const add = (text: string, className: string): void => {
    const part = document.createElement("span");
    part.className = className;
    part.textContent = text;
    heading.append(part);
  };
  if (run.kind !== "turn") {
    add(run.kind === "prompt" ? "Prompt" : "Tool output", "turn-name");
    add(`${formatCounted(run.to - run.from, "token")} · not trained`, "turn-figure");
    return heading;
  }
  const { tokens, meanAbs, maxAbs, k3, worst, infinite } = computeStatistics(
    model.deltas,
    model.wire.mask,
    run.from - model.prompt,
    run.to - model.prompt,
  );
  add(`Turn ${run.turn}`, "turn-name");
  add("policy", "turn-role");
  add(formatCounted(tokens, "token"), "turn-figure");
  add(`mean |Δ| ${formatNumber(meanAbs)}`, "turn-figure");
  const largest = document.createElement("button");
  largest.type = "button";
  largest.className = "turn-figure turn-worst";
  largest.textContent = `max |Δ| ${formatNumber(maxAbs)}`;
  largest.title = "Go to this token";
  largest.disabled = worst < 0;
  largest.addEventListener("click", () => goTo(worst));
  heading.append(largest);
  add(`k3 ${formatNumber(k3)}`, "turn-figure");
  if (infinite > 0) add(`${infinite} not finite`, "turn-figure");
  for (const text of describeThinking(model, run)) add(text, "turn-figure");
  return heading;
}

/** Figures of a turn's thinking and answer; nothing if the turn has no thinking. */
function describeThinking(
  { deltas, thinking, prompt, wire: { mask } }: SequenceModel,
  run: TokenRun,
): string[] {
  const [from, to] = [run.from - prompt, run.to - prompt];
  const measure = (is: 0 | 1) =>
    computeStatistics(
      deltas,
      mask.map((own, at) => (own !== 0 && thinking?.[at] === is ? 1 : 0)),
      from,
      to,
    );
  if (!thinking?.subarray(from, to).includes(1)) return [];
  return (
    [
      ["thinking", measure(1)],
      ["answer", measure(0)],
    ] as const
  ).map(
    ([name, { tokens, meanAbs }]) =>
      `${name}: ${formatCounted(tokens, "token")}, mean |Δ| ${formatNumber(meanAbs)}`,
  );
}

/** The button that folds and unfolds a run. */
export function foldButton(run: TokenRun, toggle: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "fold";
  button.addEventListener("click", toggle);
  button.dataset.run = String(run.index);
  return button;
}

export function labelFold(button: HTMLButtonElement, run: TokenRun, folded: boolean, note: string): void {
  const name = run.kind === "prompt" ? "prompt" : "tool output";
  button.textContent = `${folded ? "▸" : "▾"} ${name} · ${formatCounted(run.to - run.from, "token")} · not trained${note}`;
  button.setAttribute("aria-expanded", String(!folded));
}
