/**
 * Marks that single out one difference of policies: a side that disagrees with itself, a column that equals the
 * reference policy, position ids that do not count up, rows that are healthy because no other was packed before them.
 *
 * @module
 */
import { formatNumber, formatPlain, formatShare, plural } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import type { Figures, Shape } from "../features/shape.ts";

/** @param isHealthy whether the level alone is an engine's: then the engine's own noise makes some of these marks */
export function judgeMarks(figures: Figures, shape: Shape, isHealthy: boolean): Clue[] {
  if (isHealthy) return [];
  return [
    ...judgePrefixes(figures, shape),
    ...judgeReference(figures),
    ...judgePositions(figures),
    ...judgePacking(figures),
    ...judgeWindow(figures),
    ...judgeAdvantages(figures),
    ...judgeSwap(figures),
    ...judgeStaleness(figures),
  ];
}

const FEWEST_PAIRS = 20;

/** The same token after the same prefix, scored twice: dropout and router noise do not repeat a number. */
function judgePrefixes({ prefixes }: Figures, shape: Shape): Clue[] {
  const { pairs, rollout, trainer, between } = prefixes;
  if (pairs < FEWEST_PAIRS || between < 1e-3) return [];
  const said = `At ${plural(pairs, "token")} that follow the same tokens in two sequences, logits differ between the sequences by ${formatNumber(trainer)} in the trainer and by ${formatNumber(rollout)} in the rollout, and between the sides by ${formatNumber(between)}`;
  const figures = { pairs, trainer, rollout, between };
  const [own, theirs] = [trainer / between, rollout / between];
  if (own > 0.25 && theirs < 0.4 * own)
    return [
      {
        cause: "dropout_on",
        weight: hold(4 + 8 * own),
        sentence: `${said}: the trainer is not deterministic.`,
        figures,
      },
    ];
  if (theirs > 0.25 && own < 0.4 * theirs) {
    const sentence = `${said}: the rollout's policy changes from sequence to sequence.`;
    // Two populations of sequences, or rare tokens that are far off in all of them.
    const isMixed = shape.rowSpread > 0.75;
    return [
      { cause: "moe_routing_flips", weight: isMixed ? 2 : 5, sentence, figures },
      { cause: "mixed_weight_versions", weight: isMixed ? 7 : 2.5, sentence, figures },
    ];
  }
  if (own < 0.05 && theirs < 0.05) {
    const sentence = `${said}: both sides are deterministic.`;
    return [
      { cause: "dropout_on", weight: -6, sentence, figures },
      { cause: "moe_routing_flips", weight: -3, sentence, figures },
      { cause: "mixed_weight_versions", weight: -3, sentence, figures },
    ];
  }
  return [];
}

function judgeReference({ training, spread }: Figures): Clue[] {
  const { reference } = training;
  if (reference === null || reference.tokens < 100) return [];
  const { trainerEqual, rolloutEqual, trainerDistance, rolloutDistance } = reference;
  const figures = { trainerEqual, rolloutEqual, trainerDistance, rolloutDistance };
  const side = trainerDistance < rolloutDistance ? "trainer" : "rollout";
  const [near, far] =
    side === "trainer" ? [trainerDistance, rolloutDistance] : [rolloutDistance, trainerDistance];
  const equal = Math.max(trainerEqual, rolloutEqual);
  if (!(near < 0.12 * far) || far < 0.3 * spread.meanAbs) return [];
  const sentence = `The ${side} log-probs differ from the reference policy's by ${formatNumber(near)} nats on average (${formatShare(equal)} are equal), the other side's by ${formatNumber(far)}: the ${side} scores with the reference's weights.`;
  const weight = equal > 0.5 ? 8 : 4;
  const causes =
    side === "trainer"
      ? [{ cause: "wrong_checkpoint", weight }]
      : [
          { cause: "wrong_checkpoint", weight: weight - 1 },
          { cause: "lora_not_merged", weight },
        ];
  return causes.map((clue) => ({ ...clue, sentence, figures }));
}

function judgePositions({ places }: Figures): Clue[] {
  const jumps = places.positionJumps;
  if (jumps === null) return [];
  const { rows, wrongStarts, tokens, jumps: count } = jumps;
  if (wrongStarts < 0.5 * rows && count < 0.002 * tokens) return [];
  return [
    {
      cause: "position_ids_wrong",
      weight: 9,
      sentence: `The recorded position ids are not consecutive: ${wrongStarts} of ${plural(rows, "response")} do not start right after the prompt, and ${plural(count, "token")} jump.`,
      figures: { responses: rows, wrong_starts: wrongStarts, jumps: count },
    },
  ];
}

const SMALLEST_Z_OF_PACKS = 4.5;

function judgePacking({ places }: Figures): Clue[] {
  const { packing } = places;
  if (packing === null) return [];
  const { of, size, soundGap, otherGap, sound, other, z } = packing;
  // The best of many sizes and orders: a smaller z is chance, or rows of different length.
  if (!(otherGap > 4 * soundGap && z > SMALLEST_Z_OF_PACKS) || sound < 4) return [];
  const first =
    of === "sequences"
      ? `Of every ${size} sequences in file order, the first is fine`
      : `In packs of up to ${size} tokens, filled in file order, the first sequence is fine`;
  const sentence = `${first} (median gap in logits ${formatNumber(soundGap)} over ${sound}) and the others are not (${formatNumber(otherGap)} or more in three quarters of ${other}): they see the sequences packed before them.`;
  const figures = { of, size, sound_gap: soundGap, other_gap: otherGap, sound, other };
  return [
    {
      cause: "packing_leak",
      weight: hold(3 + 3 * Math.log10(otherGap / (soundGap + 1e-6)) + Math.log(sound)),
      sentence,
      figures,
      picture: {
        kind: "bars",
        title: "Gap in logits by place in the pack",
        x_label: "sequence",
        y_label: "median |logit gap|",
        x: ["first of its pack", "others"],
        series: [{ name: "gap", y: [soundGap, otherGap] }],
      },
    },
    // Other text before a sequence changes its numbers too, but dropout leaves no sequence alone.
    { cause: "dropout_on", weight: -8, sentence, figures },
  ];
}

function judgeWindow({ places }: Figures): Clue[] {
  const { kink, bins } = places;
  const first = bins.slice(0, 2).reduce((sum, { gap }) => sum + gap, 0) / 2;
  if (!(kink.after > 4 * kink.before && kink.before < 2.5 * first && kink.z > 5)) return [];
  return [
    {
      cause: "context_window",
      weight: hold(2 + 2 * Math.log(kink.after / kink.before)),
      sentence: `Up to position ${formatNumber(kink.position)} (prompt included) the gap in logits is ${formatNumber(kink.before)} and does not grow; after it, the gap is ${formatNumber(kink.after)}.`,
      figures: { position: kink.position, before: kink.before, after: kink.after, z: kink.z },
      picture: {
        kind: "line",
        title: "Gap in logits by position",
        x_label: "position, prompt included",
        y_label: "mean |logit gap|",
        x: bins.map(({ position }) => position),
        series: [{ name: "gap", y: bins.map(({ gap }) => gap) }],
      },
    },
  ];
}

/**
 * What is surer on right answers, such as a lower temperature or newer weights, follows advantages, too: among some 290
 * recordings without such an update the correlation reached 0.78. Beyond that, it counts four times as much.
 */
const UPDATE_ALONE = 0.8;

function judgeAdvantages({ training }: Figures): Clue[] {
  const { r, z, rows } = training.advantage;
  if (rows < 16 || r < 0.5 || z < 3) return [];
  return [
    {
      cause: "trainer_ahead_one_update",
      weight: hold(6 * (r - 0.6) + 18 * Math.max(0, r - UPDATE_ALONE)),
      sentence: `Σ Δ of a sequence follows its advantage in this batch (rank correlation ${formatNumber(r)} over ${plural(rows, "sequence")}, z ${formatNumber(z)}), as after an optimizer step on it.`,
      figures: { correlation: r, z, sequences: rows },
    },
  ];
}

/** The tokens contradict the rollout's column this clearly, and the trainer's not this clearly; −1 is at most this far. */
const SWAPPED = { rolloutZ: 3.3, trainerZ: 3, off: 0.4 } as const;

/** The tokens fit the trainer's column and not the rollout's. */
function judgeSwap({ tilt }: Figures): Clue[] {
  const { ratio, rolloutZ, trainerZ } = tilt;
  const fitsTrainer = Math.abs(trainerZ) < SWAPPED.trainerZ && Math.abs(ratio + 1) < SWAPPED.off;
  if (!(rolloutZ > SWAPPED.rolloutZ && fitsTrainer)) return [];
  return [
    {
      cause: "columns_swapped",
      weight: hold(5 + (rolloutZ - SWAPPED.rolloutZ)),
      sentence: `The tokens fit the trainer's column, not the rollout's: with t = (q − p) / (q + p), mean t is ${formatNumber(-ratio)} times mean t²; tokens of the rollout's policy give −1 (z ${formatNumber(rolloutZ)}), those of the trainer's 1 (z ${formatNumber(trainerZ)}).`,
      figures: { tilt: ratio, rollout_z: rolloutZ, trainer_z: trainerZ },
    },
  ];
}

/** The oldest weights leave this many times the noise of the freshest, by a trend this clear, or less than this. */
const GROWS = { ratio: 1.3, z: 4 } as const;
const STAYS = 1.1;

/** What recorded weight versions say: the noise at the freshest weights is the engine's, and what grows from it is age. */
function judgeStaleness({ staleness }: Figures): Clue[] {
  if (staleness === null) return [];
  const { ages, trend } = staleness;
  const [freshest, oldest] = [ages[0]!, ages[ages.length - 1]!];
  if (ages.length === 1) {
    const sentence = `The recorded weight versions are ${formatPlain(freshest.staleness)} behind the step in every sequence: by them, the engine got new weights before each step.`;
    const figures = { staleness: freshest.staleness, tokens: freshest.tokens };
    return [
      { cause: "stale_weights", weight: -1, sentence, figures },
      { cause: "update_below_precision", weight: 1, sentence, figures },
    ];
  }
  const ratio = oldest.noise / (freshest.noise + 1e-9);
  const said = `By the recorded weight versions, the noise on logits is ${ages.map(({ staleness: age, noise }) => `${formatNumber(noise)} at staleness ${formatPlain(age)}`).join(", ")}`;
  const figures = {
    ...{ freshest: freshest.staleness, oldest: oldest.staleness },
    ...{ noise_freshest: freshest.noise, noise_oldest: oldest.noise, r: trend.r, z: trend.z },
  };
  const clue = {
    figures,
    picture: {
      kind: "bars" as const,
      title: "Noise on logits by staleness",
      x_label: "step minus weight version",
      y_label: "logit noise, nats",
      x: ages.map(({ staleness: age }) => formatPlain(age)),
      series: [{ name: "noise", y: ages.map(({ noise }) => noise) }],
    },
  };
  if (ratio > GROWS.ratio && trend.z > GROWS.z) {
    const sentence = `${said}: it grows with the age of the weights (z ${formatNumber(trend.z)}).`;
    return [
      { ...clue, cause: "stale_weights", weight: hold(5 + 4 * Math.log(ratio)), sentence },
      // Workers with different weights would differ whatever the versions say.
      { ...clue, cause: "mixed_weight_versions", weight: -2, sentence },
    ];
  }
  if (ratio > STAYS) return [];
  return [
    {
      ...clue,
      cause: "stale_weights",
      weight: -4,
      sentence: `${said}: the age of the weights makes no difference.`,
    },
  ];
}
