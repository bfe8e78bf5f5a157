"""What the verbs print with ``--json``, as typed dicts. Written by scripts/python-results.mjs; do not edit.

Numbers are counts, shares as fractions of 1, and logs and KLs in nats. A number that is NaN is None, and an infinite one
is the text "Infinity" or "-Infinity".
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired


class AlikeCauses(TypedDict):
    """Causes that leave the same traces in log-probs: the data name them together, and an experiment distinguishes
    them.
    """

    #: What they have in common: `Different weights on the two sides`.
    title: str
    #: Ids of causes, most likely first.
    causes: list[str]
    #: Probability that it is one of them.
    probability: float


class Assessment(TypedDict):
    #: The worst of the levels of its parts.
    level: Literal["none", "normal", "elevated", "high", "broken", "fault", "not_comparable", "too_few"]
    #: The verdict in one sentence, including when.
    sentence: str
    #: Whether the two columns belong to the same tokens, and both are log-probs.
    comparable: Comparable
    #: What is NaN, null or infinite, and when.
    finite: Finite
    #: Which steps have the level.
    when: When
    #: The doctor's verdict on causes; null if nothing was diagnosed (logged metrics alone).
    diagnosis: Literal["fault", "too_few", "healthy", "cannot_tell"] | None
    #: Most likely first, with those that look alike grouped. Empty if nothing is wrong, or there is too little to say.
    causes: list[CauseGroup]
    #: The most important mistakes, each counted once.
    events: MistakeEvents
    #: How much of the mismatch reaches the policy gradient; null if no token has an advantage.
    reach: Reach | None
    #: Where the mismatch is, the part that stands out most first; at most one of each kind.
    where: list[StandingPart]
    #: What else keeps the run from learning, worst first.
    beside: list[BesideFinding]
    #: Whether `sweep` finds a correction necessary: its recommendation has the same `need`. Null if no token can be
    #: compared.
    correction: AssessmentCorrection | None
    #: What could not be tested, and the column that would allow it.
    untested: list[UntestedQuestion]
    #: The one most decisive experiment; null if nothing more needs to be known.
    next: NextExperiment | None


class AssessmentCorrection(TypedDict):
    need: Literal["none", "few", "all"]


class AttentionFigures(TypedDict):
    """Attention to the tokens of a text's first error, from the `=` that announces it to the first wrong one, at the
    later positions that predict the policy's own tokens. Shares are of all attention at such a position, mean over
    layers and heads, then over tokens, texts and problems.
    """

    checkpoint: str
    #: Wrong texts whose first error is known, with tokens after it.
    texts: float
    problems: float
    to_error: float
    reference_to_error: float
    #: Attention to as many tokens right before the error; null if no text has them.
    to_control: float | None
    reference_to_control: float | None
    #: `to_error` − `reference_to_error`.
    difference: PairedDifference
    control_difference: PairedDifference | None
    #: Spearman's correlation over problems of `difference` with mean KL of the tokens after the error.
    with_kl: RankCorrelation | None
    #: The checkpoint's head whose share is largest, mean over texts; counted from 0.
    strongest_head: AttentionFiguresStrongestHead | None
    #: Null if the models do not allow it.
    hidden: HiddenFigures | None


class AttentionFiguresStrongestHead(TypedDict):
    layer: float
    head: float
    share: float
    reference_share: float


class BaselineReading(TypedDict):
    """A published figure behind the verdict."""

    #: Metric name in `metrics`.
    metric: str
    value: float
    level: Literal["none", "normal", "elevated", "high", "broken"]
    #: The level at the end of its 95 % interval nearer to normal, and at the other end; if there is no interval, at the
    #: extremes without any one prompt. Both are `level` if neither is known.
    level_range: list[Literal["none", "normal", "elevated", "high", "broken"]]
    #: The usual value in healthy runs, in a few characters: `< 0.01`.
    usual: str
    #: What the source calls normal and abnormal, in its own numbers.
    band: str
    source: str
    #: Why the figure cannot be trusted, even if its level looks healthy.
    caution: NotRequired[str]


class BesideFinding(TypedDict):
    """Something beyond its limit."""

    id: Literal[
        "staleness",
        "flat_groups",
        "truncation",
        "reward_length",
        "entropy",
        "clipping",
        "clip_sides",
        "gradient_spikes",
        "gradient_zero",
        "gradient_vanishing",
        "reference",
        "evaluation",
        "reward_parts",
        "plateau",
    ]
    #: The run's name in the logger; empty if it has none, and for dumps.
    run: str
    #: Three to six words.
    title: str
    #: `bad`: it alone can be why a run learns nothing.
    level: Literal["warn", "bad"]
    #: What, with figures, and since when: `entropy fell from 0.52 to 0.009, most of it at step 78`. No full stop.
    short: str
    #: The same as a sentence, and what it means.
    sentence: str
    #: The first step beyond the limit that is followed only by such steps; null if steps do not tell.
    since_step: float | None
    #: Whether it still holds at the end of the run: `over` if the last quarter is free of it.
    outcome: Literal["lasts", "over"]
    #: What it was judged by, by name: levels, shares, limits.
    figures: dict[str, float | None]
    #: What it was read from: logged metrics by name, or `dump`.
    read_from: list[str]
    #: What to change, in a line.
    do_this: str
    #: Where the limit comes from.
    source: str


class Bounded(TypedDict):
    """A mean, and its bounds if some digits are outside the top k. `estimate` assumes that those have no mass."""

    estimate: float
    low: float
    high: float


#: Digits whose probability p is in `(from, to]` (the first bin includes 0).
CalibrationBin = TypedDict(
    "CalibrationBin",
    {
        "from": "float",
        "to": "float",
        "digits": "float",
        "confidence": "float",
        "accuracy": "float",
    },
)


class CaseContinuation(TypedDict):
    """How one policy continued one text from one place."""

    policy: str
    place: str
    #: Response tokens that were forced.
    position: float
    samples: float
    right: float
    unanswered: float
    #: What the first sample wrote.
    response: str


class CaseStudy(TypedDict):
    """One text over all checkpoints, for the token strip and the heat-map."""

    handle: str
    text: str
    problem: str
    #: Why this text was chosen.
    reason: str
    source: str | None
    correct: bool | None
    subject: str | None
    level: float | None
    prompt_text: str | None
    tokens: list[str]
    mask: list[float]
    categories: list[str]
    #: Names of the rows of `kl`.
    checkpoints: list[str]
    #: `[checkpoints][tokens]`; null if unknown.
    kl: list[list[float | None]]
    #: `[checkpoints][tokens]`: log p_checkpoint − log p_reference of the forced token.
    delta: list[list[float | None]]
    #: Spikes of the last checkpoint.
    spikes: list[SpikeFigures]
    error_token: float | None
    #: Its continuations, by place and policy.
    continuations: list[CaseContinuation]


class CategoryFigures(TypedDict):
    count: float
    mean_kl: float
    std_kl: float
    max_kl: float
    min_kl: float
    spikes: float
    share_of_tokens: float
    share_of_kl: float
    #: 95 %, over problems: Student's t up to 30, above that the bootstrap; null for fewer than six.
    mean_kl_interval: KlInterval | None


class CauseGroup(TypedDict):
    """Causes that leave the same traces, or a single one."""

    title: str
    #: The affected part of the run, such as an environment; null if it is the whole run.
    part: str | None
    #: Probability that it is one of them.
    probability: float
    #: Whether it is a small but certain mark next to what makes up most of Σ|Δ|: both may be true, so it does not
    #: compete with the first.
    coexists: bool
    #: Most likely first.
    causes: list[CauseGroupCauses]
    #: What separates the likeliest of them from the next group: contrasts, strongest first; empty if nothing does.
    evidence: list[str]
    #: The picture that shows it best; null without one.
    picture: EvidencePicture | None
    #: Share of Σ|Δ| that the likeliest explains if true; null if nothing differs.
    explains: float | None
    #: Fix for the likeliest, in the terms of the trainer that wrote the files if available; null without one.
    fix: Fix | None


class CauseGroupCauses(TypedDict):
    id: str
    title: str
    probability: float


class CheckpointFigures(TypedDict):
    role: Literal["reference", "checkpoint", "baseline"]
    step: float | None
    stage: str | None
    #: False if only bounds are known; spikes, categories and series are then about the lower one.
    exact: bool
    problems: float
    texts: float
    tokens: float
    #: Texts of the study for which this checkpoint has no scores.
    texts_missing: float
    #: Mean over problems of problem means of D(checkpoint‖reference).
    mean_kl: float | None
    #: Population standard deviation over problems.
    std_kl: float | None
    median_kl: float | None
    min_kl: float | None
    max_kl: float | None
    #: 95 %, over problems: Student's t up to 30, above that the bootstrap; null for fewer than six.
    mean_kl_interval: KlInterval | None
    mean_reverse_kl: float | None
    mean_js: float | None
    mean_total_variation: float | None
    #: Null if exact.
    mean_kl_lower: float | None
    #: Null if exact, or if nothing bounds it: see `upper_infinite_share`.
    mean_kl_upper: float | None
    #: Share of tokens whose upper bound is infinite.
    upper_infinite_share: float | None
    #: Over tokens instead of problems.
    token_mean_kl: float | None
    token_max_kl: float | None
    #: Share of tokens whose most probable token differs from the reference's.
    argmax_changed: float | None
    #: Mean of log p_checkpoint − log p_reference of the forced token.
    mean_delta: float | None
    mean_entropy: float | None
    std_entropy: float | None
    #: Mean entropy divided by log V.
    mean_entropy_normalized: float | None
    mean_reference_entropy: float | None
    #: Means over problems of the means of each third of the response.
    entropy_by_region: CheckpointFiguresEntropyByRegion
    spikes_total: float
    #: Per problem.
    spikes_mean: float
    #: Per problem, with each text's own values in random order: what the rule finds when no place is special.
    spikes_shuffled: float | None
    spikes_median: float
    spikes_per_100_tokens: float
    spike_mean_value: float | None
    spike_mean_zscore: float | None
    #: Share of all KL that lies in spikes.
    spike_share_of_kl: float | None
    #: Spikes, and the mean over texts of spikes per token of the region.
    spike_regions: CheckpointFiguresSpikeRegions
    #: The same in RL-Probe's alignment, including tool output; null unless requested.
    rl_probe: CheckpointFiguresRlProbe | None


class CheckpointFiguresEntropyByRegion(TypedDict):
    """Make all properties in T readonly"""

    early: float | None
    mid: float | None
    late: float | None


class CheckpointFiguresRlProbe(TypedDict):
    mean_kl: float
    std_kl: float
    spikes_total: float
    spikes_mean: float
    #: Share of our spikes whose token is also a spike there.
    same_spikes: float | None


class CheckpointFiguresSpikeRegions(TypedDict):
    """Make all properties in T readonly"""

    early: CheckpointFiguresSpikeRegionsEarly
    mid: CheckpointFiguresSpikeRegionsMid
    late: CheckpointFiguresSpikeRegionsLate


class CheckpointFiguresSpikeRegionsEarly(TypedDict):
    spikes: float
    density: float


class CheckpointFiguresSpikeRegionsLate(TypedDict):
    spikes: float
    density: float


class CheckpointFiguresSpikeRegionsMid(TypedDict):
    spikes: float
    density: float


class CheckpointFit(TypedDict):
    """How far a side's log-probs are from those of a checkpoint, over the sampled tokens that both have."""

    #: Probability that the side used it; with `none` of the side, all sum to 1.
    probability: float
    #: √(ΣΔ² / Σ(1 − p)²): the noise on logits that explains the distance.
    logit_noise: float
    #: √(π/2) · Σ|Δ| / Σ(1 − p), which a few tokens do not dominate: compared with `most_noise`.
    logit_noise_mean: float
    delta_abs_median: float


class ColumnComparison(TypedDict):
    """One column of A next to one of B."""

    a_column: str
    b_column: str
    certificate: Literal["equal", "equivalent", "different", "undecidable"]
    basis: Literal["too_few", "bits", "interval", "missing", "straddles", "unseen", "coverage"]
    #: The certificate in one sentence.
    sentence: str
    metrics: ColumnMetrics
    stored: ColumnComparisonStored
    #: Distances of unequal tokens; empty if there are none, or no two numbers could be compared.
    ulps: ColumnComparisonUlps
    #: In order of step, rank, sequence, token; null if no token differs.
    first: DifferingToken | None
    starts: list[DifferenceStart]
    #: Largest |Δ| first.
    worst: list[DifferingToken]
    per_step: list[DifferenceSlice]
    per_turn: list[DifferenceSlice]


class ColumnComparisonStored(TypedDict):
    a: Literal["bfloat16", "float32", "float64"]
    b: Literal["bfloat16", "float32", "float64"]


class ColumnComparisonUlps(TypedDict):
    unit: Literal["bfloat16", "float32", "float64"]
    counts: list[UlpCount]


class ColumnError(TypedDict):
    """A column's own error: its log-prob of a token minus that of the reference, over the tokens that all columns have."""

    #: `rollout`, `trainer` or the name of a further policy.
    column: str
    tokens: float
    mean: float
    #: √(mean error²).
    rms: float
    #: 95 %, over prompts; null if `no_interval` says why.
    interval: ColumnErrorInterval | None
    #: 95 % interval of its rms over that of the column before, paired by prompt: the order of two is decided if it does
    #: not contain 1. Null for the first, and where there is no interval.
    ratio_to_previous: ColumnErrorRatioToPrevious | None


class ColumnErrorInterval(TypedDict):
    """A 95 % confidence interval, in the unit of its figure; NaN if the data do not determine it."""

    low: float
    high: float


class ColumnErrorRatioToPrevious(TypedDict):
    """A 95 % confidence interval, in the unit of its figure; NaN if the data do not determine it."""

    low: float
    high: float


class ColumnMetrics(TypedDict):
    """Over tokens with mask 1 on both sides and a log-prob on at least one."""

    tokens: float
    sequences: float
    #: Number of prompts, or of sequences if prompts are not known.
    clusters: float
    unequal: float
    unequal_sequences: float
    unequal_share: float | None
    #: If none is unequal: upper 95 % bound on the share of unequal tokens if they were independent (about 3/n).
    unequal_share_upper: float | None
    #: The same for prompts with an unequal token.
    unequal_clusters_share_upper: float | None
    #: 0 on one side, −0 on the other: equal, and counted.
    signed_zeros: float
    #: NaN or infinite on one side only.
    one_sided: float
    #: Tokens without a log-prob on both sides; not included in `tokens`.
    missing_both: float
    delta_mean: float | None
    delta_mean_low: float | None
    delta_mean_high: float | None
    delta_abs_mean: float | None
    #: One-sided bounds at level 1 − alpha each; null if there are too few prompts.
    delta_abs_mean_low: float | None
    delta_abs_mean_high: float | None
    #: Largest share of prompts of a kind that was not seen, at level 1 − alpha: about 3 of all `clusters`.
    unseen_clusters_share_upper: float
    #: `delta_abs_mean_high` if that share were 50 times as far off as the others; this has to be within the tolerance.
    delta_abs_mean_unseen: float | None
    delta_abs_max: float | None
    delta_abs_p50: float | None
    delta_abs_p99: float | None
    delta_abs_p999: float | None
    prob_diff_mean: float | None
    prob_diff_max: float | None
    #: mean(e^Δ − Δ − 1).
    k3: float | None
    #: Prompts that would decide, at the observed spread; null if the certificate is decided, or no number would decide.
    clusters_needed: float | None


class Comparable(TypedDict):
    """Whether figures of the two columns mean anything."""

    is_comparable: bool
    #: Why not; null if they can be compared.
    reason: str | None
    #: Mean |Δ| with the trainer's column shifted by this many entries; empty if it was not tried.
    by_shift: list[ComparableByShift]
    #: The shift that fits; null if none does, or if the columns are in place.
    shift: float | None


class ComparableByShift(TypedDict):
    shift: float
    delta_abs_mean: float


class CompareInput(TypedDict):
    """One of the files of a side."""

    file: str
    format: str
    trainer: str
    bytes: float
    #: Digest of the file; null if it is not a local file, or was not requested.
    sha256: str | None
    #: When it was last changed, ISO 8601; null if not known.
    modified: str | None


class CompareReport(TypedDict):
    """What `logratio compare --json` prints."""

    #: Version of this shape; a change that breaks readers raises it.
    schemaVersion: Literal[1]
    #: Identifies results that are read from files.
    kind: Literal["compare"]
    #: Two sources, or the two columns of one.
    mode: Literal["paired", "columns", "unpaired"]
    #: The answer for all columns together.
    certificate: Literal["equal", "equivalent", "different", "undecidable"]
    #: What the answer rests on.
    basis: Literal["too_few", "bits", "interval", "missing", "straddles", "unseen", "coverage"]
    #: The certificate in one sentence.
    sentence: str
    #: The first side: where it came from, and what was read.
    a: CompareSide
    #: The second side.
    b: CompareSide
    #: The requested tolerance and significance level.
    test: CompareTest
    #: Figures of the deciding column, or of two runs with different texts, by name.
    metrics: dict[str, float | None]
    #: Worst first; empty if texts differ.
    columns: list[ColumnComparison]
    #: Figures of two runs whose texts differ; otherwise empty.
    figures: list[RunFigure]
    #: Null if texts differ, or the columns are of one source.
    pairing: Pairing | None
    #: What to keep in mind; one sentence each.
    caveats: list[str]
    #: What to run next; null if there is nothing left to ask.
    next: CompareReportNext | None
    #: Who certifies, and when, as given or as the files say.
    by: str | None
    #: As given by the caller; null if not requested.
    date: str | None
    #: Version of logratio that produced it.
    logratio: str
    #: Findings of reading, with counts and first places.
    findings: list[Finding]


class CompareReportNext(TypedDict):
    command: str | None
    why: str


class CompareSide(TypedDict):
    name: str
    sequences: float
    #: With mask 1.
    tokens: float
    columns: list[str]
    #: As stated in the record: program and version, digests, topology.
    facts: list[str]
    inputs: list[CompareInput]


class CompareTest(TypedDict):
    #: Tolerance of the mean |Δ|; 0: every bit must be equal.
    within: float
    #: Where the tolerance comes from.
    within_reason: str
    #: Error rate of each one-sided test.
    alpha: float
    statistic: Literal["delta_abs_mean"]
    unit: Literal["prompt", "sequence"]
    clusters_least: float


class ConfidenceFigures(TypedDict):
    digits: float
    avg_log_prob: float | None
    #: Mean probability.
    confidence: float | None
    trainer_avg_log_prob: float | None


class ContinuationFigures(TypedDict):
    """Outcomes of wrong texts continued freely from one place. Shares are means over samples, texts and problems."""

    checkpoint: str
    #: `start`, `before_error`, `after_error`, or a share of the response such as `0.5`.
    place: str
    texts: float
    problems: float
    #: Samples of the checkpoint, over all texts.
    samples: float
    #: Share of the response that is forced.
    forced_share: float
    #: Share of the continuations whose final answer is right.
    right: float
    #: The reference's share, on the texts that it continued too.
    reference_right: float | None
    #: Share of the continuations that state no final answer; these do not count as right.
    unanswered: float
    #: `right` − `reference_right`.
    difference: PairedDifference | None
    #: Correlation of `difference` with the text's mean KL; not corrected.
    with_kl: RankCorrelation | None


class CorrectedGradient(TypedDict):
    """What a correction does to the weights w · A of the policy gradient's terms: uncorrected w is 1, unbiased is w =
    ρ. It describes weights, not a direction: ∇log π is not known (docs/metrics.md).
    """

    #: Tokens with mask 1, finite log-probs and advantage, and ρ that does not overflow.
    tokens: float
    #: Share of Σ|A| on tokens with a non-zero weight.
    advantage_kept_share: float
    #: Σ|A||w − ρ| / Σ|A|, and the same for w = 1.
    weight_gap: float
    weight_gap_uncorrected: float
    #: ΣAw / Σ|A|; the same for w = 1 and for w = ρ.
    surrogate: float
    surrogate_uncorrected: float
    surrogate_unbiased: float


class CorrectnessFigures(TypedDict):
    """KL by whether a text is right, and by the direction in which the checkpoint moves."""

    checkpoint: str
    wrong_texts: GroupKl | None
    right_texts: GroupKl | None
    #: Wrong against right texts; paired (Wilcoxon) if the same problems have both, else Mann-Whitney.
    test: CorrectnessFiguresTest | None
    #: KL of tokens where the checkpoint moves the desired way: on wrong texts (from the first error on, if that is
    #: known) away from the forced token, on right texts (and before the error) towards it. Per token, over all tokens
    #: of texts whose correctness is known.
    good_kl: float | None
    bad_kl: float | None
    #: good / (good + bad).
    good_share: float | None
    #: KL of problems that the checkpoint itself solves, and of those that it does not; null if its own answers are
    #: unknown.
    solved: GroupKl | None
    unsolved: GroupKl | None


class CorrectnessFiguresTest(TypedDict):
    method: Literal["wilcoxon", "mann-whitney"]
    p_value: float
    adjusted_p_value: float
    rank_biserial: float
    n: float


class CorrectnessSpread(TypedDict):
    """The distribution of Δ in right or in wrong answers; both have the same edges."""

    name: Literal["correct", "incorrect"]
    #: Signed-logarithmic bars of its tokens' Δ.
    delta: Histogram
    #: Logarithmic bars of the mean |Δ| of each of its sequences, and the median of these.
    sequence_delta_abs: Histogram
    sequence_delta_abs_p50: float


class CorrectReport(TypedDict):
    """What `correctRun` returns and `logratio correct --json` prints."""

    #: Changes where a field changes its meaning or goes.
    schemaVersion: Literal[2]
    #: Of what this is the result.
    kind: Literal["correct"]
    #: Name of the run.
    run: str
    #: Preset of the trainer that defines the correction; null, with no settings and no trainer's metrics, for
    #: `--correction`.
    preset: str | None
    #: The trainer's own name; null without a preset.
    trainer: str | None
    #: The code whose formulas are followed.
    source: str | None
    #: Under the trainer's names, defaults filled in.
    settings: dict[str, Any]
    #: As in `--correction` and the page's address: `weight:token truncate:..2`.
    correction_text: str
    #: What the correction does, one clause per effect.
    does: list[str]
    #: Effects that the names of the settings do not show.
    traps: list[str]
    #: Properties of the data, whatever the correction; null if the effect cannot be computed, with the reason below.
    metrics: SweepMetrics | None
    #: What the correction does to the data: the row that a sweep has for it.
    effect: SweepCorrection | None
    #: Why there is no effect; null where there is one, or no advantages that it needs.
    effect_absent: str | None
    #: Effect on the weights of the policy gradient's terms; null without advantages, and if weights are normalized and
    #: not written.
    gradient: CorrectedGradient | None
    #: What the trainer would log for everything as one batch, under its keys.
    trainer_metrics: dict[str, float]
    #: The same for each step, empty for a step without tokens; `step` is null for sequences without one.
    per_step: list[CorrectReportPerStep]
    #: Where the trainer's figures differ from the correct ones, with the reason.
    discrepancies: list[ParityDiscrepancy]
    #: Files with weights and masks.
    written: list[str]
    #: What reading noticed, and what was left out.
    findings: list[Finding]
    #: The files that were read.
    sources: list[SourceSummary]


class CorrectReportPerStep(TypedDict):
    step: float | None
    metrics: dict[str, float]


class DifferenceSlice(TypedDict):
    """Tokens of one step or turn."""

    value: float | None
    tokens: float
    unequal: float
    delta_abs_mean: float | None


class DifferenceStart(TypedDict):
    """The first place (step, turn or position) with differing tokens whose preceding tokens are all equal."""

    by: Literal["turn", "step", "position"]
    at: float
    equal_before: float


class DifferingToken(TypedDict):
    """A token at which the two sides differ."""

    #: Handle in A: `s12.r3.q41.t880`.
    handle: str
    file: str
    token_id: float | None
    #: Turn, from 0.
    turn: float
    a: float | None
    b: float | None
    delta: float | None


class DigitDistribution(TypedDict):
    policy: str
    k: float
    #: The digit to compare with.
    against: Literal["sampled", "truth"]
    #: Digit positions with alternatives, and those where nothing is missing: their losses are exact.
    positions: float
    complete: float
    #: Positions where no digit is known at all; not in the figures.
    unknown: float
    #: Mean and largest probability outside what is known.
    unaccounted_mean: float
    unaccounted_max: float
    #: Mean probability of the ten digits together.
    digit_mass: Bounded
    #: Renormalized over the ten digits, as in the reference implementation.
    expected_digit: Bounded
    ntl_mse: Bounded
    ntl_wasserstein: Bounded
    ntl_mae: Bounded
    #: Share of positions whose likeliest digit is the one judged against.
    digit_accuracy: Bounded
    #: Without renormalization: mass on other tokens counts as digit 0 in the expectation and as no distance.
    raw_expected_digit: Bounded
    raw_ntl_mse: Bounded
    raw_ntl_wasserstein: Bounded
    raw_ntl_mae: Bounded


class DigitExample(TypedDict):
    handle: str
    digit: float
    place: float
    #: The number that it is part of.
    number: str
    rollout_logprob: float
    trainer_logprob: float | None


class DigitFigures(TypedDict):
    """Sums of a set of digits. Averages are null without digits."""

    digits: float
    #: Mean log-prob of the sampled digits under the rollout policy.
    avg_digit_log_prob: float | None
    #: The proxy: `-avg_digit_log_prob`.
    ntl_loss: float | None
    #: The same under the trainer policy; null if not known for all of them.
    trainer_avg_digit_log_prob: float | None
    trainer_ntl_loss: float | None
    #: Mean of |Δ|, Δ = trainer − rollout.
    delta_abs_mean: float | None


class DigitGap(TypedDict):
    """Over tokens with finite log-probs on both sides. Δ = trainer − rollout."""

    tokens: float
    delta_mean: float | None
    delta_abs_mean: float | None
    delta_abs_max: float | None
    #: KL(rollout ‖ trainer) as mean of exp Δ − 1 − Δ.
    k3: float | None
    #: Mean and largest |p_trainer − p_rollout|.
    prob_diff_mean: float | None
    prob_diff_max: float | None


class DigitRewards(TypedDict):
    sequences: float
    #: Mean of 0.5 + 0.5·exp(average log-prob of the sequence's digits).
    confidence_mean: float
    #: Share of sequences whose average is above -0.5: they get the bonus.
    bonus_share: float


class DigitsComparison(TypedDict):
    digits: DigitGap
    #: The tokens with mask 1 that are not digits.
    others: DigitGap


class DigitSequence(TypedDict):
    """One sequence's digits under the names of number-token loss (`ntl_info`). Its lists have an element per digit;
    log-probs in nats.
    """

    handle: str
    file: str
    #: Indices into the response.
    digit_positions: list[float]
    #: The sampled digits, 0 to 9: despite the name that trainers use, they are not the truth.
    digit_ground_truth: list[float]
    digit_log_probs_selected: list[float]
    #: The same under the trainer policy; null if not known for all of them.
    trainer_log_probs_selected: list[float] | None
    total_digits: float
    avg_digit_log_prob: float | None
    ntl_loss: float | None
    #: Ground truth as given (`--truth`), the number that the response gives as its answer, and whether it is right.
    truth: str | None
    answer: str | None
    answer_right: bool | None
    #: The sequence's own reward; null if not known: the next two then assume a reward of 1.
    reward: float | None
    #: reward · (0.5 + 0.5 · exp(avg)), and reward · 1.1 if avg is above -0.5; the reward itself without digits.
    confidence_reward: float
    bonus_reward: float


class DigitsMetrics(TypedDict):
    sequences: float
    sequences_with_digits: float
    #: Tokens with mask 1.
    tokens: float
    #: Same as `digits`.
    total_digits: float
    #: Tokens of several digits: part of numbers, not of the digit figures.
    multi_digit_tokens: float
    multi_digit_avg_log_prob: float | None
    numbers: float
    #: Mean over the numbers of the sum of their tokens' log-probs.
    number_avg_log_prob: float | None
    #: Digit tokens without a finite log-prob, left out.
    digits_without_log_prob: float
    method: str
    digits: float
    #: Mean log-prob of the sampled digits under the rollout policy.
    avg_digit_log_prob: float | None
    #: The proxy: `-avg_digit_log_prob`.
    ntl_loss: float | None
    #: The same under the trainer policy; null if not known for all of them.
    trainer_avg_digit_log_prob: float | None
    trainer_ntl_loss: float | None
    #: Mean of |Δ|, Δ = trainer − rollout.
    delta_abs_mean: float | None


class DigitsReport(TypedDict):
    """What `logratio digits` prints with `--json`: how sure policies are of digits."""

    #: Version of this format; increased when a field changes its meaning or is removed.
    schemaVersion: Literal[1]
    #: The kind of result.
    kind: Literal["digits"]
    #: Name of the run.
    run: str
    #: Which tokens count as digits.
    vocabulary: DigitVocabularySummary
    #: Whose digits they are: the rollout policy's, unless the input has only the trainer's log-probs.
    policy: Literal["rollout", "trainer"]
    #: Over all digits of the run.
    metrics: DigitsMetrics
    #: Both policies on the same digits, compared with other tokens; null if there is only one policy's log-probs.
    comparison: DigitsComparison | None
    #: The same by training step.
    per_step: list[DigitsReportPerStep]
    #: By power of ten within the number, 0 for units, -1 for tenths; ascending.
    per_place: list[DigitsReportPerPlace]
    #: By the sampled digit.
    per_digit: list[DigitsReportPerDigit]
    #: Digits of sequences judged right; null if there are none.
    right_sequences: DigitFigures | None
    #: The same for sequences judged wrong.
    wrong_sequences: DigitFigures | None
    #: The documented rewards, as if applied to each sequence with digits at a base of 1; null if there are none.
    rewards: DigitRewards | None
    #: Losses of the digit distributions against the sampled digit, for each policy with top-k alternatives.
    distributions: list[DigitDistribution]
    #: Answers against ground truth; null without it.
    truth: DigitTruth | None
    #: The digits that the rollout policy was least sure of.
    least_sure: list[DigitExample]
    #: The digits on which the policies are furthest apart.
    widest_gaps: list[DigitExample]
    #: The first sequences of the run, as many as requested; null if none were.
    per_sequence: list[DigitSequence] | None
    #: Figures that are null or empty, and why; one line each.
    absent: list[str]
    #: Findings from reading, including what was left out.
    findings: list[Finding]
    #: The files that were read.
    sources: list[SourceSummary]


class DigitsReportPerDigit(TypedDict):
    digits: float
    #: Mean log-prob of the sampled digits under the rollout policy.
    avg_digit_log_prob: float | None
    #: The proxy: `-avg_digit_log_prob`.
    ntl_loss: float | None
    #: The same under the trainer policy; null if not known for all of them.
    trainer_avg_digit_log_prob: float | None
    trainer_ntl_loss: float | None
    #: Mean of |Δ|, Δ = trainer − rollout.
    delta_abs_mean: float | None
    digit: float


class DigitsReportPerPlace(TypedDict):
    digits: float
    #: Mean log-prob of the sampled digits under the rollout policy.
    avg_digit_log_prob: float | None
    #: The proxy: `-avg_digit_log_prob`.
    ntl_loss: float | None
    #: The same under the trainer policy; null if not known for all of them.
    trainer_avg_digit_log_prob: float | None
    trainer_ntl_loss: float | None
    #: Mean of |Δ|, Δ = trainer − rollout.
    delta_abs_mean: float | None
    place: float


class DigitsReportPerStep(TypedDict):
    digits: float
    #: Mean log-prob of the sampled digits under the rollout policy.
    avg_digit_log_prob: float | None
    #: The proxy: `-avg_digit_log_prob`.
    ntl_loss: float | None
    #: The same under the trainer policy; null if not known for all of them.
    trainer_avg_digit_log_prob: float | None
    trainer_ntl_loss: float | None
    #: Mean of |Δ|, Δ = trainer − rollout.
    delta_abs_mean: float | None
    step: float | None


class DigitTruth(TypedDict):
    """Answers against ground truth. An answer is the number after the last `####` or `\\boxed`, else the last number."""

    source: str
    sequences_with_truth: float
    #: Answers without a comparison: the truth is not a single number; the response has no number.
    truth_not_a_number: float
    without_answer: float
    #: Answers compared, and those whose value is right.
    numbers: float
    numbers_right: float
    number_accuracy: float | None
    #: |answer − truth| over compared answers.
    distance_mean: float | None
    distance_median: float | None
    #: The same over wrong answers.
    distance_wrong_median: float | None
    #: Places compared from the decimal point out, over the longer of both numbers; a missing place is 0.
    digits: float
    digits_right: float
    digit_accuracy: float | None
    #: Mean |digit − true digit|.
    digit_distance_mean: float | None
    #: Sampled single-digit tokens of answers, by whether they are right.
    right_digits: ConfidenceFigures
    wrong_digits: ConfidenceFigures
    per_place: list[DigitTruthPerPlace]
    calibration: list[CalibrationBin]
    #: Σ over bins of share of digits · |confidence − accuracy|; null without digits.
    calibration_error: float | None
    #: Answers that disagree with `correctness` of the data, if known.
    disagrees_with_correctness: float
    #: Losses of the digit distributions against the true digit.
    distributions: list[DigitDistribution]
    #: Wrong answers that the rollout policy was most sure of.
    surest_wrong: list[WrongAnswer]


class DigitTruthPerPlace(TypedDict):
    digits: float
    avg_log_prob: float | None
    #: Mean probability.
    confidence: float | None
    trainer_avg_log_prob: float | None
    place: float
    right: float
    accuracy: float


class DigitVocabularySummary(TypedDict):
    #: Directory of the tokenizer; null without one.
    tokenizer: str | None
    #: Whether digits were found by token text, because the input names tokens by text instead of id.
    token_texts: bool
    #: Ids of single digits, by digit.
    bare: list[list[float]]
    spaced: list[list[float]]
    multi_digit_entries: float
    #: Digits in the longest entry.
    longest_entry: float


class Distribution(TypedDict):
    """Quantile names are `p1`, `p5`, `p25`, `p50`, `p75`, `p95`, `p99`, `p99.9`."""

    #: Number of values counted.
    count: float
    #: Mean, in the unit of the values.
    mean: float
    #: Population standard deviation, in the unit of the values.
    std: float
    #: Smallest value.
    min: float
    #: Largest value.
    max: float
    #: Quantiles by name (`p50`, `p999`), within 1 % of the value.
    quantiles: dict[str, float]


class DivergenceMetrics(TypedDict):
    sequences: float
    #: With mask 1 and both probabilities known.
    tokens: float
    steps: float
    #: Steps whose largest |Δp| reached the threshold.
    steps_logged: float
    records: float
    prob_diff_max: float | None
    rollout_confident_actor_rejects: float
    actor_confident_rollout_rejects: float
    large_disagreement: float
    records_correct: float
    records_incorrect: float
    #: Tokens that could not be decoded, that tokenize differently, or that differ between responses and input ids.
    decode_errors: float
    reencode_mismatches: float
    token_mismatches: float


class DivergenceOutput(TypedDict):
    file: str
    lines: float
    #: Number of records that were already in the log and were not written again.
    repeated: float
    completed_torn_line: bool


class DivergenceRecord(TypedDict):
    """One token. Texts are Python `repr`s. `actor` is the trainer's policy. Fields with a question mark are present
    only if they apply.
    """

    #: Training step; null if not known.
    iteration: float | None
    #: Rank among the tokens of the iteration; 0 is the most divergent.
    rank: float
    #: Row of the sequence in its batch, counted from 0.
    batch_idx: float
    #: Response token, counted from 0.
    position: float
    #: `sequence_length` − 1 − `position`.
    position_from_end: float
    #: Columns of the padded batch; the sequence's own tokens if the source is not padded.
    sequence_length: float
    #: Vocabulary id; null if the source has none.
    token_id: float | None
    #: The token as Python's repr writes it; null without a tokenizer.
    token_text: str | None
    #: The decoded token itself; null without a tokenizer, and if it cannot be decoded.
    token_plain: str | None
    #: |rollout_prob − actor_prob|.
    prob_divergence: float
    #: Probability under the rollout policy, a fraction.
    rollout_prob: float
    #: Probability under the trainer policy, a fraction.
    actor_prob: float
    #: May be -Infinity, which is null in JSON.
    rollout_logprob: float
    #: Log-prob under the trainer policy, nats; may be -Infinity.
    actor_logprob: float
    #: |rollout_logprob − actor_logprob|.
    logprob_diff: float
    #: Which policy is confident in what the other rejects; null if neither is.
    flip_type: (
        Literal["rollout_confident_actor_rejects", "actor_confident_rollout_rejects", "large_disagreement"] | None
    )
    #: Whether the response is right; null if not known.
    is_correct: bool | None
    #: Reward of the sequence; null if not known.
    total_score: float | None
    #: Position that the trainer gave the model; null if not known.
    position_id: float | None
    #: Replaces `position_id` if positions have several dimensions.
    position_ids: NotRequired[list[float]]
    #: Attention mask at the token; null if the source has none.
    attention_mask_value: float | None
    #: Number of padding tokens before the prompt; null if the source is not padded.
    num_prompt_padding_tokens: float | None
    #: Columns of the prompt; null if the source is not padded.
    prompt_length_with_padding: float | None
    #: Number of the prompt's tokens that are not padding; null if not known.
    prompt_length_without_padding: float | None
    #: Whether the token's text alone tokenizes to this token.
    reencodes_to_same_id: bool | None
    #: What the text tokenizes to, if that is another token or several.
    reencoded_ids: NotRequired[list[float]]
    #: The id at the same place in `input_ids`; null if the source has none.
    input_ids_token_id: float | None
    #: Whether `responses` and `input_ids` have the same id here; null if one is missing.
    tokens_match: bool | None
    #: Describes the difference, if they differ.
    WARNING: NotRequired[str]
    #: Text of the other id, if they differ.
    input_ids_token_text: NotRequired[str]
    #: Text of the tokens around it, as repr; null without a tokenizer.
    context_text: str | None
    #: Positions `[start, end)` that `context_text` covers.
    context_start_pos: float
    #: Position after the last one that `context_text` covers.
    context_end_pos: float
    #: Text of the prompt, as repr; null without a tokenizer.
    prompt_text: str | None
    #: Number of the prompt's tokens; null if not known.
    prompt_num_tokens: float | None
    #: Text of the response, as repr, cut at the option's length; null without a tokenizer.
    full_response: str | None
    #: Tokens with mask 1.
    response_num_tokens: float
    #: Why a text could not be decoded, if so.
    decode_error: NotRequired[str]
    #: Entropy of the rollout policy here, nats; null if not known.
    rollout_entropy: float | None
    #: Entropy of the trainer policy here, nats; null if not known.
    actor_entropy: float | None
    #: The rollout policy's most probable tokens; null if not known.
    rollout_top5: list[TokenAlternative] | None
    #: The trainer policy's most probable tokens; null if not known.
    actor_top5: list[TokenAlternative] | None
    #: Advantage of the token; null if not known.
    advantage: float | None
    #: Reward of this token; the sequence's is `total_score`.
    reward: float | None
    #: `s12.r0.q41.t880`; null for a batch in memory.
    handle: str | None
    #: The file that it was read from; null for a batch in memory.
    file: str | None
    #: Over all the iteration's responses with known correctness, logged or not: their number, the share of correct
    #: ones, and the share of response tokens (mask 1) in correct ones. Absent if no correctness is known, and in a
    #: padded batch in memory.
    iteration_responses: NotRequired[float]
    #: Share of correct responses, a fraction.
    iteration_accuracy: NotRequired[float]
    #: Share of response tokens in correct responses, a fraction.
    iteration_correct_tokens: NotRequired[float]
    #: Identifies a token with its log-probs, wherever it was read from; null for batches in memory.
    record_id: str | None


class DivergenceReport(TypedDict):
    """What `logratio divergence` prints with `--json`: the most divergent tokens of each step."""

    #: Version of this format; increased when a field changes its meaning or is removed.
    schemaVersion: Literal[1]
    #: The kind of result.
    kind: Literal["divergence"]
    #: Name of the run.
    run: str
    #: How the log was made.
    settings: DivergenceSettings
    #: Counts over all steps.
    metrics: DivergenceMetrics
    #: Each step with its largest |Δp|, even if none of its tokens are logged.
    per_step: list[DivergenceStep]
    #: Null if they were written to files instead.
    records: list[DivergenceRecord] | list[LeanDivergenceRecord] | None
    #: The files that records were appended to.
    outputs: list[DivergenceOutput]
    #: Findings from reading, including what was left out.
    findings: list[Finding]
    #: The files that were read.
    sources: list[DivergenceReportSources]


class DivergenceReportSources(TypedDict):
    """Construct a type with the properties of T except for those in type K."""

    #: Name of the adapter that understood it.
    trainer: str
    #: Data-parallel rank; null if the file names none.
    rank: float | None
    #: Training step named by the file; null if it names none.
    step: float | None
    #: The path, as it was given or found.
    file: str
    #: What it lacks that other files have, one per line.
    missing: list[str]
    #: The file format: `npz`, `jsonl`, ….
    format: str
    #: Size on disk, in bytes.
    bytes: float
    #: What was recognized, one per line.
    found: list[str]
    #: What was assumed, one per line.
    guessed: list[str]
    #: What its data show about masks, alignment and zeros, one per line; absent if not checked.
    checked: NotRequired[list[str]]


class DivergenceSettings(TypedDict):
    threshold: float
    top_k: float
    context: float
    every: float
    #: Whether records have only the guide's fields.
    lean: bool
    #: The directory it was opened from.
    tokenizer: str | None


class DivergenceStep(TypedDict):
    step: float | None
    iteration: float | None
    sequences: float
    tokens: float
    prob_diff_max: float | None
    logged: bool
    records: float
    #: What verl logs, under its keys: `training/*` and `per_round/*`.
    metrics: dict[str, float]


class DoctorCause(TypedDict):
    #: `temperature_mismatch`, …; `healthy`; `cannot_tell` is "none of these".
    id: str
    #: `meaning`, `alignment`, `mask`, `context`, `weights`, `numerics`, `missing`, `where`, `when` or `healthy`.
    family: str
    title: str
    description: str
    #: Probability that the run has it. Mutually exclusive causes, including "none of these", share 1; see `coexists`.
    probability: float
    #: Share of Σ|Δ| that it explains if true. For a mark: what disappears once its tokens are excluded or its column is
    #: corrected; for a coarse storage format: what rounding alone causes; for the others: what no mark explains, in the
    #: part of the run that stands out. Null if nothing differs, or if no cause is named.
    explains: float | None
    #: Whether it is a proven mark that explains little, next to what makes up most of Σ|Δ|: its probability is its own,
    #: and both may be true.
    coexists: bool
    #: Strongest first.
    evidence: list[Evidence]
    #: Handles of sequences or tokens to look at with `logratio show`.
    handles: list[str]
    fix: list[Fix]


class DoctorReport(TypedDict):
    """What `logratio doctor --json` prints."""

    #: Version of this shape; a change that breaks readers raises it.
    schemaVersion: Literal[2]
    #: Name of the run: the directory or file that was given.
    run: str
    #: The answer about the run, that of `report`; its `causes` are the first ones of these.
    assessment: Assessment
    #: Which checkpoint each side used; null unless checkpoints were given and one could be scored.
    checkpoints: ServedReport | None
    #: Findings of reading, with counts and first places.
    findings: list[Finding]
    #: Files that were read.
    sources: list[SourceSummary]
    #: Whether something is wrong.
    verdict: Literal["fault", "too_few", "healthy", "cannot_tell"]
    #: The verdict in one sentence.
    sentence: str
    #: Most likely first, after the likeliest of the likeliest group of `alike` causes. The probabilities of all causes,
    #: including those not listed, sum to 1, except for those that coexist, which come after the first.
    causes: list[DoctorCause]
    #: The causes that look like the first one, including itself; null if its traces are unique.
    alike: AlikeCauses | None
    #: Null without a re-scored column, or if too few sequences have one.
    guilty_leg: Literal["none", "trainer", "decode", "both"] | None
    #: Figures of each pair of policies that was compared.
    legs: list[LegFigures]
    #: Null without a column of the same weights in float32.
    own_errors: OwnErrors | None
    #: Null if no sequence has a digest of each side's weights.
    weights: WeightFacts | None
    #: Null if nothing more needs to be known.
    next_experiment: NextExperiment | None
    #: What could not be tested, most informative first.
    untested: list[UntestedQuestion]
    #: The figures behind the diagnosis, by name; null if not known.
    metrics: dict[str, float | None]
    #: Counts of tokens in none of the figures, by reason.
    excluded: dict[str, float]


#: Share dropped among tokens whose length or turn is in `[from, to]`.
DroppedGroup = TypedDict(
    "DroppedGroup",
    {
        "from": "float",
        "to": "float | None",
        "tokens": "float",
        "dropped_share": "float",
    },
)


class DroppedPart(TypedDict):
    """What is dropped. Means are over tokens; a token has its sequence's reward."""

    tokens: float
    tokens_share: float
    sequences: float
    sequences_share: float
    reward_kept: float | None
    reward_dropped: float | None
    #: (mean reward of the kept − mean of all) / standard deviation of all.
    reward_shift: float | None
    accuracy_kept: float | None
    accuracy_dropped: float | None
    accuracy_shift: float | None
    #: Share dropped among tokens with a positive, negative and zero advantage.
    by_advantage: DroppedPartByAdvantage | None
    #: Quarters of the sequences by length, edges to 19 %.
    by_length: list[DroppedGroup]
    #: By turn, from 0; the last one may stand for all later ones (`to` is then null).
    by_turn: list[DroppedGroup]
    #: GRPO groups without a kept sequence.
    groups_lost: float | None


class DroppedPartByAdvantage(TypedDict):
    positive: float | None
    negative: float | None
    zero: float | None


class ErrorPair(TypedDict):
    """The gap between two columns, and what their own errors say about it."""

    first: str
    second: str
    tokens: float
    #: √(mean gap²), as measured.
    gap_rms: float
    #: What it would be if the errors were independent: √(Var first + Var second + (difference of the means)²).
    independent_rms: float
    #: Of the two errors, nats²: gap_rms² = independent_rms² − 2 · covariance.
    covariance: float
    #: Null if one of the errors is the same at every token.
    correlation: float | None
    correlation_interval: ErrorPairCorrelationInterval | None
    #: The first column's part of the gap's variance, (Var first − covariance) / Var gap; the second has the rest. Below
    #: 0 or above 1 where one error takes from the other. Null without a gap.
    first_share: float | None
    first_share_interval: ErrorPairFirstShareInterval | None


class ErrorPairCorrelationInterval(TypedDict):
    """A 95 % confidence interval, in the unit of its figure; NaN if the data do not determine it."""

    low: float
    high: float


class ErrorPairFirstShareInterval(TypedDict):
    """A 95 % confidence interval, in the unit of its figure; NaN if the data do not determine it."""

    low: float
    high: float


class EventAlternative(TypedDict):
    token_id: float | None
    text: str | None
    #: Whether it is what the rollout policy wrote.
    sampled: bool
    #: Null if the policy's list of most probable tokens lacks it.
    rollout_probability: float | None
    trainer_probability: float | None


class EventContext(TypedDict):
    """An unknown id is -1."""

    #: At most 32 ids of the response before the token, and 16 after it.
    before_ids: list[float]
    after_ids: list[float]
    #: The last 200 of the prompt.
    prompt_ids: list[float]
    #: Tokens of the whole prompt.
    prompt_tokens: float


class EventText(TypedDict):
    """At most about 40 characters before and after the token."""

    before: str
    token: str
    after: str
    #: The end of the prompt, at most 400 characters.
    prompt: str | None


class Evidence(TypedDict):
    """A fact that speaks for or against a cause."""

    #: A whole sentence with its figure, its unit and what it is compared with.
    sentence: str
    #: What it adds to the log-odds of the cause, in nats; a negative weight speaks against the cause.
    weight: float
    #: The figures of the sentence, by name.
    figures: dict[str, str | float | None]
    picture: NotRequired[EvidencePicture]
    #: For a figure that is compared with recordings of the cause: as text, with its unit if it has one.
    profile: NotRequired[EvidenceProfile]


class EvidencePicture(TypedDict):
    """A curve, bars or points that show a piece of evidence."""

    #: `line`: y over ordered x; `bars`: one y per label; `points`: a cloud.
    kind: Literal["line", "bars", "points"]
    title: str
    #: What x and y are, with their units.
    x_label: str
    y_label: str
    #: Numbers, or the names of bars.
    x: list[str | float]
    #: One list per series, as long as `x`; null for missing values.
    series: list[EvidencePictureSeries]


class EvidencePictureSeries(TypedDict):
    name: str
    y: list[float | None]


class EvidenceProfile(TypedDict):
    #: The same for every cause: what is compared.
    name: str
    label: str
    value: str
    expected: str


class ExcludedTokens(TypedDict):
    """Masked tokens in none of the figures, and why."""

    delta_negative_infinite: float
    delta_positive_infinite: float
    #: Missing (NaN) on either side, sentinels included, or undefined.
    missing: float


class Fact(TypedDict):
    """One telling fact with the size of its effect (facts are ranked by it)."""

    #: The subject of the sentence, for programs that select facts.
    kind: str
    #: A headline, with its figure and what it is compared with.
    text: str
    #: A number ≥ 0 by which facts are ranked; 1 is worth a sentence.
    weight: float
    #: For facts that one part of the run is further off than the rest; such a fact is reported only if p ≤ 0.05.
    evidence: NotRequired[FactEvidence]


class FactEvidence(TypedDict):
    #: The part: a step, rank, turn, tenth of the response (from 0) or name.
    subject: str | float
    #: By permutation, adjusted for all parts tested together.
    p: float
    #: Mean |Δ| of the part against the rest.
    factor: float
    #: 95 %, over prompts; null if there are too few or one holds too much.
    interval: FactEvidenceInterval | None
    #: Smallest and largest factor with any one prompt left out.
    leave_one_out: FactEvidenceLeaveOneOut


class FactEvidenceInterval(TypedDict):
    low: float
    high: float


class FactEvidenceLeaveOneOut(TypedDict):
    low: float
    high: float


class Finding(TypedDict):
    """A counted observation about the input."""

    #: The kind of finding, for programs.
    code: Literal[
        "sentinel",
        "suspicious-zero",
        "non-finite",
        "positive-logprob",
        "non-binary-mask",
        "mask-guessed",
        "empty-mask",
        "length-mismatch",
        "bad-row",
        "partial-line",
        "file-skipped",
        "one-sided",
        "texts-part",
        "sides-differ",
        "duplicate",
        "identical-rows",
        "no-data",
        "constant-logprobs",
        "same-columns",
        "shifted-columns",
        "padding-side",
        "zero-logprobs",
        "padding-counted",
        "masks-disagree",
        "logged-differs",
        "ids-differ",
        "token-id",
        "invalid-text",
        "retokenised",
        "no-response",
        "empty-text",
        "unknown-token",
        "text-differs",
        "policy-skipped",
        "text-refused",
        "vocabulary",
        "note",
    ]
    #: `skipped` makes the exit status 4; the others do not.
    severity: Literal["info", "warning", "skipped"]
    #: What was found, with numbers; one sentence without a full stop.
    message: str
    #: Tokens, rows or files concerned, as the message says.
    count: float
    #: The first place where it occurred.
    at: Place
    #: The probable cause, without a full stop.
    likely: NotRequired[str]
    #: What to try next, in the imperative.
    hint: NotRequired[str]
    #: Absent if nothing was left out.
    omits: NotRequired[Omission]
    #: For `sides-differ`, what they differ in.
    sides: NotRequired[StatedSides]


class Finite(TypedDict):
    """What is not finite in a run."""

    #: First what breaks the run, then what lasts to its end. Empty if everything is finite.
    found: list[NonFinite]
    #: What is not finite, and when; null if everything is finite.
    sentence: str | None
    #: Tokens with mask 1 in none of the figures although the source has numbers for them: placeholders such as -9999,
    #: positive numbers, and tokens that a shift left without an entry.
    read_as_missing: float


class FirstErrorFigures(TypedDict):
    checkpoint: str
    #: Wrong texts whose first error is known.
    texts: float
    #: This many tokens before the one that announces the error, and after the first wrong one, count as at the error.
    window: float
    #: Share of texts with a spike at the error.
    spike_at_error: float
    #: Texts that announce another result besides the wrong one: only these can be tested.
    tested: float
    #: Share of the tested texts with a spike at the error.
    tested_at_error: float | None
    #: The share expected if the error were any one of the results that its text announces.
    expected: float | None
    #: One-sided, exact: the error is permuted among its text's announced results.
    p_value: float | None
    adjusted_p_value: float | None
    kl_at_error: float | None
    kl_elsewhere: float | None
    #: Tokens from the error to the nearest spike, negative before it, 0 within it; median over texts.
    median_distance: float | None
    #: Share of spikes at or after the error.
    spikes_after: float | None


class Fix(TypedDict):
    """What to change, in the terms of one trainer or engine."""

    #: `verl`, `vllm`, …; null for any trainer.
    trainer: str | None
    #: The line of config, the flag, or the change in code; what to do if there is nothing to paste.
    line: str
    #: Whether `line` can be pasted; else it is a phrase.
    is_code: bool
    #: What it does, and what to keep in mind.
    note: str


class GateCheck(TypedDict):
    """One figure that was judged."""

    #: As conditions write it: `k3`, `per_step.k3[30]`, `mean(logged.actor/kl)`.
    metric: str
    #: `corridor`: learned from a history of runs; `limit`: a condition written by the user.
    kind: Literal["corridor", "limit"]
    #: The step of the value, the worst of several; null if it describes the whole run.
    step: float | None
    #: Null if the run lacks the figure, and for the verdict.
    value: float | None
    #: Over prompts, at a confidence of 1 − `alpha`; null where the report gives none.
    interval: GateCheckInterval | None
    #: The allowed range of the figure; null for an open end.
    corridor: GateCheckCorridor | None
    #: Its share of the chance of a false alarm.
    alpha: float
    #: The condition of a limit.
    condition: str | None
    outcome: Literal["too_few", "undecidable", "missing", "pass", "fail", "non_finite"]
    #: One sentence without a full stop.
    reason: str
    #: Its line in the baseline file, from 1.
    line: float | None


class GateCheckCorridor(TypedDict):
    low: float | None
    high: float | None


class GateCheckInterval(TypedDict):
    low: float
    high: float


class GateReport(TypedDict):
    """What `logratio gate --json` prints."""

    #: Version of this shape; a change that breaks readers raises it.
    schemaVersion: Literal[2]
    #: Identifies results that are read from files.
    kind: Literal["gate"]
    #: Name of the run: the directory or file that was given.
    run: str
    #: The answer about the run, that of `report`.
    assessment: Assessment
    #: Whether every check passed; includes undecidable ones if `allow_undecidable`.
    passed: bool
    #: Chance that a run like those in the history fails any corridor, and also that any limit that the run meets is
    #: judged as failed.
    alpha: float
    #: Whether undecidable checks pass.
    allow_undecidable: bool
    #: The baseline that corridors come from; null without one.
    baseline: GateReportBaseline | None
    #: Every check, with what was found and what is allowed.
    checks: list[GateCheck]
    #: Findings of reading, with counts and first places.
    findings: list[Finding]


class GateReportBaseline(TypedDict):
    file: str | None
    runs: float
    checks: float


class GradientFigures(TypedDict):
    """Gradient times input of D(checkpoint‖reference) at the largest spikes after a text's first error, with respect to
    every token before them: the rate at which the KL changes when that token's embeddings are scaled under both
    policies. Shares are of Σ |gradient × input| over all those tokens, mean over spikes, then over texts and
    problems.
    """

    checkpoint: str
    #: Wrong texts whose first error is known and is followed by a spike.
    texts: float
    problems: float
    spikes: float
    #: Share on the tokens from the `=` that announces the error to the first wrong one.
    to_error: float
    #: Share on as many tokens right before the error; null if no text has them.
    to_control: float | None
    #: The error's share of the number of tokens: what an even spread would give.
    even: float
    #: Σ gradient × input over the error's tokens, nats: above 0, the KL would fall if they weighed less.
    at_error: float
    #: `to_error` − `to_control`.
    against_control: PairedDifference | None


class GradientReport(TypedDict):
    #: Tokens of the figures without a finite advantage; and those whose ρ overflows (Δ > 709.78).
    tokens_without_advantage: float
    tokens_overflowed: float
    #: Largest |A|·|ρ − 1|.
    impact_max: float
    #: Smallest and largest `k3_share_at_zero` without any one prompt (or sequence, if prompts are unknown).
    k3_share_at_zero_leave_one_out: list[float] | None
    #: Number of prompts, or of sequences if prompts are unknown.
    clusters: float
    #: How many of the run's worst tokens by |Δ|, at most ten, have advantage 0.
    worst_tokens_at_zero: GradientReportWorstTokensAtZero
    #: What that means, in words; null if it does not hold reliably.
    sentence: str | None
    #: Largest impact first.
    worst_tokens: list[GradientToken]
    worst_sequences: list[GradientSequence]
    per_step: list[StepGradient]
    #: Tokens with mask 1, finite log-probs and advantage, and ρ that does not overflow.
    tokens: float
    #: The share of these with A = 0: they add nothing to the policy gradient.
    zero_advantage_share: float
    #: Shares of Σ k3 and of Σ|Δ| on those.
    k3_share_at_zero: float
    delta_abs_share_at_zero: float
    #: Mean |A|.
    advantage_abs_mean: float
    #: Means of the impact |A|·|ρ − 1| and of A·(ρ − 1), in units of the advantage.
    impact_mean: float
    impact_signed_mean: float
    #: Σ|A||ρ − 1| / Σ|A|: how far off the weights of the gradient's terms are.
    impact_relative: float
    #: Σ A(ρ − 1) / Σ|A|: how much the sum of A·ρ differs from that of A.
    surrogate_change: float


class GradientReportWorstTokensAtZero(TypedDict):
    of: float
    zero: float


class GradientSequence(TypedDict):
    """A sequence ranked by its Σ|A||ρ − 1|."""

    #: Over its tokens with an advantage.
    advantage_mean: float
    #: Σ|A||ρ − 1| and Σ A(ρ − 1).
    impact: float
    impact_signed: float
    #: Share of the run's Σ|A||ρ − 1|.
    impact_share: float
    #: Training step; null where the source names none.
    step: float | None
    #: Mean |Δ| of its tokens, nats.
    delta_abs_mean: float
    #: `s12.r3.q41`.
    handle: str
    #: Count of tokens with mask 1 and two finite log-probs.
    tokens: float
    #: ΣΔ over its tokens, nats: the log of the product of ratios.
    delta_sum: float
    #: Reward, in the task's own unit; null where it is not known.
    reward: float | None
    #: The file that it was read from.
    file: str


class GradientToken(TypedDict):
    """A token whose weight in the gradient the mismatch distorts most."""

    #: Absent if its batch has none; NaN (null in JSON) if it is missing.
    advantage: float
    #: A·(ρ − 1).
    impact: float
    #: `s12.r3.q41.t880`.
    handle: str
    #: Training step; null if the source names none.
    step: float | None
    #: Data-parallel rank; null if the source names none.
    rank: float | None
    #: Row in its batch or file, counted from 0.
    sequence: float
    #: Index in the response.
    token: float
    #: Turn, counted from 0.
    turn: float
    #: Vocabulary id; null if the source has none.
    token_id: float | None
    #: Δ = trainer − rollout, nats.
    delta: float
    #: Log-prob under the rollout policy, nats.
    rollout_logprob: float
    #: Log-prob under the trainer policy, nats.
    trainer_logprob: float
    #: The file that it was read from.
    file: str


class GroupKl(TypedDict):
    problems: float
    texts: float
    mean_kl: float
    std_kl: float
    spikes_mean: float
    mean_delta: float | None


class HiddenFigures(TypedDict):
    """D(checkpoint‖reference) of the tokens after the error if they cannot attend to some tokens, under both policies."""

    problems: float
    #: With nothing hidden.
    kl: float
    kl_without_error: float
    #: With as many tokens right before the error hidden instead; null if no text has them.
    kl_without_control: float | None
    #: `kl_without_error` − `kl`.
    difference: PairedDifference
    #: `kl_without_error` − `kl_without_control`.
    against_control: PairedDifference | None


class Histogram(TypedDict):
    """Bars of a histogram: `counts[i]` values lie in [edges[i], edges[i + 1])."""

    edges: list[float]
    counts: list[float]


class IdentityFailure(TypedDict):
    """A test that the run fails, in words."""

    test: Literal["unit_mean", "half_variance", "surprisal"]
    #: Null if the run as a whole fails.
    part: IdentityFailurePart | None
    #: One sentence: the figure, what it should be, what it means.
    text: str


class IdentityFailurePart(TypedDict):
    kind: Literal["turn", "environment", "rank", "step"]
    names: list[str]


class IdentityFigure(TypedDict):
    """A mean with a known correct value, and how far off it is. NaN (null in JSON) if the data do not say."""

    value: float
    #: Distance in standard errors, over clusters.
    z: float
    tokens: float
    clusters: float


class IdentityReport(TypedDict):
    #: −2 · mean Δ / mean Δ², about 1 for small Δ.
    half_variance: IdentityReportHalfVariance
    #: What z treats as independent draws: prompts with all their samples, or sequences if a prompt is not known.
    unit: Literal["prompt", "sequence"]
    #: Why failures are not reported; null if the tests are judged.
    not_judged: str | None
    #: Chance that a healthy run fails one of the tests of the whole, and also that it fails any test of its parts.
    false_alarm_rate: float
    failures: list[IdentityFailure]
    per_step: list[IdentityReportPerStep]
    per_turn: list[IdentityReportPerTurn]
    per_rank: list[IdentityReportPerRank]
    per_environment: list[IdentityReportPerEnvironment]
    #: Mean ρ, which should be 1.
    unit_mean: IdentityFigure
    #: Mean surprisal − mean entropy of the rollout policy, nats, which should be 0; null without entropies.
    surprisal: IdentityFigure | None


class IdentityReportHalfVariance(TypedDict):
    value: float
    #: 95 %, over clusters; NaN if there are too few.
    low: float
    high: float


class IdentityReportPerEnvironment(TypedDict):
    #: Mean ρ, which should be 1.
    unit_mean: IdentityFigure
    #: −2 · mean Δ / mean Δ², about 1 for small Δ.
    half_variance: IdentityReportPerEnvironmentHalfVariance
    #: Mean surprisal − mean entropy of the rollout policy, nats, which should be 0; null without entropies.
    surprisal: IdentityFigure | None
    name: str


class IdentityReportPerEnvironmentHalfVariance(TypedDict):
    value: float


class IdentityReportPerRank(TypedDict):
    #: Mean ρ, which should be 1.
    unit_mean: IdentityFigure
    #: −2 · mean Δ / mean Δ², about 1 for small Δ.
    half_variance: IdentityReportPerRankHalfVariance
    #: Mean surprisal − mean entropy of the rollout policy, nats, which should be 0; null without entropies.
    surprisal: IdentityFigure | None
    rank: float


class IdentityReportPerRankHalfVariance(TypedDict):
    value: float


class IdentityReportPerStep(TypedDict):
    #: Mean ρ, which should be 1.
    unit_mean: IdentityFigure
    #: −2 · mean Δ / mean Δ², about 1 for small Δ.
    half_variance: IdentityReportPerStepHalfVariance
    #: Mean surprisal − mean entropy of the rollout policy, nats, which should be 0; null without entropies.
    surprisal: IdentityFigure | None
    step: float | None


class IdentityReportPerStepHalfVariance(TypedDict):
    value: float


class IdentityReportPerTurn(TypedDict):
    #: Mean ρ, which should be 1.
    unit_mean: IdentityFigure
    #: −2 · mean Δ / mean Δ², about 1 for small Δ.
    half_variance: IdentityReportPerTurnHalfVariance
    #: Mean surprisal − mean entropy of the rollout policy, nats, which should be 0; null without entropies.
    surprisal: IdentityFigure | None
    turn: float


class IdentityReportPerTurnHalfVariance(TypedDict):
    value: float


class Interval(TypedDict):
    """A 95 % interval of a pooled figure over the prompts that might have been drawn; see docs/statistics.md."""

    #: NaN (null in JSON) if the data allow no interval: then `reason` says why.
    low: float
    high: float
    #: `cluster-t`: linearized over clusters, Student's t; `cluster-gamma`: a rate of rare events that come in clusters.
    method: Literal["cluster-t", "cluster-gamma"]
    #: The sampling unit: prompts with all their samples, or sequences if a prompt is not known.
    unit: Literal["prompt", "sequence"]
    clusters: float
    reason: str | None
    #: If there is no interval: the smallest and the largest value of the figure with one cluster left out.
    leave_one_out: list[float] | None
    #: If there is no interval: what it would be. Its coverage is below its level; a gate assumes at least this width.
    withheld: NotRequired[list[float]]


class KlAlternative(TypedDict):
    token: str
    token_id: float
    probability: float


class KlAnswer(TypedDict):
    question: str
    answer: str
    #: Whether the data support it: "yes", "no", "not enough data".
    support: Literal["yes", "no", "not enough data", "descriptive"]


class KlComparison(TypedDict):
    """Two checkpoints on the same problems: problem means of KL to the reference, paired."""

    kind: Literal["baseline", "consecutive", "first-last"]
    a: str
    b: str
    problems: float
    #: Mean of b − a.
    mean_difference: float
    median_difference: float
    #: 95 %, over problems: the range for these two checkpoints on other problems; null for fewer than six.
    interval: KlInterval | None
    #: Wilcoxon's signed-rank test, two-sided, of the median change, not of `mean_difference`; exact for up to 25
    #: problems that differ.
    statistic: float | None
    p_value: float | None
    #: Holm's correction over all comparisons.
    adjusted_p_value: float | None
    rank_biserial: float | None
    significant: bool


KlCorrelation = TypedDict(
    "KlCorrelation",
    {
        "checkpoint": "str",
        #: What a problem's mean KL (or spikes) is correlated with.
        "with": 'Literal["correctness", "outcome", "level", "response_length", "reference_entropy"]',
        "of": 'Literal["mean_kl", "spikes"]',
        "method": 'Literal["spearman", "point-biserial"]',
        "problems": "float",
        "coefficient": "float",
        "interval": "KlInterval | None",
        "p_value": "float",
        #: Benjamini-Hochberg over all correlations.
        "adjusted_p_value": "float",
        "significant": "bool",
    },
)


class KlInterval(TypedDict):
    low: float
    high: float


class KlMetrics(TypedDict):
    """The last checkpoint's figures and the size of the study, flat."""

    checkpoints: float
    problems: float
    texts: float
    tokens: float
    masked_out_tokens: float
    vocabulary_size: float | None
    last_checkpoint: str
    mean_kl: float | None
    std_kl: float | None
    mean_reverse_kl: float | None
    mean_js: float | None
    mean_entropy: float | None
    spikes_total: float
    spikes_mean: float


class KlPolicy(TypedDict):
    role: Literal["reference", "checkpoint", "baseline"]
    #: Training step, from the name's digits or the config.
    step: float | None
    stage: str | None
    backend: str
    location: str
    model: str | None
    logprobs: Literal["raw", "processed"]
    temperature: float
    notes: list[str]


class KlReport(TypedDict):
    """What `logratio kl` prints with `--json`: what training changed, token by token."""

    #: Version of this format; increased when a field changes its meaning or is removed.
    schemaVersion: Literal[1]
    #: The kind of result.
    kind: Literal["kl"]
    #: The study's name in the config, else its directory.
    study: str
    #: Name of the policy that every checkpoint is compared with.
    reference: str
    #: How scores were analyzed: spikes, categories, significance, seed.
    settings: KlSettings
    #: The last checkpoint's figures and the size of the study.
    metrics: KlMetrics
    #: By name, the reference among them: where each ran, and what its log-probs are.
    policies: dict[str, KlPolicy]
    #: By name, in training order: baselines first, then by step.
    checkpoints: dict[str, CheckpointFigures]
    #: By checkpoint, then category.
    categories: dict[str, dict[str, CategoryFigures]]
    #: Null for fewer than two checkpoints that have a step.
    progression: Progression | None
    #: Pairs other than checkpoint against reference.
    pairs: list[PairFigures]
    #: Tests of two checkpoints on the same problems.
    comparisons: list[KlComparison]
    #: Of problems: their KL or spikes with what else is known of them.
    correlations: list[KlCorrelation]
    #: Figures of right and of wrong texts; empty if correctness is unknown.
    correctness: list[CorrectnessFigures]
    #: The first real error of wrong texts against the spikes; empty if no error is known.
    first_errors: list[FirstErrorFigures]
    #: Attention to the first error of wrong texts; empty if no attention is known.
    attention: list[AttentionFigures]
    #: What the KL at spikes after the first error of wrong texts depends on; empty if no gradients are known.
    gradients: list[GradientFigures]
    #: How often the right answer follows when a policy continues freely from within a wrong text; empty if nothing was
    #: sampled.
    continuations: list[ContinuationFigures]
    #: By checkpoint.
    spike_distribution: dict[str, list[SpikeRange]]
    #: By checkpoint: problems with the most spikes, and with the most KL.
    top_problems: dict[str, TopProblems]
    #: Tokens by text at the last checkpoint, most KL first.
    top_tokens: list[TokenFigures]
    #: The largest spikes at the last checkpoint.
    top_spikes: list[SpikeFigures]
    #: Every spike of every text, by checkpoint, in the order of the texts and of their tokens; null unless requested
    #: (`--spikes all`). A checkpoint's list is as long as its `spikes_total`.
    all_spikes: dict[str, list[ListedSpike]] | None
    #: Texts over all checkpoints, token by token.
    cases: list[CaseStudy]
    #: The short answers: at which tokens, of which kind, since which checkpoint, and whether a test supports it.
    answers: list[KlAnswer]
    #: What these figures do not show, as far as it applies here.
    caveats: list[str]
    #: Figures that are null or empty, and why; one line each.
    absent: list[str]
    #: Findings from scoring and reading, including what was left out.
    findings: list[Finding]


class KlSettings(TypedDict):
    spikes: KlSettingsSpikes
    categories: list[str]
    #: Significance level after correction.
    alpha: float
    bootstrap_replicates: float
    seed: float
    #: The token that a value is about: the one at its position or, in RL-Probe's alignment, the next.
    alignment: Literal["predicted-token", "rl-probe"]


class KlSettingsSpikes(TypedDict):
    method: Literal["zscore", "percentile", "adaptive"]
    #: z-score or multiple of the local standard deviation.
    threshold: float
    #: Tokens.
    min_distance: float
    percentile: float


class LeanDivergenceRecord(TypedDict):
    """A record of `--lean`: an absent field is unknown, or not kept in lean records."""

    #: Rank among the tokens of the iteration; 0 is the most divergent.
    rank: float
    #: Response token, counted from 0.
    position: float
    #: Row of the sequence in its batch, counted from 0.
    batch_idx: float
    #: |rollout_prob − actor_prob|.
    prob_divergence: float
    #: Training step; null if not known.
    iteration: NotRequired[float | None]
    #: `sequence_length` − 1 − `position`.
    position_from_end: NotRequired[float]
    #: Columns of the padded batch; the sequence's own tokens if the source is not padded.
    sequence_length: NotRequired[float]
    #: Vocabulary id; null if the source has none.
    token_id: NotRequired[float | None]
    #: The token as Python's repr writes it; null without a tokenizer.
    token_text: NotRequired[str | None]
    #: The decoded token itself; null without a tokenizer, and if it cannot be decoded.
    token_plain: NotRequired[str | None]
    #: Probability under the rollout policy, a fraction.
    rollout_prob: NotRequired[float]
    #: Probability under the trainer policy, a fraction.
    actor_prob: NotRequired[float]
    #: May be -Infinity, which is null in JSON.
    rollout_logprob: NotRequired[float]
    #: Log-prob under the trainer policy, nats; may be -Infinity.
    actor_logprob: NotRequired[float]
    #: |rollout_logprob − actor_logprob|.
    logprob_diff: NotRequired[float]
    #: Which policy is confident in what the other rejects; null if neither is.
    flip_type: NotRequired[
        Literal["rollout_confident_actor_rejects", "actor_confident_rollout_rejects", "large_disagreement"] | None
    ]
    #: Whether the response is right; null if not known.
    is_correct: NotRequired[bool | None]
    #: Reward of the sequence; null if not known.
    total_score: NotRequired[float | None]
    #: Position that the trainer gave the model; null if not known.
    position_id: NotRequired[float | None]
    #: Replaces `position_id` if positions have several dimensions.
    position_ids: NotRequired[list[float]]
    #: Attention mask at the token; null if the source has none.
    attention_mask_value: NotRequired[float | None]
    #: Number of padding tokens before the prompt; null if the source is not padded.
    num_prompt_padding_tokens: NotRequired[float | None]
    #: Columns of the prompt; null if the source is not padded.
    prompt_length_with_padding: NotRequired[float | None]
    #: Number of the prompt's tokens that are not padding; null if not known.
    prompt_length_without_padding: NotRequired[float | None]
    #: Whether the token's text alone tokenizes to this token.
    reencodes_to_same_id: NotRequired[bool | None]
    #: What the text tokenizes to, if that is another token or several.
    reencoded_ids: NotRequired[list[float]]
    #: The id at the same place in `input_ids`; null if the source has none.
    input_ids_token_id: NotRequired[float | None]
    #: Whether `responses` and `input_ids` have the same id here; null if one is missing.
    tokens_match: NotRequired[bool | None]
    #: Describes the difference, if they differ.
    WARNING: NotRequired[str]
    #: Text of the other id, if they differ.
    input_ids_token_text: NotRequired[str]
    #: Text of the tokens around it, as repr; null without a tokenizer.
    context_text: NotRequired[str | None]
    #: Positions `[start, end)` that `context_text` covers.
    context_start_pos: NotRequired[float]
    #: Position after the last one that `context_text` covers.
    context_end_pos: NotRequired[float]
    #: Text of the prompt, as repr; null without a tokenizer.
    prompt_text: NotRequired[str | None]
    #: Number of the prompt's tokens; null if not known.
    prompt_num_tokens: NotRequired[float | None]
    #: Text of the response, as repr, cut at the option's length; null without a tokenizer.
    full_response: NotRequired[str | None]
    #: Tokens with mask 1.
    response_num_tokens: NotRequired[float]
    #: Why a text could not be decoded, if so.
    decode_error: NotRequired[str]
    #: Entropy of the rollout policy here, nats; null if not known.
    rollout_entropy: NotRequired[float | None]
    #: Entropy of the trainer policy here, nats; null if not known.
    actor_entropy: NotRequired[float | None]
    #: The rollout policy's most probable tokens; null if not known.
    rollout_top5: NotRequired[list[TokenAlternative] | None]
    #: The trainer policy's most probable tokens; null if not known.
    actor_top5: NotRequired[list[TokenAlternative] | None]
    #: Advantage of the token; null if not known.
    advantage: NotRequired[float | None]
    #: Reward of this token; the sequence's is `total_score`.
    reward: NotRequired[float | None]
    #: `s12.r0.q41.t880`; null for a batch in memory.
    handle: NotRequired[str | None]
    #: The file that it was read from; null for a batch in memory.
    file: NotRequired[str | None]
    #: Over all the iteration's responses with known correctness, logged or not: their number, the share of correct
    #: ones, and the share of response tokens (mask 1) in correct ones. Absent if no correctness is known, and in a
    #: padded batch in memory.
    iteration_responses: NotRequired[float]
    #: Share of correct responses, a fraction.
    iteration_accuracy: NotRequired[float]
    #: Share of response tokens in correct responses, a fraction.
    iteration_correct_tokens: NotRequired[float]
    #: Identifies a token with its log-probs, wherever it was read from; null for batches in memory.
    record_id: NotRequired[str | None]


class LeftOut(TypedDict):
    """Something in none of the figures."""

    #: A sentence with its numbers.
    what: str
    count: float
    severity: Literal["info", "warning", "skipped"]
    #: Where it first occurred, if that is one file.
    file: NotRequired[str]
    unit: Literal["sequence", "file", "token", "batch", "input"]
    why: Literal["unreadable", "incomparable", "repeated", "no_data", "by_name", "requested", "waiting"]


class LegFigures(TypedDict):
    """The difference over one leg of three columns, on tokens where both ends are known."""

    name: Literal["trainer", "decode"]
    tokens: float
    delta_mean: float
    delta_abs_mean: float
    delta_abs_max: float
    #: mean(e^Δ − Δ − 1).
    k3: float
    #: Share of the tokens whose Δ is exactly 0.
    equal_share: float


class ListedSpike(TypedDict):
    """A spike in the list of all of them: where it is, and how large."""

    #: `q12.t40`: text number in the study, response token.
    handle: str
    text: str
    problem: str
    #: Response token, counted from 0 over the whole response, including tokens with mask 0.
    position: float
    token: str
    token_id: float
    category: str
    #: The third of the text's tokens with mask 1 in which it lies.
    region: Literal["early", "mid", "late"]
    #: D(checkpoint‖reference), nats; its lower bound if only bounds are known.
    kl: float
    #: z-score over the text's whole series, whatever the method.
    zscore: float | None


class MismatchMetrics(TypedDict):
    """Figures pooled over all masked tokens of what they describe (the whole input, a step, a turn, …)."""

    #: Count of sequences that the tokens came from.
    sequences: float
    #: Masked tokens with both log-probs finite; all figures below are over these.
    tokens: float
    #: Mean of Δ = log p_trainer − log p_rollout.
    delta_mean: float
    #: Population standard deviation of Δ.
    delta_std: float
    #: Smallest Δ.
    delta_min: float
    #: Largest Δ.
    delta_max: float
    #: Mean of |Δ|.
    delta_abs_mean: float
    #: Largest |Δ|.
    delta_abs_max: float
    #: Median of |Δ|, within 1 %.
    delta_abs_p50: float
    #: 99 % quantile of |Δ|, within 1 %.
    delta_abs_p99: float
    #: 99.9 % quantile of |Δ|, within 1 %.
    delta_abs_p999: float
    #: k1 = mean(−Δ), k2 = mean(Δ²)/2, k3 = mean(e^Δ − Δ − 1): estimators of KL(rollout ‖ trainer).
    k1: float
    #: Mean of Δ²/2.
    k2: float
    #: Mean of e^Δ − Δ − 1, summed in this form.
    k3: float
    #: mean(ρ²) − 1 with ρ = e^Δ.
    chi2_token: float
    #: Mean of ρ = e^Δ.
    ratio_mean: float
    #: Population standard deviation of ρ.
    ratio_std: float
    #: Mean of |exp(trainer) − exp(rollout)|.
    prob_diff_mean: float
    #: Largest |exp(trainer) − exp(rollout)|.
    prob_diff_max: float
    #: Standard deviation of |exp(trainer) − exp(rollout)|.
    prob_diff_std: float
    #: Correlation between exp(rollout) and exp(trainer).
    pearson: float
    #: (Σρ)² / (n Σρ²), a fraction of the tokens.
    ess: float
    #: Perplexity exp(−mean log p) over the pooled tokens, under either policy.
    rollout_ppl: float
    #: Perplexity under the trainer, without unit.
    trainer_ppl: float


class MismatchReport(TypedDict):
    """What `logratio report --json` prints."""

    #: Version of this shape; readers of an older one refuse a newer.
    schemaVersion: Literal[2]
    #: Identifies results that are read from files.
    kind: Literal["report"]
    #: Name of the run: the directory or file that was given.
    run: str
    #: Trainers whose files were read.
    trainers: list[str]
    #: The figures over all masked tokens.
    metrics: ReportMetrics
    #: 95 % intervals over prompts, by metric name.
    intervals: dict[str, Interval]
    #: The answer about the run; `verdict` is one of its inputs.
    assessment: Assessment
    #: How large the mismatch is by published baselines, with the readings behind it.
    verdict: Verdict
    #: What must hold for the rollout log-probs whatever the trainer's weights are.
    identity: IdentityReport
    #: Whether means of ratios can be trusted.
    trust: TrustReport
    #: Changes over the steps, as `view --follow` reports them.
    watch: WatchReport
    #: What stands out, one headline each.
    facts: list[Fact]
    #: The command worth running next.
    next: SuggestedCommand
    #: The command that finds a correction for training in the meantime; null if none is needed.
    correct: SuggestedCommand | None
    #: Moments and quantiles of Δ and |Δ| in nats, of |Δp| and of ρ.
    distributions: MismatchReportDistributions
    #: Counts of tokens by Δ, by |Δp|, and by Δ separately for right and wrong answers.
    histograms: MismatchReportHistograms
    #: P(|Δ| > τ) over thresholds τ in nats.
    tail_curve: list[TailPoint]
    #: Tokens with positive Δ and tokens with negative Δ, separately.
    tails: MismatchReportTails
    #: Figures of whole sequences: products and means of ratios.
    sequence_metrics: SequenceMetrics
    #: The figures by step, in the order of steps.
    per_step: list[StepMetrics]
    #: The figures by turn, counted from 0.
    per_turn: list[TurnMetrics]
    #: The figures by data-parallel rank.
    per_rank: list[RankMetrics]
    #: The figures by environment.
    per_environment: list[NamedMetrics]
    #: The figures of correct and of incorrect responses.
    per_correctness: list[NamedMetrics]
    #: By engine or replica that sampled the sequence; empty if none is known.
    per_engine: list[NamedMetrics]
    #: By finish reason; empty if none is known.
    per_finish_reason: list[NamedMetrics]
    #: Empty without weight versions or steps.
    per_staleness: list[StalenessMetrics]
    #: One for each of these three kinds with too many parts to list; usually empty.
    pooled_parts: list[PooledPartMetrics]
    #: Prompt tokens that both sides of two joined files scored, in none of the other figures; absent if there are none.
    prompts: NotRequired[MismatchMetrics]
    #: The figures by tenth of the response.
    per_position_decile: list[PositionDecile]
    #: The figures by probability of the token under the rollout policy.
    per_rollout_probability: list[ProbabilityBucket]
    #: The token ids with the largest share of Σ k3.
    per_token_id: list[TokenIdMetrics]
    #: Tokens with the largest |Δ|, the largest first.
    worst_tokens: list[WorstToken]
    #: Sequences with the largest |ΣΔ|, the largest first.
    worst_sequences: list[WorstSequence]
    #: How much of the mismatch reaches the policy gradient; null if no token has an advantage.
    gradient: GradientReport | None
    #: What trainers log for the same data, under their own keys.
    parity: list[ParityBlock]
    #: Tokens in none of the figures, counted by reason.
    excluded: ExcludedTokens
    #: Everything that is in none of the figures, from `excluded` and findings; the exit status is 4 if and only if one
    #: is `skipped`.
    left_out: list[LeftOut]
    #: Findings of reading, with counts and first places.
    findings: list[Finding]
    #: Every file that was read, and how.
    sources: list[SourceSummary]
    #: Metrics logged by the trainer, compared with the dumps; absent if no such file was given.
    logged: NotRequired[SeriesReport]


class MismatchReportDistributions(TypedDict):
    delta: Distribution
    delta_abs: Distribution
    prob_diff_abs: Distribution
    ratio: Distribution


class MismatchReportHistograms(TypedDict):
    #: Signed-logarithmic bars of Δ.
    delta: Histogram
    #: Logarithmic bars of |Δp|.
    prob_diff_abs: Histogram
    #: Right and wrong answers separately; empty unless there are both.
    by_correctness: list[CorrectnessSpread]


class MismatchReportTails(TypedDict):
    positive: Tail
    negative: Tail


class MissingSide(TypedDict):
    """What prevents a comparison, and what to do about it."""

    side: Literal["rollout", "trainer"]
    message: str
    likely: str | None
    #: Lines to follow: the trainer's switch, or code that writes both sides.
    hint: str | None


class MistakeEvent(TypedDict):
    """The same mistake in one prompt's answers: the same token after the same ones, or neighboring tokens in one
    answer, or (if token ids are not known) the same position.
    """

    #: Identifies the mistake, 14 hexadecimal digits.
    key: str
    #: Handle of the token with the largest |Δ|: `s12.r3.q41.t880`.
    handle: str
    file: str
    #: Ascending; empty if the source names none.
    steps: list[float]
    #: Tokens of the mistake.
    tokens: float
    #: Answers that have it.
    answers: float
    #: Answers to the prompt at those steps; null if prompts are not known.
    of_answers: float | None
    #: How many of `answers` are right, and wrong.
    answers_right: float
    answers_wrong: float
    #: Turn of the token, from 0.
    turn: float
    #: Place of the token in the response.
    token: float
    #: Σ|Δ| over its tokens, and its share of the run's.
    delta_abs_sum: float
    delta_abs_share: float
    #: Σ k3 over its tokens, and its share of the run's; null if it overflows.
    k3_sum: float | None
    k3_share: float | None
    #: Σ|A||ρ − 1| over its tokens, in units of the advantage: 0 if A is 0, null if no A is known.
    reaches_gradient: float | None
    #: Its share of the run's.
    gradient_share: float | None
    #: Of the token.
    token_id: float | None
    #: Δ = trainer − rollout.
    delta: float
    rollout_logprob: float
    trainer_logprob: float
    advantage: float | None
    #: Token ids around it; null if the source has none, or if they were not kept.
    context: EventContext | None
    #: The same as text; null without a tokenizer if the source has ids.
    text: EventText | None
    #: What the policies would have written, including the sampled token, likeliest first.
    alternatives: list[EventAlternative]


class MistakeEvents(TypedDict):
    #: How `list` is ranked: `gradient` if some mistake has a non-zero advantage.
    rank: Literal["gradient", "raw"]
    #: At most five, the most important first. Empty if no ratio is outside [½, 2].
    list: list[MistakeEvent]
    #: The same by Σ|Δ|, regardless of what reaches the gradient.
    by_raw: list[MistakeEvent]
    #: Total number of mistakes.
    count: float
    #: |Δ| from which a token counts, about ln 2: its ratio is outside [½, 2].
    delta_abs_from: float
    #: Number of tokens of that size.
    tokens: float
    #: Number of tokens that mistakes are built from: the largest by |Δ| and by |A||ρ − 1|. If fewer than `tokens`,
    #: counts are lower bounds.
    tokens_kept: float


class NamedMetrics(TypedDict):
    #: Count of sequences that the tokens came from.
    sequences: float
    #: Masked tokens with both log-probs finite; all figures below are over these.
    tokens: float
    #: Mean of Δ = log p_trainer − log p_rollout.
    delta_mean: float
    #: Population standard deviation of Δ.
    delta_std: float
    #: Smallest Δ.
    delta_min: float
    #: Largest Δ.
    delta_max: float
    #: Mean of |Δ|.
    delta_abs_mean: float
    #: Largest |Δ|.
    delta_abs_max: float
    #: Median of |Δ|, within 1 %.
    delta_abs_p50: float
    #: 99 % quantile of |Δ|, within 1 %.
    delta_abs_p99: float
    #: 99.9 % quantile of |Δ|, within 1 %.
    delta_abs_p999: float
    #: k1 = mean(−Δ), k2 = mean(Δ²)/2, k3 = mean(e^Δ − Δ − 1): estimators of KL(rollout ‖ trainer).
    k1: float
    #: Mean of Δ²/2.
    k2: float
    #: Mean of e^Δ − Δ − 1, summed in this form.
    k3: float
    #: mean(ρ²) − 1 with ρ = e^Δ.
    chi2_token: float
    #: Mean of ρ = e^Δ.
    ratio_mean: float
    #: Population standard deviation of ρ.
    ratio_std: float
    #: Mean of |exp(trainer) − exp(rollout)|.
    prob_diff_mean: float
    #: Largest |exp(trainer) − exp(rollout)|.
    prob_diff_max: float
    #: Standard deviation of |exp(trainer) − exp(rollout)|.
    prob_diff_std: float
    #: Correlation between exp(rollout) and exp(trainer).
    pearson: float
    #: (Σρ)² / (n Σρ²), a fraction of the tokens.
    ess: float
    #: Perplexity exp(−mean log p) over the pooled tokens, under either policy.
    rollout_ppl: float
    #: Perplexity under the trainer, without unit.
    trainer_ppl: float
    name: str


class NextExperiment(TypedDict):
    """The most informative experiment, and what each outcome would mean."""

    id: str
    title: str
    #: What to do, step by step; commands have lines of their own.
    steps: list[str]
    #: What to expect for each cause that it separates.
    outcomes: list[NextExperimentOutcomes]
    #: Expected reduction of the entropy over causes.
    expected_information: float


class NextExperimentOutcomes(TypedDict):
    outcome: str
    causes: list[str]


class NextStep(TypedDict):
    """Something to run next."""

    command: str
    why: str


class NonFinite(TypedDict):
    """Values of one column or logged metric that are NaN, null or infinite. Steps are null if not known."""

    #: The side of log-probs, or a logged metric.
    of: Literal["rollout", "trainer", "logged"]
    #: The source's name for the column or the metric; null if it has several names or none.
    name: str | None
    #: Whether it makes the run broken; false for means over what a step may lack, such as rewards or lengths by kind.
    breaks: bool
    #: NaN or null.
    nan: float
    infinite: float
    #: Share of the tokens with mask 1, or of the logged values, in the steps that have such values.
    share: float
    #: The same share in the first of these steps, and in the last.
    share_first: float
    share_last: float
    first_step: float | None
    last_step: float | None
    #: The step from which every step to the end of the run has such values; null if the last step has none.
    since_step: float | None
    #: Steps that have such values, and all steps of the column or the metric.
    steps: float
    steps_all: float
    #: In words: `since step 59`, `in steps 3–4`; null if steps are not known.
    when: str | None


class Omission(TypedDict):
    """Set by findings whose `count` is of data that was left out."""

    unit: Literal["sequence", "file", "token", "batch", "input"]
    why: Literal["unreadable", "incomparable", "repeated", "no_data", "by_name", "requested", "waiting"]


class OwnErrors(TypedDict):
    """Each column's own error, measured by a column of log-probs of the same weights in float32."""

    #: The name of the reference in the record.
    reference: str
    #: Null without a gap, or if the data allow no interval.
    owner: Literal["rollout", "trainer", "both", "shared", "copy"] | None
    #: What intervals were computed over: prompts, if every sequence's is known.
    unit: Literal["prompt", "sequence"]
    clusters: float
    #: Why there are no intervals: `only 7 prompts`; null if there are.
    no_interval: str | None
    #: Least error first.
    columns: list[ColumnError]
    #: Of each two columns; rollout and trainer first.
    pairs: list[ErrorPair]
    #: Counted tokens without a finite value, by column; a token that lacks one is in none of the figures.
    missing: dict[str, float]
    #: Further policies that are in none of the figures, since there are too many.
    columns_left_out: list[str]


class PairedDifference(TypedDict):
    """A mean difference, paired by problem."""

    problems: float
    mean: float
    #: 95 %, over problems; null for fewer than six.
    interval: KlInterval | None
    #: Wilcoxon's signed-rank test, two-sided, of the median, not of `mean`; null for fewer than six problems that
    #: differ, exact up to 25.
    p_value: float | None
    #: Holm's correction over checkpoints.
    adjusted_p_value: float | None
    rank_biserial: float | None
    significant: bool


class PairFigures(TypedDict):
    p: str
    q: str
    problems: float
    tokens: float
    mean_kl: float | None
    std_kl: float | None
    mean_reverse_kl: float | None
    mean_js: float | None
    spikes_mean: float


class Pairing(TypedDict):
    """Which sequences of the two sides belong together, and which do not."""

    #: Number of sequences that found their partner, by how.
    by: dict[str, float]
    sequences: float
    tokens: float
    unpaired_sequences: PairingUnpairedSequences
    #: Share of all tokens with mask 1 of a side that were compared.
    token_share: PairingTokenShare
    #: Sequences whose tokens diverge, and their tokens from there on.
    parted_sequences: float
    parted_tokens: float
    #: Partners with different prompts: not compared.
    other_prompts: float
    #: Tokens with mask 1 on one side only.
    mask_differs: float
    #: Partners found by name whose tokens could not be checked: neither side has ids.
    unchecked_sequences: float


class PairingTokenShare(TypedDict):
    a: float
    b: float


class PairingUnpairedSequences(TypedDict):
    a: float
    b: float


class ParityBlock(TypedDict):
    trainer: str
    #: The code whose formulas and quirks are followed.
    source: str
    #: Over the whole input as one batch (xtuner: merged over packs as xtuner does).
    metrics: dict[str, float]
    discrepancies: list[ParityDiscrepancy]
    #: What a dashboard shows: one value per step.
    per_step: list[ParityBlockPerStep]


class ParityBlockPerStep(TypedDict):
    step: float | None
    metrics: dict[str, float]


class ParityDiscrepancy(TypedDict):
    """A figure as logged by a trainer, next to what it should be."""

    key: str
    logged: float
    correct: float
    reason: str


class Place(TypedDict):
    """Where something was found: only the parts that are known."""

    #: The path, as it was given or found.
    file: NotRequired[str]
    #: A member of an archive, a tensor's name, a column.
    entry: NotRequired[str]
    #: Zero-based row (sequence) within the file.
    row: NotRequired[float]
    #: One-based line within a text file.
    line: NotRequired[float]
    #: Byte offset from the start of the (decompressed) file.
    offset: NotRequired[float]


class PolicyMetrics(TypedDict):
    steps: float
    ranks: float
    turns_max: float
    #: Sequences without one token with mask 1 and a finite log-prob.
    sequences_empty: float
    log_prob_std: float | None
    log_prob_min: float | None
    surprisal_p50: float | None
    surprisal_p90: float | None
    surprisal_p99: float | None
    surprisal_p999: float | None
    surprisal_max: float | None
    #: Mean surprisal − mean entropy, over tokens with known entropy: about 0 if tokens were drawn from it.
    surprisal_entropy_gap: float | None
    zeros: float
    sequences: float
    #: Mean length of all responses, tokens of any mask.
    response_tokens: float | None
    reward: float | None
    accuracy: float | None
    tokens: float
    #: Mean log-prob of the sampled tokens.
    log_prob_mean: float | None
    #: exp(−mean log-prob) over the tokens together.
    ppl: float | None
    #: Mean entropy of the policy's next-token distribution, over tokens where it is known.
    entropy: float | None
    #: Share of tokens whose log-prob is exactly 0: certain, greedy, or a placeholder.
    zero_share: float | None
    #: Mean over sequences of exp(−masked mean log-prob); a sequence without a token counts as 1.
    mismatch_training_ppl: NotRequired[float]
    mismatch_training_log_ppl: NotRequired[float]
    mismatch_rollout_ppl: NotRequired[float]
    mismatch_rollout_log_ppl: NotRequired[float]


class PolicyReport(TypedDict):
    schemaVersion: Literal[1]
    kind: Literal["report"]
    #: The policy whose log-probs are present.
    policies: Literal["rollout", "trainer"]
    run: str
    #: What the files are: `verl generation batch`, else adapter and format.
    what: str
    trainers: list[str]
    missing: MissingSide
    metrics: PolicyMetrics
    per_step: list[PolicyReportPerStep]
    per_environment: list[PolicyReportPerEnvironment]
    per_correctness: list[PolicyReportPerCorrectness]
    per_turn: list[PolicyReportPerTurn]
    #: Response tokens in [from, to), counted from 0; `to` is null for the last.
    per_position: list[PolicyReportPerPosition]
    #: Tokens with a probability in [from, to); the last includes 1.
    per_probability: list[PolicyReportPerProbability]
    unlikely_tokens: list[UnlikelyToken]
    unlikely_sequences: list[UnlikelySequence]
    #: Tokens with mask 1 in none of the figures.
    excluded: PolicyReportExcluded
    next: list[NextStep]
    findings: list[Finding]
    sources: list[SourceSummary]


class PolicyReportExcluded(TypedDict):
    infinite: float
    missing: float


class PolicyReportPerCorrectness(TypedDict):
    sequences: float
    #: Mean length of all responses, tokens of any mask.
    response_tokens: float | None
    reward: float | None
    accuracy: float | None
    tokens: float
    #: Mean log-prob of the sampled tokens.
    log_prob_mean: float | None
    #: exp(−mean log-prob) over the tokens together.
    ppl: float | None
    #: Mean entropy of the policy's next-token distribution, over tokens where it is known.
    entropy: float | None
    #: Share of tokens whose log-prob is exactly 0: certain, greedy, or a placeholder.
    zero_share: float | None
    name: Literal["correct", "incorrect"]


class PolicyReportPerEnvironment(TypedDict):
    sequences: float
    #: Mean length of all responses, tokens of any mask.
    response_tokens: float | None
    reward: float | None
    accuracy: float | None
    tokens: float
    #: Mean log-prob of the sampled tokens.
    log_prob_mean: float | None
    #: exp(−mean log-prob) over the tokens together.
    ppl: float | None
    #: Mean entropy of the policy's next-token distribution, over tokens where it is known.
    entropy: float | None
    #: Share of tokens whose log-prob is exactly 0: certain, greedy, or a placeholder.
    zero_share: float | None
    name: str


PolicyReportPerPosition = TypedDict(
    "PolicyReportPerPosition",
    {
        "tokens": "float",
        #: Mean log-prob of the sampled tokens.
        "log_prob_mean": "float | None",
        #: exp(−mean log-prob) over the tokens together.
        "ppl": "float | None",
        #: Mean entropy of the policy's next-token distribution, over tokens where it is known.
        "entropy": "float | None",
        #: Share of tokens whose log-prob is exactly 0: certain, greedy, or a placeholder.
        "zero_share": "float | None",
        "from": "float",
        "to": "float | None",
    },
)


PolicyReportPerProbability = TypedDict(
    "PolicyReportPerProbability",
    {
        "from": "float",
        "to": "float",
        "tokens": "float",
        "token_share": "float",
    },
)


class PolicyReportPerStep(TypedDict):
    sequences: float
    #: Mean length of all responses, tokens of any mask.
    response_tokens: float | None
    reward: float | None
    accuracy: float | None
    tokens: float
    #: Mean log-prob of the sampled tokens.
    log_prob_mean: float | None
    #: exp(−mean log-prob) over the tokens together.
    ppl: float | None
    #: Mean entropy of the policy's next-token distribution, over tokens where it is known.
    entropy: float | None
    #: Share of tokens whose log-prob is exactly 0: certain, greedy, or a placeholder.
    zero_share: float | None
    step: float | None


class PolicyReportPerTurn(TypedDict):
    tokens: float
    #: Mean log-prob of the sampled tokens.
    log_prob_mean: float | None
    #: exp(−mean log-prob) over the tokens together.
    ppl: float | None
    #: Mean entropy of the policy's next-token distribution, over tokens where it is known.
    entropy: float | None
    #: Share of tokens whose log-prob is exactly 0: certain, greedy, or a placeholder.
    zero_share: float | None
    turn: float


class PooledPartMetrics(TypedDict):
    """Parts of one kind beyond the 1,024 kept separate (those with the smallest hashes), combined."""

    #: Count of sequences that the tokens came from.
    sequences: float
    #: Masked tokens with both log-probs finite; all figures below are over these.
    tokens: float
    #: Mean of Δ = log p_trainer − log p_rollout.
    delta_mean: float
    #: Population standard deviation of Δ.
    delta_std: float
    #: Smallest Δ.
    delta_min: float
    #: Largest Δ.
    delta_max: float
    #: Mean of |Δ|.
    delta_abs_mean: float
    #: Largest |Δ|.
    delta_abs_max: float
    #: Median of |Δ|, within 1 %.
    delta_abs_p50: float
    #: 99 % quantile of |Δ|, within 1 %.
    delta_abs_p99: float
    #: 99.9 % quantile of |Δ|, within 1 %.
    delta_abs_p999: float
    #: k1 = mean(−Δ), k2 = mean(Δ²)/2, k3 = mean(e^Δ − Δ − 1): estimators of KL(rollout ‖ trainer).
    k1: float
    #: Mean of Δ²/2.
    k2: float
    #: Mean of e^Δ − Δ − 1, summed in this form.
    k3: float
    #: mean(ρ²) − 1 with ρ = e^Δ.
    chi2_token: float
    #: Mean of ρ = e^Δ.
    ratio_mean: float
    #: Population standard deviation of ρ.
    ratio_std: float
    #: Mean of |exp(trainer) − exp(rollout)|.
    prob_diff_mean: float
    #: Largest |exp(trainer) − exp(rollout)|.
    prob_diff_max: float
    #: Standard deviation of |exp(trainer) − exp(rollout)|.
    prob_diff_std: float
    #: Correlation between exp(rollout) and exp(trainer).
    pearson: float
    #: (Σρ)² / (n Σρ²), a fraction of the tokens.
    ess: float
    #: Perplexity exp(−mean log p) over the pooled tokens, under either policy.
    rollout_ppl: float
    #: Perplexity under the trainer, without unit.
    trainer_ppl: float
    kind: Literal["engine", "staleness", "finish_reason"]
    #: Their number; a lower bound if `is_more`.
    parts: float
    is_more: bool


class PositionDecile(TypedDict):
    tokens: float
    token_share: float
    delta_mean: float
    delta_abs_mean: float
    delta_abs_max: float
    k3: float
    #: This group's share of Σ k3 and of Σ |Δ| over all tokens.
    k3_share: float
    delta_abs_share: float
    decile: float


#: Tokens with rollout probability in [from, to).
ProbabilityBucket = TypedDict(
    "ProbabilityBucket",
    {
        "tokens": "float",
        "token_share": "float",
        "delta_mean": "float",
        "delta_abs_mean": "float",
        "delta_abs_max": "float",
        "k3": "float",
        #: This group's share of Σ k3 and of Σ |Δ| over all tokens.
        "k3_share": "float",
        "delta_abs_share": "float",
        "from": "float",
        "to": "float",
    },
)


class ProblemFigures(TypedDict):
    problem: str
    spikes: float
    mean_kl: float


class Progression(TypedDict):
    #: Checkpoints with a step, by step.
    checkpoints: list[str]
    steps: list[float]
    mean_kl: list[float]
    mean_entropy: list[float | None]
    spikes_mean: list[float]
    #: Per category, by checkpoint.
    category_mean_kl: dict[str, list[float | None]]
    stages: list[StageFigures]
    turning_points: list[TurningPoint]
    #: Entropy: (first − last) / first, and each step compared with the next.
    entropy_reduction: ProgressionEntropyReduction | None
    trend: Trend | None
    #: The first checkpoint from which on mean KL is at least half of the last one's; null if there is none.
    half_by: str | None


class ProgressionEntropyReduction(TypedDict):
    absolute: float
    relative: float
    by_region: ProgressionEntropyReductionByRegion
    rates: list[float | None]


class ProgressionEntropyReductionByRegion(TypedDict):
    """Make all properties in T readonly"""

    early: float | None
    mid: float | None
    late: float | None


class RankCorrelation(TypedDict):
    """Spearman's rank correlation over problems."""

    problems: float
    coefficient: float
    interval: KlInterval | None
    p_value: float
    #: Holm's correction over the rows of its table; the plain p-value if nothing is corrected.
    adjusted_p_value: float


class RankMetrics(TypedDict):
    #: Count of sequences that the tokens came from.
    sequences: float
    #: Masked tokens with both log-probs finite; all figures below are over these.
    tokens: float
    #: Mean of Δ = log p_trainer − log p_rollout.
    delta_mean: float
    #: Population standard deviation of Δ.
    delta_std: float
    #: Smallest Δ.
    delta_min: float
    #: Largest Δ.
    delta_max: float
    #: Mean of |Δ|.
    delta_abs_mean: float
    #: Largest |Δ|.
    delta_abs_max: float
    #: Median of |Δ|, within 1 %.
    delta_abs_p50: float
    #: 99 % quantile of |Δ|, within 1 %.
    delta_abs_p99: float
    #: 99.9 % quantile of |Δ|, within 1 %.
    delta_abs_p999: float
    #: k1 = mean(−Δ), k2 = mean(Δ²)/2, k3 = mean(e^Δ − Δ − 1): estimators of KL(rollout ‖ trainer).
    k1: float
    #: Mean of Δ²/2.
    k2: float
    #: Mean of e^Δ − Δ − 1, summed in this form.
    k3: float
    #: mean(ρ²) − 1 with ρ = e^Δ.
    chi2_token: float
    #: Mean of ρ = e^Δ.
    ratio_mean: float
    #: Population standard deviation of ρ.
    ratio_std: float
    #: Mean of |exp(trainer) − exp(rollout)|.
    prob_diff_mean: float
    #: Largest |exp(trainer) − exp(rollout)|.
    prob_diff_max: float
    #: Standard deviation of |exp(trainer) − exp(rollout)|.
    prob_diff_std: float
    #: Correlation between exp(rollout) and exp(trainer).
    pearson: float
    #: (Σρ)² / (n Σρ²), a fraction of the tokens.
    ess: float
    #: Perplexity exp(−mean log p) over the pooled tokens, under either policy.
    rollout_ppl: float
    #: Perplexity under the trainer, without unit.
    trainer_ppl: float
    rank: float


class Reach(TypedDict):
    """How much of the mismatch reaches the policy gradient."""

    #: Share of Σ k3 at tokens whose advantage is 0: they add nothing to the gradient.
    k3_share_at_zero: float
    #: Σ|A||ρ − 1| / Σ|A|: how far off the weights of the gradient's terms are.
    impact_relative: float
    #: Share of Σ|A||ρ − 1| in the steps at the level of the run; null if all are, or none.
    impact_share_in_bad_steps: float | None


class ReportMetrics(TypedDict):
    steps: float
    turns_max: float
    ranks: float
    #: Sequences without a single masked token.
    sequences_empty: float
    #: Share of the tokens whose two probabilities differ by more than ½.
    prob_diff_above_half: float
    #: Tokens with ρ < 1e-4, and their share: a veto at that threshold rejects each of their sequences.
    catastrophic_tokens: float
    catastrophic_fraction: float
    #: Count of sequences that the tokens came from.
    sequences: float
    #: Masked tokens with both log-probs finite; all figures below are over these.
    tokens: float
    #: Mean of Δ = log p_trainer − log p_rollout.
    delta_mean: float
    #: Population standard deviation of Δ.
    delta_std: float
    #: Smallest Δ.
    delta_min: float
    #: Largest Δ.
    delta_max: float
    #: Mean of |Δ|.
    delta_abs_mean: float
    #: Largest |Δ|.
    delta_abs_max: float
    #: Median of |Δ|, within 1 %.
    delta_abs_p50: float
    #: 99 % quantile of |Δ|, within 1 %.
    delta_abs_p99: float
    #: 99.9 % quantile of |Δ|, within 1 %.
    delta_abs_p999: float
    #: k1 = mean(−Δ), k2 = mean(Δ²)/2, k3 = mean(e^Δ − Δ − 1): estimators of KL(rollout ‖ trainer).
    k1: float
    #: Mean of Δ²/2.
    k2: float
    #: Mean of e^Δ − Δ − 1, summed in this form.
    k3: float
    #: mean(ρ²) − 1 with ρ = e^Δ.
    chi2_token: float
    #: Mean of ρ = e^Δ.
    ratio_mean: float
    #: Population standard deviation of ρ.
    ratio_std: float
    #: Mean of |exp(trainer) − exp(rollout)|.
    prob_diff_mean: float
    #: Largest |exp(trainer) − exp(rollout)|.
    prob_diff_max: float
    #: Standard deviation of |exp(trainer) − exp(rollout)|.
    prob_diff_std: float
    #: Correlation between exp(rollout) and exp(trainer).
    pearson: float
    #: (Σρ)² / (n Σρ²), a fraction of the tokens.
    ess: float
    #: Perplexity exp(−mean log p) over the pooled tokens, under either policy.
    rollout_ppl: float
    #: Perplexity under the trainer, without unit.
    trainer_ppl: float


class RunFigure(TypedDict):
    """A figure of two runs of different texts."""

    name: str
    a: float | None
    b: float | None
    #: B − A.
    difference: float | None
    #: One-sided bounds at level 1 − alpha each; null if there is no interval.
    difference_low: float | None
    difference_high: float | None


class ScoredPolicySummary(TypedDict):
    at: str
    role: Literal["reference", "checkpoint", "baseline"]
    step: float | None
    #: Whole distributions, or only the most probable tokens; null if the policy could not be opened.
    gives: Literal["logits", "top-k"] | None
    scored: float
    kept: float
    refused: float
    seconds: float
    notes: list[str]


class ScoreReport(TypedDict):
    schemaVersion: Literal[1]
    kind: Literal["score"]
    #: Directory of the study.
    study: str
    metrics: ScoreReportMetrics
    policies: dict[str, ScoredPolicySummary]
    #: Written files: the record and one file of scores per policy.
    files: list[str]
    findings: list[Finding]


class ScoreReportMetrics(TypedDict):
    policies: float
    problems: float
    texts: float
    #: Response tokens; then those with mask 1.
    tokens: float
    masked_in_tokens: float
    #: Texts × policies scored in this run, scored before, and refused.
    scored: float
    kept: float
    refused: float
    seconds: float
    #: Response tokens × policies per second; null if nothing was scored.
    tokens_per_second: float | None


class SequenceMetrics(TypedDict):
    """Figures whose unit is the sequence; empty sequences are left out."""

    sequences: float
    #: Mean over sequences of (mean rollout log-prob − mean trainer log-prob).
    log_ppl_diff_mean: float
    log_ppl_diff_std: float
    log_ppl_diff_abs_mean: float
    log_ppl_diff_max: float
    log_ppl_diff_min: float
    rollout_ppl_mean: float
    trainer_ppl_mean: float
    ppl_ratio_mean: float
    #: mean over sequences of exp(2 ΣΔ) − 1, ΣΔ clamped to ±20 as verl does.
    chi2_seq: float
    #: Effective share of sequences under product ratios exp(ΣΔ), clamped the same way.
    ess_seq: float
    #: Mean number of masked tokens per sequence, and the most.
    length_mean: float
    length_max: float


class SeriesComparison(TypedDict):
    #: Steps that are in the log and in the dumps.
    steps: float
    #: Whether the trainer bounds it before logging, so that it may differ from the dump.
    is_bent: bool
    #: How many of those steps agree with the dump up to rounding.
    agreeing: float
    text: str
    #: Why they differ, as far as the numbers show it.
    reason: str | None
    per_step: list[SeriesComparisonPerStep]


class SeriesComparisonPerStep(TypedDict):
    step: float
    logged: float | None
    #: Computed with the trainer's own formula; null if it is not computed.
    formula: float | None
    right: float | None


class SeriesFigures(TypedDict):
    """One mismatch metric over the steps."""

    #: The name in the log.
    metric: str
    #: The run's name in the logger; empty if it has none.
    run: str
    file: str
    trainer: str
    #: The report's figure that it corresponds to.
    figure: str | None
    meaning: str
    unit: str
    worse: Literal["larger", "smaller", "away"]
    #: How it differs from what its name says.
    quirk: str | None
    steps: list[float]
    #: Null if NaN or an infinity was logged.
    values: list[float | None]
    non_finite: float
    #: Null if the first logged value is NaN or infinite; likewise the last.
    first: SeriesPoint | None
    last: SeriesPoint | None
    #: The worst of the finite values.
    worst: SeriesPoint | None
    #: `broken` if NaN or infinite values break the run; else the level of the worst value, null if no baseline is
    #: published.
    level: Literal["none", "normal", "elevated", "high", "broken"] | None
    band: str | None
    source: str | None
    #: The value from which each level starts; null for a level that is never reached.
    thresholds: SeriesFiguresThresholds | None
    #: Steps whose finite value is as bad as the worst by its baseline's levels; null without a baseline.
    steps_at_worst: float | None
    #: The last of them.
    last_at_worst: float | None
    #: Comparison with the dumps; null without dumps, or if they have no such figure.
    comparison: SeriesComparison | None


class SeriesFiguresThresholds(TypedDict):
    """Make all properties in T readonly"""

    elevated: float | None
    high: float | None
    broken: float | None


class SeriesPoint(TypedDict):
    step: float
    value: float


class SeriesReport(TypedDict):
    schemaVersion: Literal[2]
    kind: Literal["series"]
    #: The answer about the run, as far as logged metrics give it.
    assessment: Assessment
    files: list[SeriesReportFiles]
    #: The mismatch metrics.
    series: list[SeriesFigures]
    #: Names of all other metrics.
    others: list[str]
    #: Those of them that no table has: whether they measure the mismatch is not known.
    unknown: list[str]
    #: What is NaN or infinite among all logged metrics, those in `others` too.
    finite: Finite
    #: What keeps the run from learning, from all logged metrics; worst first.
    beside: list[BesideFinding]
    #: `broken` if non-finite values break the run, else the worst level of any metric with a published baseline.
    level: Literal["none", "normal", "elevated", "high", "broken"] | None
    headline: str
    findings: list[Finding]


class SeriesReportFiles(TypedDict):
    file: str
    #: Which logger wrote it.
    form: str
    metrics: float


class ServedCheckpoint(TypedDict):
    name: str
    #: As it was given: `onnx:ckpt/dpo`.
    at: str
    rollout: CheckpointFit
    trainer: CheckpointFit


class ServedReport(TypedDict):
    #: The answer in one sentence.
    sentence: str
    #: The sample that was scored under every checkpoint.
    sequences: float
    prompts: float
    #: Sampled tokens that both sides and all checkpoints have log-probs of.
    tokens: float
    rollout: ServedSide
    trainer: ServedSide
    #: The engine's most probable first.
    checkpoints: list[ServedCheckpoint]
    #: Each step by itself, if the sample has several; steps are ascending.
    by_step: list[ServedStep]


class ServedSide(TypedDict):
    """Which checkpoint a side used, as far as its log-probs tell."""

    #: The most probable one; null if "none of these" is more probable.
    checkpoint: str | None
    #: The one whose log-probs are nearest.
    nearest: str
    #: Probability that it was none of them: even the nearest is further away than an engine's noise.
    none: float
    #: Up to this `logit_noise_mean` the precision of an engine explains the distance to the nearest one.
    most_noise: float


class ServedStep(TypedDict):
    step: float
    sequences: float
    rollout: ServedSide
    trainer: ServedSide


class ShowAlternatives(TypedDict):
    """Both policies' most probable tokens as one list, likeliest first; always includes the sampled one."""

    #: Length of the policy's list; null for a policy without one.
    rollout_k: float | None
    trainer_k: float | None
    candidates: list[ShowCandidate]
    #: Probability of everything not listed.
    rollout_rest: float | None
    trainer_rest: float | None


class ShowCandidate(TypedDict):
    id: float | None
    text: str | None
    sampled: bool
    rollout: ShowShare | None
    trainer: ShowShare | None


class ShowCard(TypedDict):
    """One token."""

    #: `s12.r3.q41.t880`
    handle: str
    #: Its own bytes, hexadecimal; if tokens share a character, its part of it.
    bytes: str
    #: Place within its turn, from 0; null outside of turns.
    turn_token: float | None
    rollout_probability: float | None
    trainer_probability: float | None
    probability_difference: float | None
    rho: float | None
    k3: float | None
    rollout_entropy: float | None
    trainer_entropy: float | None
    advantage: float | None
    weight_version: float | None
    #: Log-probs of further policies by name.
    policy_logprobs: dict[str, float | None]
    alternatives: ShowAlternatives | None
    token: float
    #: Number of the turn, from 0; null for a token that the policy did not sample (mask 0).
    turn: float | None
    rollout_logprob: float | None
    trainer_logprob: float | None
    #: Null if the policy did not sample the token.
    delta: float | None
    #: Value of the metric; null if it is missing or the policy did not sample the token.
    value: float | None
    id: float | None
    text: str
    kind: Literal["text", "special", "continuation", "id"]


class ShowMetric(TypedDict):
    """What tokens are colored by."""

    name: Literal["trainer", "entropy", "advantage", "delta", "abs", "rho", "k3", "dp", "logp"]
    title: str
    meaning: str
    #: Whether values on either side of `neutral` are meaningful.
    signed: bool
    #: The value without color: 1 for ρ, 0 for the others.
    neutral: float
    #: Distance from `neutral` at which the scale ends: the same for every sequence of every run.
    scale: float


class ShowPiece(TypedDict):
    id: float | None
    text: str
    kind: Literal["text", "special", "continuation", "id"]


class ShowReport(TypedDict):
    """What `logratio show` prints with `--json`: one sequence, token by token."""

    #: Version of this format; increased when a field changes its meaning or is removed.
    schemaVersion: Literal[1]
    #: The kind of result.
    kind: Literal["show"]
    #: Set if the input has only one policy's log-probs: figures describe that policy, and there is no Δ.
    policies: NotRequired[Literal["rollout", "trainer"]]
    #: Name of the run.
    run: str
    #: Directory of the tokenizer; null if tokens are ids.
    tokenizer: str | None
    #: The mistakes of the run, the first of which is shown, if `worst` was requested. Absent for a handle, and for a
    #: single policy.
    events: NotRequired[MistakeEvents]
    #: Which sequence it is, and its figures.
    sequence: ShowSequence
    #: What the tokens are colored by.
    metric: ShowMetric
    #: A single entry without id if the source has the prompt only as text.
    prompt: list[ShowPiece]
    #: Turns and what comes between them, in order; together they cover the response.
    sections: list[ShowSection]
    #: One entry for each token of the response.
    tokens: list[ShowToken]
    #: Indices into `tokens`: the policy's own tokens furthest from the metric's neutral value, the furthest first.
    worst: list[float]
    #: The token that the handle names; null if it names a sequence.
    token: ShowCard | None
    #: The command to run next; null if there is none.
    next: ShowReportNext | None
    #: Findings from reading, including what was left out.
    findings: list[Finding]
    #: The files that were read.
    sources: list[ShowReportSources]


class ShowReportNext(TypedDict):
    command: str
    why: str


class ShowReportSources(TypedDict):
    """Construct a type with the properties of T except for those in type K."""

    #: Name of the adapter that understood it.
    trainer: str
    #: Data-parallel rank; null if the file names none.
    rank: float | None
    #: Training step named by the file; null if it names none.
    step: float | None
    #: The path, as it was given or found.
    file: str
    #: What it lacks that other files have, one per line.
    missing: list[str]
    #: The file format: `npz`, `jsonl`, ….
    format: str
    #: Size on disk, in bytes.
    bytes: float
    #: What was recognized, one per line.
    found: list[str]
    #: What was assumed, one per line.
    guessed: list[str]
    #: What its data show about masks, alignment and zeros, one per line; absent if not checked.
    checked: NotRequired[list[str]]


#: A turn of the policy, or tokens between turns: tool output, template.
ShowSection = TypedDict(
    "ShowSection",
    {
        "kind": 'Literal["turn", "tool"]',
        #: From 0; null between turns.
        "turn": "float | None",
        #: Tokens `[from, to)`.
        "from": "float",
        "to": "float",
        #: Number of tokens with mask 1.
        "tokens": "float",
        #: How many of these have a finite Δ.
        "measured": "float",
        "infinite": "float",
        #: How many lack a log-prob on one side.
        "missing": "float",
        "delta_mean": "float | None",
        "delta_abs_mean": "float | None",
        "delta_abs_max": "float | None",
        "k3": "float | None",
        #: Mean and smallest log-prob, if there is only one policy.
        "log_prob_mean": "NotRequired[float | None]",
        "log_prob_min": "NotRequired[float | None]",
        #: Token with the largest |Δ|, or the least likely for a single policy.
        "worst": "float | None",
    },
)


class ShowSequence(TypedDict):
    #: `s12.r3.q41`
    handle: str
    prompt_tokens: float
    response_tokens: float
    turns: float
    #: Number of tokens with mask 1.
    tokens: float
    #: How many of these have a finite Δ.
    measured: float
    infinite: float
    #: How many lack a log-prob on one side.
    missing: float
    delta_mean: float | None
    delta_abs_mean: float | None
    delta_abs_max: float | None
    k3: float | None
    #: Mean and smallest log-prob, if there is only one policy.
    log_prob_mean: NotRequired[float | None]
    log_prob_min: NotRequired[float | None]
    #: Token with the largest |Δ|, or the least likely for a single policy.
    worst: float | None
    step: float | None
    rank: float | None
    #: Row in its file.
    row: float
    sample: str | None
    group: str | None
    environment: str | None
    reward: float | None
    #: 1 right, 0 wrong.
    correct: float | None
    file: str


class ShowShare(TypedDict):
    probability: float
    #: From 1; null if the policy's list lacks the token.
    rank: float | None
    #: Whether the list lacks the token: it then has at most this probability.
    at_most: bool


class ShowToken(TypedDict):
    token: float
    #: Number of the turn, from 0; null for a token that the policy did not sample (mask 0).
    turn: float | None
    rollout_logprob: float | None
    trainer_logprob: float | None
    #: Null if the policy did not sample the token.
    delta: float | None
    #: Value of the metric; null if it is missing or the policy did not sample the token.
    value: float | None
    id: float | None
    text: str
    kind: Literal["text", "special", "continuation", "id"]


class SourceSummary(TypedDict):
    """A file that was read, and how it was recognized."""

    #: The path, as it was given or found.
    file: str
    #: The file format: `npz`, `jsonl`, ….
    format: str
    #: Name of the adapter that understood it.
    trainer: str
    #: Training step named by the file; null if it names none.
    step: float | None
    #: Data-parallel rank; null if the file names none.
    rank: float | None
    #: Size on disk, in bytes.
    bytes: float
    #: Sequences read from it.
    sequences: float
    #: What was recognized, one per line.
    found: list[str]
    #: What was assumed, one per line.
    guessed: list[str]
    #: What it lacks that other files have, one per line.
    missing: list[str]
    #: What its data show about masks, alignment and zeros, one per line; absent if not checked.
    checked: NotRequired[list[str]]


class SpikeDependence(TypedDict):
    """An earlier token that the KL at a spike depends on."""

    #: Response token; below 0 in the prompt, where −1 is its last token.
    position: float
    token: str
    #: Nats: above 0, the KL would fall if the token weighed less.
    gradient_times_input: float
    #: Share of Σ |gradient × input| over all tokens before the spike.
    share: float


class SpikeFigures(TypedDict):
    """One spike."""

    #: `q12.t40`: text number in the study, response token.
    handle: str
    text: str
    problem: str
    position: float
    region: Literal["early", "mid", "late"]
    token: str
    category: str
    kl: float
    zscore: float
    probability: float | None
    reference_probability: float | None
    before: str
    after: str
    #: The most probable tokens of the checkpoint and of the reference.
    alternatives: list[KlAlternative]
    reference_alternatives: list[KlAlternative]
    #: The earlier tokens that its KL depends on most, largest first; null if its gradients are unknown.
    depends_on: list[SpikeDependence] | None
    #: The first checkpoint from which on this token keeps at least half of this KL.
    since: str | None


class SpikeRange(TypedDict):
    #: `0`, `1-5`, `6-10`, `>10`.
    range: str
    problems: float
    share: float


class StageFigures(TypedDict):
    stage: str
    checkpoints: list[str]
    mean_kl: float
    mean_entropy: float | None
    spikes_mean: float
    #: Compared with the stage before; null for the first.
    change: float | None


class StalenessMetrics(TypedDict):
    """Figures of tokens sampled with weights of one age: the step minus the weight version. A sequence sampled with
    several versions counts in each, with its tokens.
    """

    #: Count of sequences that the tokens came from.
    sequences: float
    #: Masked tokens with both log-probs finite; all figures below are over these.
    tokens: float
    #: Mean of Δ = log p_trainer − log p_rollout.
    delta_mean: float
    #: Population standard deviation of Δ.
    delta_std: float
    #: Smallest Δ.
    delta_min: float
    #: Largest Δ.
    delta_max: float
    #: Mean of |Δ|.
    delta_abs_mean: float
    #: Largest |Δ|.
    delta_abs_max: float
    #: Median of |Δ|, within 1 %.
    delta_abs_p50: float
    #: 99 % quantile of |Δ|, within 1 %.
    delta_abs_p99: float
    #: 99.9 % quantile of |Δ|, within 1 %.
    delta_abs_p999: float
    #: k1 = mean(−Δ), k2 = mean(Δ²)/2, k3 = mean(e^Δ − Δ − 1): estimators of KL(rollout ‖ trainer).
    k1: float
    #: Mean of Δ²/2.
    k2: float
    #: Mean of e^Δ − Δ − 1, summed in this form.
    k3: float
    #: mean(ρ²) − 1 with ρ = e^Δ.
    chi2_token: float
    #: Mean of ρ = e^Δ.
    ratio_mean: float
    #: Population standard deviation of ρ.
    ratio_std: float
    #: Mean of |exp(trainer) − exp(rollout)|.
    prob_diff_mean: float
    #: Largest |exp(trainer) − exp(rollout)|.
    prob_diff_max: float
    #: Standard deviation of |exp(trainer) − exp(rollout)|.
    prob_diff_std: float
    #: Correlation between exp(rollout) and exp(trainer).
    pearson: float
    #: (Σρ)² / (n Σρ²), a fraction of the tokens.
    ess: float
    #: Perplexity exp(−mean log p) over the pooled tokens, under either policy.
    rollout_ppl: float
    #: Perplexity under the trainer, without unit.
    trainer_ppl: float
    staleness: float


class StandingPart(TypedDict):
    """A part of the run with more of the mismatch than its share of tokens implies."""

    kind: Literal["correctness", "turn", "environment", "rank", "engine", "staleness", "position_decile"]
    #: As named in `per_…` of the report: `incorrect`, `1`, `arithmetic`.
    name: str
    #: Its share of the tokens, and of Σ k3.
    token_share: float
    k3_share: float
    #: Mean over its tokens.
    delta_abs_mean: float


class StatedSides(TypedDict):
    """One fact as two joined files state it, each for its own side."""

    #: A sampling parameter by its name in the record (`temperature`, `topP`, …), or `weights`.
    fact: str
    rollout: str | float
    trainer: str | float


class StepGradient(TypedDict):
    step: float | None
    #: Tokens with mask 1, finite log-probs and advantage, and ρ that does not overflow.
    tokens: float
    #: The share of these with A = 0: they add nothing to the policy gradient.
    zero_advantage_share: float
    #: Shares of Σ k3 and of Σ|Δ| on those.
    k3_share_at_zero: float
    delta_abs_share_at_zero: float
    #: Mean |A|.
    advantage_abs_mean: float
    #: Means of the impact |A|·|ρ − 1| and of A·(ρ − 1), in units of the advantage.
    impact_mean: float
    impact_signed_mean: float
    #: Σ|A||ρ − 1| / Σ|A|: how far off the weights of the gradient's terms are.
    impact_relative: float
    #: Σ A(ρ − 1) / Σ|A|: how much the sum of A·ρ differs from that of A.
    surrogate_change: float


class StepMetrics(TypedDict):
    """A step's figures, and the outcomes of its sequences; null if the data do not say."""

    #: Count of sequences that the tokens came from.
    sequences: float
    #: Masked tokens with both log-probs finite; all figures below are over these.
    tokens: float
    #: Mean of Δ = log p_trainer − log p_rollout.
    delta_mean: float
    #: Population standard deviation of Δ.
    delta_std: float
    #: Smallest Δ.
    delta_min: float
    #: Largest Δ.
    delta_max: float
    #: Mean of |Δ|.
    delta_abs_mean: float
    #: Largest |Δ|.
    delta_abs_max: float
    #: Median of |Δ|, within 1 %.
    delta_abs_p50: float
    #: 99 % quantile of |Δ|, within 1 %.
    delta_abs_p99: float
    #: 99.9 % quantile of |Δ|, within 1 %.
    delta_abs_p999: float
    #: k1 = mean(−Δ), k2 = mean(Δ²)/2, k3 = mean(e^Δ − Δ − 1): estimators of KL(rollout ‖ trainer).
    k1: float
    #: Mean of Δ²/2.
    k2: float
    #: Mean of e^Δ − Δ − 1, summed in this form.
    k3: float
    #: mean(ρ²) − 1 with ρ = e^Δ.
    chi2_token: float
    #: Mean of ρ = e^Δ.
    ratio_mean: float
    #: Population standard deviation of ρ.
    ratio_std: float
    #: Mean of |exp(trainer) − exp(rollout)|.
    prob_diff_mean: float
    #: Largest |exp(trainer) − exp(rollout)|.
    prob_diff_max: float
    #: Standard deviation of |exp(trainer) − exp(rollout)|.
    prob_diff_std: float
    #: Correlation between exp(rollout) and exp(trainer).
    pearson: float
    #: (Σρ)² / (n Σρ²), a fraction of the tokens.
    ess: float
    #: Perplexity exp(−mean log p) over the pooled tokens, under either policy.
    rollout_ppl: float
    #: Perplexity under the trainer, without unit.
    trainer_ppl: float
    #: Training step; null for sequences whose step is not known.
    step: float | None
    #: Mean entropy of the trainer's next-token distribution (else the rollout engine's) over tokens with mask 1, nats.
    entropy: float | None
    #: Mean length of all responses, tokens of any mask.
    response_tokens: float | None
    #: Mean reward of the step's sequences with a known one; null if none has one.
    reward: float | None
    #: Share of right answers among those judged.
    accuracy: float | None


class StepSegment(TypedDict):
    """Consecutive steps whose mean |Δ| does not jump."""

    from_step: float
    to_step: float
    #: Number of its steps with enough tokens, alone or together with their neighbors.
    steps: float
    #: Number of those whose own figures are at `level`.
    steps_at_level: float
    #: Tokens of these steps; the figures are over them.
    tokens: float
    delta_abs_mean: float
    k3: float
    #: Level of k3, mean |Δ| and mean |Δp| by the published baselines.
    level: Literal["none", "normal", "elevated", "high", "broken"]


class SuggestedCommand(TypedDict):
    """A command worth running, and what for."""

    command: str
    why: str


class SweepConfig(TypedDict):
    trainer: str
    preset: str
    language: str
    place: str
    text: str
    traps: list[str]


class SweepCorrection(TypedDict):
    name: str
    #: As in `--correction` and the page's address: `weight:token truncate:..2`.
    correction_text: str
    #: The rule in words.
    rule: str
    #: For a trainer's own settings: which preset, and the settings as given.
    preset: SweepCorrectionPreset | None
    tokens_kept: float
    tokens_kept_share: float
    sequences_kept: float
    sequences_kept_share: float
    #: 1 − Σ weights of kept tokens / Σ raw weights of all tokens: what truncation and dropping remove. Raw means before
    #: any step. Weights are taken before `normalize`. A correction without weights counts ρ of each token in both sums.
    #: Negative if a lower clamp adds more than is removed.
    mass_lost: float
    #: Σ |weight − raw weight| / Σ raw weights, with weight 0 for dropped tokens: what is removed plus what is added.
    mass_moved: float
    #: (Σw)² / (n Σw²) over all tokens, with w = 0 for dropped ones; normalized weights if the correction normalizes. A
    #: correction without weights uses w = ρ of the kept tokens: how evenly they represent the trainer policy.
    ess_tokens: float
    #: The same over sequences with the mean of w over each sequence's tokens.
    ess_sequences: float
    #: Mean of the weights that multiply the loss, over kept tokens, and so the gradient's scale: 1 without weights.
    weight_mean: float
    weight_max: float
    #: Share of tokens whose weight was clamped.
    truncated_share: float
    dropped: DroppedPart
    #: Budget of the kept tokens; null with fewer than two sequences.
    token_budget: TokenBudget | None
    on_front: bool


class SweepCorrectionPreset(TypedDict):
    name: str
    settings: dict[str, Any]


class SweepMetrics(TypedDict):
    """Properties of the data, whatever the correction."""

    sequences: float
    sequences_empty: float
    tokens: float
    turns_max: float
    #: GRPO groups (step and group id); null if the source names none.
    groups: float | None
    #: Number of corrections evaluated.
    corrections: float
    front: float
    delta_mean: float
    delta_std: float
    #: ESS of the token ratios ρ: (Σρ)² / (n Σρ²).
    ess: float
    #: ESS of the sequences' product ratios exp ΣΔ, with ΣΔ clamped to ±20; a fraction of the sequences.
    ess_seq: float
    #: Share of tokens with ρ outside [1/2, 2], to the resolution of a sketch of Δ (2.0004).
    ratio_outside: float
    reward_mean: float | None
    accuracy: float | None


class SweepRecommendation(TypedDict):
    #: `none needed`: the correction is a safety net; `none fits`: every one breaks a limit, and the mildest is named.
    kind: Literal["none needed", "recommended", "none fits"]
    #: The same as in a report on the same data (`assessment.correction`); `none` corresponds to the kind `none needed`.
    need: Literal["none", "few", "all"]
    #: Name of the correction, as in `corrections`.
    name: str
    #: Sentences, most important first.
    reasons: list[str]


class SweepReport(TypedDict):
    """What `logratio sweep` prints with `--json`: many corrections on the same data."""

    #: Version of this format; increased when a field changes its meaning or is removed.
    schemaVersion: Literal[3]
    #: The kind of result.
    kind: Literal["sweep"]
    #: Name of the run.
    run: str
    #: The answer about the run, as in `report`; null if the sweep was made without one.
    assessment: Assessment | None
    #: Properties of the data, whatever the correction.
    metrics: SweepMetrics
    #: In the order of the grid; `none` is the first.
    corrections: list[SweepCorrection]
    #: Corrections that could not be evaluated on this data, and why.
    skipped_corrections: list[SweepReportSkippedCorrections]
    #: Figures that are entirely null, and why; one line each.
    absent: list[str]
    #: Pareto front of ESS over tokens, weight mass moved and |log mean weight|: names, from the least mass moved to the
    #: most.
    front: list[str]
    #: The recommended correction, and why.
    recommendation: SweepRecommendation
    #: Name of the correction that `configs` is about: the recommended one unless another was chosen.
    chosen: str
    #: The chosen correction as each trainer's config.
    configs: list[SweepConfig]
    #: Trainers that have no settings for exactly the chosen correction.
    inexpressible: list[SweepReportInexpressible]
    #: Tokens with mask 1 in none of the figures.
    excluded: ExcludedTokens
    #: Findings from reading, including what was left out.
    findings: list[Finding]
    #: The files that were read.
    sources: list[SourceSummary]


class SweepReportInexpressible(TypedDict):
    trainer: str
    preset: str
    why: str


class SweepReportSkippedCorrections(TypedDict):
    name: str
    why: str


class Tail(TypedDict):
    tokens: float
    share: float
    delta_mean: float
    delta_extreme: float
    p50: float
    p99: float


class TailPoint(TypedDict):
    """One point of the extreme-token curve: the share of tokens with |Δ| above the threshold, separately for both
    tails.
    """

    threshold: float
    tokens: float
    share: float
    #: Δ > threshold: the trainer finds the token likelier.
    positive: float
    #: Δ < −threshold: the rollout engine found it likelier.
    negative: float
    #: Whether merged sums did not count beyond this threshold: tokens of its cell are then interpolated.
    approximate: NotRequired[bool]


class TokenAlternative(TypedDict):
    """One of the most probable tokens of a policy at a position."""

    #: Vocabulary id.
    token_id: float
    #: Python's repr of the decoded text; null without a tokenizer.
    token_text: str | None
    #: Probability, a fraction.
    prob: float
    #: Log-prob, nats.
    logprob: float


class TokenBudget(TypedDict):
    """How long a sequence may be before the product of its ratios becomes useless; formulas in
    `analyses/sweep/token-budget.ts`.
    """

    delta_mean: float
    #: σ² within sequences, τ² of the sequences' means.
    delta_variance_within: float
    delta_variance_between: float
    #: Tokens at which the ESS of product weights falls to one half.
    ess_half: float
    #: Tokens at which a product one standard deviation out leaves [1/2, 2].
    in_bounds: float
    sequence_length_mean: float
    #: The ESS of product weights that the model predicts at the mean length.
    ess_at_mean_length: float


class TokenFigures(TypedDict):
    #: The token's text.
    token: str
    category: str
    count: float
    spikes: float
    mean_kl: float
    share_of_kl: float
    #: Mean of log p_checkpoint − log p_reference.
    mean_delta: float | None
    problems: float


class TokenIdMetrics(TypedDict):
    tokens: float
    token_share: float
    delta_mean: float
    delta_abs_mean: float
    delta_abs_max: float
    k3: float
    #: This group's share of Σ k3 and of Σ |Δ| over all tokens.
    k3_share: float
    delta_abs_share: float
    token_id: float


class TopProblems(TypedDict):
    by_spikes: list[ProblemFigures]
    by_mean_kl: list[ProblemFigures]


class Trend(TypedDict):
    #: Spearman's correlation of mean KL with step, over these checkpoints; descriptive.
    rho: float
    #: Test of the increments against a walk without drift, two-sided; null for fewer than six checkpoints.
    p_value: float | None


class TrustReport(TypedDict):
    """Whether means of importance ratios can be trusted."""

    #: Pareto k̂ of ρ, of 1/ρ and of products of ρ over a sequence: the tail index of the largest ones. Above 0.7 their
    #: means and effective sample sizes cannot be trusted. NaN below 25 values, Infinity if at most 4 lie beyond the
    #: cut.
    khat_ratio: float
    khat_inverse: float
    khat_sequence: float
    #: Largest k̂ at which this many tokens suffice: min(1 − 1/log10 n, 0.7).
    khat_most: float
    #: Variance of mean |Δ| over prompts relative to that over sequences.
    design_effect: float
    #: Sequences / design effect, at most as many as there are.
    effective_sequences: float


class TurningPoint(TypedDict):
    checkpoint: str
    step: float
    value: float
    type: Literal["max", "min", "inflection"]
    method: Literal["derivative", "smooth_derivative", "peaks"]
    #: Whether the whole path rises to it and falls after it (or the reverse) more than a walk would; null for fewer
    #: than nine checkpoints and for inflections.
    supported: bool | None


class TurnMetrics(TypedDict):
    """Figures of the tokens of one turn; turns count from 0."""

    #: Count of sequences that the tokens came from.
    sequences: float
    #: Masked tokens with both log-probs finite; all figures below are over these.
    tokens: float
    #: Mean of Δ = log p_trainer − log p_rollout.
    delta_mean: float
    #: Population standard deviation of Δ.
    delta_std: float
    #: Smallest Δ.
    delta_min: float
    #: Largest Δ.
    delta_max: float
    #: Mean of |Δ|.
    delta_abs_mean: float
    #: Largest |Δ|.
    delta_abs_max: float
    #: Median of |Δ|, within 1 %.
    delta_abs_p50: float
    #: 99 % quantile of |Δ|, within 1 %.
    delta_abs_p99: float
    #: 99.9 % quantile of |Δ|, within 1 %.
    delta_abs_p999: float
    #: k1 = mean(−Δ), k2 = mean(Δ²)/2, k3 = mean(e^Δ − Δ − 1): estimators of KL(rollout ‖ trainer).
    k1: float
    #: Mean of Δ²/2.
    k2: float
    #: Mean of e^Δ − Δ − 1, summed in this form.
    k3: float
    #: mean(ρ²) − 1 with ρ = e^Δ.
    chi2_token: float
    #: Mean of ρ = e^Δ.
    ratio_mean: float
    #: Population standard deviation of ρ.
    ratio_std: float
    #: Mean of |exp(trainer) − exp(rollout)|.
    prob_diff_mean: float
    #: Largest |exp(trainer) − exp(rollout)|.
    prob_diff_max: float
    #: Standard deviation of |exp(trainer) − exp(rollout)|.
    prob_diff_std: float
    #: Correlation between exp(rollout) and exp(trainer).
    pearson: float
    #: (Σρ)² / (n Σρ²), a fraction of the tokens.
    ess: float
    #: Perplexity exp(−mean log p) over the pooled tokens, under either policy.
    rollout_ppl: float
    #: Perplexity under the trainer, without unit.
    trainer_ppl: float
    #: Turn, counted from 0.
    turn: float


#: Tokens that are `from` to `to` units in the last place apart.
UlpCount = TypedDict(
    "UlpCount",
    {
        "from": "float",
        "to": "float",
        "tokens": "float",
    },
)


class UnlikelySequence(TypedDict):
    handle: str
    tokens: float
    log_prob_mean: float
    ppl: float
    reward: float | None


class UnlikelyToken(TypedDict):
    """A token that the policy was least sure of."""

    handle: str
    token_id: float | None
    log_prob: float
    entropy: float | None


class UntestedQuestion(TypedDict):
    """A test that the run has no data for."""

    #: What could not be tested: `whether the rollout's log-probs are those of the distribution that was sampled`.
    test: str
    #: The record's column, or what else is missing: `entropy.rollout`.
    column: str
    #: How to get it.
    how: str


class Verdict(TypedDict):
    """The judgment: the worst reading against published baselines, in words."""

    #: The level of the headline.
    level: Literal["none", "normal", "elevated", "high", "broken", "fault", "not_comparable", "too_few"]
    #: The levels that the data leave open: equal if they settle the level, and if there is too little to say.
    level_range: list[Literal["none", "normal", "elevated", "high", "broken", "fault", "not_comparable", "too_few"]]
    #: One sentence that a tired engineer can act on.
    headline: str
    #: The figures that decide it, each next to its limits.
    readings: list[BaselineReading]


class WatchAlarm(TypedDict):
    test: Literal["unit_mean", "delta_abs_mean"]
    #: The step at which the change probably started, and the one at which it was detected.
    since: float
    at: float
    log_evidence: float
    #: One sentence.
    text: str


class WatchReport(TypedDict):
    #: Chance that a healthy run ever raises an alarm, however often it is checked.
    false_alarm_rate: float
    #: ln of the evidence at which an alarm is raised.
    alarm_at: float
    #: The first alarm of each test.
    alarms: list[WatchAlarm]
    #: ln of the evidence after each step.
    per_step: list[WatchReportPerStep]


class WatchReportPerStep(TypedDict):
    step: float
    unit_mean: float
    delta_abs_mean: float


class WeightFacts(TypedDict):
    """What the record's digests of both sides' weights say; sequences without one on each side are in no count."""

    #: The facts below in words.
    sentence: str
    sequences: float
    #: The same values on both sides, whatever their number types.
    equal: float
    #: The same after rounding to bfloat16.
    rounded: float
    different: float
    #: Digests that cannot be compared: of other tensors, of another rounding, or named by each side in its own way.
    unknown: float
    #: First step with different weights; null if there is none.
    first_different_step: float | None
    #: How many steps earlier the trainer had the engine's weights, in most of the sequences whose weights differ;
    #: negative if it had them later, null if at no step of the record.
    lag: float | None
    #: Sequences whose weights differ by that lag.
    lag_sequences: float
    #: Steps at which the trainer's weights changed since the step before in the record.
    updates: float
    #: Those of them after which the weights rounded to bfloat16 are still the same: an engine in bfloat16 missed them.
    updates_below_bfloat16: float


class When(TypedDict):
    #: `in steps 10–30; normal since step 50`; null if the steps allow no such statement.
    words: str | None
    #: In order; more than one only if both sides of a jump differ in level or by a factor of 2.
    segments: list[StepSegment]
    #: Steps in no segment, because they have too few tokens or sequences.
    steps_skipped: float
    #: Largest chance that a run without a jump has more than one segment.
    false_alarm_rate: float


class WorstSequence(TypedDict):
    """A sequence that is far off, by its handle."""

    #: `s12.r3.q41`.
    handle: str
    #: Training step; null where the source names none.
    step: float | None
    #: Count of tokens with mask 1 and two finite log-probs.
    tokens: float
    #: Mean |Δ| of its tokens, nats.
    delta_abs_mean: float
    #: ΣΔ over its tokens, nats: the log of the product of ratios.
    delta_sum: float
    #: Largest |Δ| of its tokens, nats.
    delta_abs_max: float
    #: Reward, in the task's own unit; null where it is not known.
    reward: float | None
    #: The file that it was read from.
    file: str


class WorstToken(TypedDict):
    """A token that is far off, by its handle; log-probs and Δ in nats."""

    #: `s12.r3.q41.t880`.
    handle: str
    #: Training step; null if the source names none.
    step: float | None
    #: Data-parallel rank; null if the source names none.
    rank: float | None
    #: Row in its batch or file, counted from 0.
    sequence: float
    #: Index in the response.
    token: float
    #: Turn, counted from 0.
    turn: float
    #: Vocabulary id; null if the source has none.
    token_id: float | None
    #: Δ = trainer − rollout, nats.
    delta: float
    #: Log-prob under the rollout policy, nats.
    rollout_logprob: float
    #: Log-prob under the trainer policy, nats.
    trainer_logprob: float
    #: Absent if its batch has none; NaN (null in JSON) if it is missing.
    advantage: NotRequired[float]
    #: The file that it was read from.
    file: str


class WrongAnswer(TypedDict):
    handle: str
    answer: str
    truth: str
    #: Sum over its tokens.
    rollout_logprob: float
