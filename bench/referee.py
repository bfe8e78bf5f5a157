"""Asks other tools what is wrong with a recorded run, each through its own door, for bench/referee.mjs.

    referee.py record RECORD.parquet FOLDER    writes each tool's input of the run into FOLDER; prints martingale's live
                                               alarms, and the processor time of its monitor
    referee.py TOOL FOLDER                     what the tool (martingale, rldoctor, rlprobe) says of its input

Findings are printed as one JSON list of {"id", "level", "text"}, in the tool's own order.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

from referee_inputs import RLDOCTOR_KEYS, RLPROBE_FIELDS, rename, scalar_records, token_sequences

#: rlprobe judges no run of fewer steps.
LEAST_STEPS = 30


def read_rows(path):
    import pyarrow.parquet as parquet

    return parquet.read_table(path).to_pylist()


def record(path, folder):
    rows = read_rows(path)
    records = scalar_records(rows, LEAST_STEPS)
    write_rldoctor(records, folder)
    write_rlprobe(records, folder)
    return record_martingale(rows, folder)


def write_rldoctor(records, folder):
    lines = [json.dumps({"step": one["update"], **rename(one, RLDOCTOR_KEYS)}) for one in records]
    (folder / "rldoctor.jsonl").write_text("\n".join(lines) + "\n")


def write_rlprobe(records, folder):
    from rlprobe.recorder import Recorder

    with Recorder(folder / "rlprobe", algorithm="grpo", capture_env=False, install_handlers=False) as recorder:
        for one in records:
            recorder.log_step(one["update"], **rename(one, RLPROBE_FIELDS))


def record_martingale(rows, folder):
    """Records a run step by step, with its monitor behind each step, as its trainer hooks do."""
    from martingale.integrations._trl_callback import MartingaleMonitor
    from martingale.record import Recorder

    sequences, refused = token_sequences(rows)
    recorder = Recorder(folder / "martingale")
    revisions = {}
    monitor = MartingaleMonitor(SimpleNamespace(recorder=recorder), halt_on_error=False)
    spent = 0.0
    for step in sorted({sequence["step"] for sequence in sequences}):
        for index, sequence in enumerate(sequences):
            if sequence["step"] == step:
                record_sequence(recorder, revisions, f"step{step}/row{index}", sequence)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            monitor.on_step_end(step)
        spent += time.process_time() - start
    if any(sequence["reference"] for sequence in sequences):
        (folder / "reference.json").write_text(json.dumps(sequences))
    findings = [{"id": alarm.kind, "level": alarm.level, "text": alarm.message} for alarm in monitor.alarms]
    # Its adapters warn of rows that they refuse when the run ends.
    if refused:
        findings.append({"id": "nan_rows", "level": "warn", "text": f"{refused} rows with values that are not finite"})
    findings.sort(key=lambda finding: finding["level"] != "error")
    return {"findings": findings, "cpu": spent}


def record_sequence(recorder, revisions, name, sequence):
    versions = sequence["versions"] or [sequence["step"]] * len(sequence["ids"])
    with recorder.sequence(0, name, sequence["prompt"]) as recorded:
        for version, token, logprob in zip(versions, sequence["ids"], sequence["rollout"], strict=True):
            revision = revision_of(recorder, revisions, version, "engine_sampling", sequence)
            recorded.token(revision.digest, token, logprob)
        if sequence["reward"] is not None:
            recorded.reward(sequence["reward"])
    trained = revision_of(recorder, revisions, sequence["step"], "trainer_scores", sequence)
    recorder.score(recorded.record.digest, trained.digest, sequence["trainer"])


def revision_of(recorder, revisions, version, source, sequence):
    """The revision of a version of the weights. No recorded run has the weights: each version counts as other weights."""
    from martingale.record import SamplerConfig, temperature_applied_for

    engine = source == "engine_sampling"
    mode = sequence["logprobs_mode"] if engine else None
    sampler = SamplerConfig(
        temperature=sequence["temperature"],
        top_p=sequence["top_p"],
        top_k=None if sequence["top_k"] is None else int(sequence["top_k"]),
        logprobs_mode=mode,
        logprobs_source=source,
        temperature_applied=temperature_applied_for(mode) if engine else True,
    )
    key = (version, sampler)
    if key not in revisions:
        weights = hashlib.blake2b(f"weights {version}".encode(), digest_size=32).hexdigest()
        revisions[key] = recorder.publish_revision(weights, b"tokenizer", sampler, step=version)
    return revisions[key]


#: What martingale's doctor writes, by the words that tell its sentences apart.
MARTINGALE_SENTENCES = [
    ("floor_withheld", r"lag-0 floor withheld"),
    ("different_weights", r"the engine generated from DIFFERENT WEIGHTS"),
    ("tail", r"the mismatch sits in low-probability tokens"),
    ("ordinary_tokens", r"the engine and the trainer disagree on ordinary tokens"),
    ("staleness", r"Staleness dominates"),
    ("stale_lag", r"effective sample size is \d+% of the tokens"),
    ("negative_lag", r"scored by an OLDER step than generated them"),
    ("mixed_revisions", r"sequences span a weight update"),
]
#: Verdicts of its `recompute` that blame one side.
RECOMPUTE_VERDICTS = [
    ("reference_served", r"ENGINE GENERATED FROM THE REFERENCE WEIGHTS"),
    ("engine_differs", r"trainer matches the reference, engine does not"),
]


def name_sentences(sentences, patterns):
    return [
        {"id": name, "level": "warn", "text": sentence}
        for sentence in sentences
        for name, pattern in patterns
        if re.search(pattern, sentence)
    ]


def ask_martingale(folder):
    """Its `doctor`, and its `recompute` against the reference policy, where the run recorded one."""
    from martingale.diagnostics import decompose, diagnosis, recompute
    from martingale.record import TokenLedger

    ledger = TokenLedger(folder / "martingale" / "tokens.db", readonly=True)
    decomposed = decompose(ledger)
    findings = name_sentences(diagnosis(decomposed), MARTINGALE_SENTENCES) if decomposed["by_lag"] else []
    reference = folder / "reference.json"
    if reference.exists():
        scores = {(tuple(s["prompt"]), tuple(s["ids"])): s["reference"] for s in json.loads(reference.read_text())}
        if all(scores.values()):
            report = recompute(ledger, lambda prompt, ids: scores[tuple(prompt), tuple(ids)])
            findings += name_sentences([one["verdict"] for one in report["generations"]], RECOMPUTE_VERDICTS)
    return findings


def ask_rldoctor(folder):
    from rl_doctor.diagnosis import diagnose
    from rl_doctor.ingest import load_run

    result = diagnose(load_run(str(folder / "rldoctor.jsonl")))
    return [
        {
            # One check has two meanings that need telling apart: far from the other policy, and pinned to it.
            "id": "kl_pinned" if found.detector == "kl_drift" and "pinned" in found.summary else found.detector,
            "level": found.severity.name.lower(),
            "text": found.summary,
        }
        for found in result.problems
    ]


def ask_rlprobe(folder):
    from rlprobe.doctor import diagnose

    return [
        {"id": found.signature_id, "level": found.severity, "text": found.explanation}
        for found in diagnose(folder / "rlprobe")
    ]


def main():
    what, *paths = sys.argv[1:]
    if what == "record":
        answer = record(paths[0], Path(paths[1]))
    else:
        ask = {"martingale": ask_martingale, "rldoctor": ask_rldoctor, "rlprobe": ask_rlprobe}[what]
        answer = ask(Path(paths[0]))
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
