/**
 * Hand-made diagnoses of every verdict. Their sentences are made up: those about real runs belong to the analysis.
 *
 * @module
 */
import { makeAssessment } from "../../../test/support/assessment.ts";
import type { CauseGroup } from "../../results/assessment.ts";
import type { DoctorCause } from "../../results/diagnosis.ts";
import { DOCTOR_SCHEMA_VERSION, type DoctorReport } from "../../results/doctor.ts";

const DROPOUT: DoctorCause = {
  id: "dropout_on",
  family: "numerics",
  title: "Dropout is on in the trainer's forward pass",
  description: "Dropout was on while the trainer computed log-probs, so each pass gives others.",
  probability: 0.872,
  explains: 0.9,
  coexists: false,
  evidence: [
    {
      sentence:
        "Δ is wide at every position and in every sequence: mean |Δ| 0.0170 nats, 17 times what bfloat16 explains.",
      weight: 3.4,
      figures: { delta_abs_mean: 0.017 },
      picture: {
        kind: "line",
        title: "mean |Δ| over the response",
        x_label: "tenth of the response",
        y_label: "mean |Δ|, nats",
        x: [1, 2, 3, 4, 5],
        series: [{ name: "all", y: [0.016, 0.018, 0.017, null, 0.0175] }],
      },
    },
    {
      sentence: "Mean Δ is −0.0088 nats: the trainer finds its own samples less likely.",
      weight: 1.2,
      figures: { delta_mean: -0.0088 },
      picture: {
        kind: "bars",
        title: "mean Δ by environment",
        x_label: "environment",
        y_label: "mean Δ, nats",
        x: ["gsm8k", "math"],
        series: [{ name: "mean Δ", y: [-0.009, 0.002] }],
      },
    },
    {
      sentence: "Neighboring tokens are not alike: the correlation is 0.01.",
      weight: 0.4,
      figures: { correlation: 0.01 },
      picture: {
        kind: "points",
        title: "Δ against the log-prob",
        x_label: "log p rollout, nats",
        y_label: "Δ, nats",
        x: [-3, -2, -1, -0.5, 0],
        series: [{ name: "tokens", y: [0.5, -0.2, 0.1, null, 0] }],
      },
    },
    {
      sentence: "One rank alone would not do this: all ranks are alike.",
      weight: -0.7,
      figures: { ranks: 4 },
    },
  ],
  handles: ["s254.q3.t17", "s255.q9"],
  fix: [
    {
      trainer: "verl",
      line: "actor_rollout_ref.model.override_config.attention_dropout=0.0",
      is_code: true,
      note: "Turns dropout off in the actor; compute_log_prob must run under eval().",
    },
    { trainer: null, line: "model.eval()  # before log-probs are computed", is_code: true, note: "" },
  ],
};

const STALE: DoctorCause = {
  id: "stale_weights",
  family: "weights",
  title: "The rollout engine samples from older weights",
  description: "The engine was not given the last update.",
  probability: 0.09,
  explains: 0.9,
  coexists: false,
  evidence: [
    { sentence: "Mean ρ is 0.998, within its interval of 1.", weight: 0.9, figures: { ratio: 0.998 } },
    { sentence: "|Δ| does not grow over steps.", weight: -1.1, figures: { slope: 0 } },
  ],
  handles: [],
  fix: [],
};

const NONE: DoctorCause = {
  id: "cannot_tell",
  family: "healthy",
  title: "None of these causes",
  description: "The data do not decide, or the cause is not in the list.",
  probability: 0.03,
  explains: null,
  coexists: false,
  evidence: [],
  handles: [],
  fix: [],
};

const LOG_BASE: DoctorCause = {
  id: "log_base",
  family: "meaning",
  title: "Log-probs to another base",
  description: "One column is log10, the other ln.",
  probability: 0.000_2,
  explains: 0.9,
  coexists: false,
  evidence: [
    {
      sentence: "The slope of trainer on rollout log-probs is 1.002, not 2.303.",
      weight: -8.1,
      figures: { slope: 1.002 },
    },
  ],
  handles: [],
  fix: [],
};

/** A cause as the answer has it: alone, with the evidence that tells it from the next. */
function alone(cause: DoctorCause, evidence: readonly string[]): CauseGroup {
  const { id, title, probability, explains, fix } = cause;
  return {
    ...{ title, part: null, probability, coexists: false, causes: [{ id, title, probability }], evidence },
    ...{ picture: null, explains, fix: fix[0] ?? null },
  };
}

export const FAULT: DoctorReport = {
  schemaVersion: DOCTOR_SCHEMA_VERSION,
  run: "runs/grpo",
  assessment: makeAssessment({
    level: "fault",
    sentence:
      "Dropout is on in the trainer's forward pass (87 %). The size alone looks normal (mean |Δ| 0.0170)",
    diagnosis: "fault",
    causes: [
      alone(DROPOUT, [
        "Δ is wide at every position and in every sequence: mean |Δ| 0.0170 nats, 17 times what bfloat16 explains.",
        "mean ρ is 0.991; “Dropout is on” predicts 0.990, “older weights” 1.",
      ]),
      alone(STALE, ["mean ρ is 0.991; “older weights” predicts 1, “Dropout is on” 0.990."]),
    ],
  }),
  verdict: "fault",
  sentence: "Most likely dropout is on in the trainer's forward pass (87 %).",
  causes: [DROPOUT, STALE, NONE, LOG_BASE],
  alike: null,
  guilty_leg: "trainer",
  own_errors: null,
  legs: [
    {
      name: "decode",
      tokens: 4902,
      delta_mean: -3.7e-6,
      delta_abs_mean: 3.75e-6,
      delta_abs_max: 0.0183,
      k3: 3.4e-8,
      equal_share: 0.99,
    },
    {
      name: "trainer",
      tokens: 4902,
      delta_mean: -0.00875,
      delta_abs_mean: 0.017,
      delta_abs_max: 4.1,
      k3: 0.0051,
      equal_share: 0.001,
    },
  ],
  weights: null,
  checkpoints: null,
  next_experiment: {
    id: "score_twice",
    title: "Compute the trainer's log-probs of one batch twice and compare them",
    steps: [
      "Run compute_log_prob on the same batch two times and save both.",
      "Compare the two files:\nlogratio report first.npz second.npz --brief",
    ],
    outcomes: [
      { outcome: "the two differ", causes: ["dropout_on"] },
      { outcome: "the two are equal", causes: ["stale_weights", "weight_quantization"] },
      { outcome: "the second run fails", causes: [] },
    ],
    expected_information: 0.41,
  },
  untested: [
    {
      test: "whether the rollout's log-probs are those of the distribution that was sampled",
      column: "entropy.rollout",
      how: "record the rollout engine's entropy of each token",
    },
  ],
  metrics: { sequences: 64, tokens: 4902, delta_abs_mean: 0.017 },
  excluded: { rollout_missing: 12, trainer_missing: 0 },
  findings: [],
  sources: [
    {
      file: "runs/grpo/step_0254.npz",
      format: "npz",
      trainer: "verl",
      step: 254,
      rank: null,
      bytes: 90_000,
      sequences: 64,
      found: [],
      guessed: [],
      missing: [],
    },
  ],
};

export const HEALTHY: DoctorReport = {
  ...FAULT,
  assessment: makeAssessment({
    level: "normal",
    sentence: "kernels and precision explain the mismatch",
    diagnosis: "healthy",
  }),
  verdict: "healthy",
  sentence: "Nothing is wrong: what differs is what bfloat16 explains.",
  causes: [
    { ...NONE, id: "healthy", title: "Healthy", description: "Only numerics differ.", probability: 0.97 },
    { ...NONE, probability: 0.01 },
    { ...LOG_BASE },
  ],
  guilty_leg: null,
  own_errors: null,
  legs: [],
  next_experiment: null,
};

export const CANNOT_TELL: DoctorReport = {
  ...FAULT,
  assessment: makeAssessment({
    level: "elevated",
    sentence: "something differs beyond the precision of an engine, and the data do not show what",
    diagnosis: "cannot_tell",
  }),
  verdict: "cannot_tell",
  sentence: "Something differs, but the data do not show what.",
  causes: [
    { ...NONE, probability: 0.55 },
    { ...STALE, probability: 0.45 },
  ],
  guilty_leg: null,
  own_errors: null,
  legs: [],
};

export const TOO_FEW: DoctorReport = {
  ...FAULT,
  assessment: makeAssessment({
    level: "too_few",
    sentence: "3 tokens of 1 sequence; a verdict needs at least 1,000 tokens and 8 sequences",
    diagnosis: "too_few",
  }),
  verdict: "too_few",
  sentence: "3 tokens are too few to judge.",
  causes: [{ ...NONE, probability: 1 }],
  guilty_leg: null,
  own_errors: null,
  legs: [],
  next_experiment: null,
  metrics: { sequences: 1, tokens: 3 },
};
