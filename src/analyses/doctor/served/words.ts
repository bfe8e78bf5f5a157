import { formatChance, formatNumber } from "../../../core/text/index.ts";
import type { CheckpointFit, ServedReport, ServedSide, ServedStep } from "../../../results/served.ts";

type Answer = Pick<ServedReport, "rollout" | "trainer" | "by_step">;

/** Stretches of steps that are named one by one. */
const MOST_STRETCHES = 4;

/**
 * `The engine used sft and the trainer dpo: …`.
 *
 * @param nearest the engine's distance to its nearest checkpoint
 */
export function sayServed(answer: Answer, nearest: CheckpointFit): string {
  if (answer.by_step.length > 0) return saySteps(answer.by_step);
  const { rollout, trainer } = answer;
  const noise = `the engine's distance to ${rollout.nearest} is a logit noise of ${formatNumber(nearest.logit_noise_mean)} nats, and an engine's precision explains up to ${formatNumber(rollout.most_noise)}`;
  if (rollout.checkpoint === trainer.checkpoint) {
    if (rollout.checkpoint === null)
      return `Neither side used any of these checkpoints (${formatChance(rollout.none)} in the engine): ${noise}.`;
    return `Both sides used ${rollout.checkpoint} (${formatChance(nearest.probability)} in the engine): ${noise}.`;
  }
  return `The engine used ${nameServed(rollout)} and the trainer ${nameServed(trainer)}: ${noise}.`;
}

export function nameServed({ checkpoint }: ServedSide): string {
  return checkpoint ?? "none of these";
}

/** `Steps 1–40: the engine used sft, the trainer dpo.` */
function saySteps(steps: readonly ServedStep[]): string {
  const stretches: { from: number; to: number; text: string }[] = [];
  for (const { step, rollout, trainer } of steps) {
    const [engine, other] = [nameServed(rollout), nameServed(trainer)];
    const text =
      engine === other ? `both sides used ${engine}` : `the engine used ${engine}, the trainer ${other}`;
    const last = stretches.at(-1);
    if (last?.text === text) last.to = step;
    else stretches.push({ from: step, to: step, text });
  }
  const shown = stretches
    .slice(0, MOST_STRETCHES)
    .map(({ from, to, text }) => `in step${from === to ? ` ${from}` : `s ${from}–${to}`} ${text}`);
  const more = stretches.length > MOST_STRETCHES ? "; the table has the rest" : "";
  const sentence = `${shown.join("; ")}${more}.`;
  return sentence[0]!.toUpperCase() + sentence.slice(1);
}
