r"""OpenRLHF, in its checkout: --algo.advantage.is_correction_enable, and one line into train_step. Before Ray starts:

    export PYTHONPATH="EXPORTERS:$PYTHONPATH" LOGRATIO_DIR="$PWD/logratio"
    sed -i 's/^\( *\)experiences = self.experience_maker.make_experience_batch(.*/&\n\1import logratio_openrlhf; logratio_openrlhf.save(experiences, global_step, self.args)/' openrlhf/trainer/ppo_trainer.py

Details
-------
Ray's workers see the variables that were set when it started. Writes logratio/step_S.rank_0.call_N.jsonl: one process has
all of a step. The flag makes vLLM return log-probs; without it nothing is written, and that is said. LOGRATIO_EVERY=10
keeps every tenth step.

Read in OpenRLHF 0.11.2 and 3c3be623: openrlhf/trainer/ppo_trainer.py (train_step), openrlhf/trainer/ppo_utils/
experience.py (Experience), samples_generator.py (_process_response_into_experience): action t is token t + 1 of
`sequences`, so that the mask and both log-probs are one shorter; the prompt is what lies before the first action.
"""
from logratio_record import is_due, never_stop, write_rows


def _rows(experience, step, generations):
    count = len(experience.sequences)
    for i in range(count):
        mask = experience.action_mask[i].bool()
        actions = mask.nonzero().flatten().tolist()
        if not actions:
            continue
        first, end = actions[0], actions[-1] + 1
        ids = experience.sequences[i]
        # Aligned at the end: log-probs and mask have one entry for every token but the first.
        offset = len(ids) - len(mask)

        def part(name):
            tensor = getattr(experience, name, None)
            return None if tensor is None else tensor[i, first:end]

        attended = experience.attention_mask[i, :first + offset].bool()
        index = experience.index[i] if experience.index is not None else None
        yield {
            "step": step,
            "rank": 0,
            "trainer": "openrlhf",
            "prompt_token_ids": ids[:first + offset][attended],
            "response_token_ids": ids[first + offset:end + offset],
            "response_mask": mask[first:end].int(),
            "rollout_logprobs": part("rollout_log_probs"),
            "trainer_logprobs": part("action_log_probs"),
            "policy_logprobs.reference": part("base_action_log_probs"),
            "advantages": part("advantages"),
            "reward": None if experience.rewards is None else float(experience.rewards[i]),
            "group_id": None if index is None else f"{step}.{int(index) // generations}",
        }


@never_stop
def save(experiences, step, args):
    """Writes a step's experiences as one file."""
    if not is_due(step):
        return
    if any(experience.rollout_log_probs is None for experience in experiences):
        raise LookupError("vLLM returned no log-probs: add --algo.advantage.is_correction_enable")
    generations = int(args.rollout.n_samples_per_prompt)
    rows = (row for experience in experiences for row in _rows(experience, int(step), generations))
    write_rows(step, 0, rows)
