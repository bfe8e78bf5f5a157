/**
 * The few lines of Python that make a trainer write both policies' log-probs, one text per trainer. Each says where
 * to put it; what it writes is read by one of the adapters.
 *
 * @module
 */

const VERL_SNIPPET = `# config: actor_rollout_ref.rollout.calculate_log_probs=True
# verl/trainer/ppo/ray_trainer.py, behind \`batch = batch.union(old_log_prob)\`:
import os, torch
os.makedirs("logratio", exist_ok=True)
keys = ["prompts", "responses", "attention_mask", "response_mask", "rollout_log_probs", "old_log_probs"]
torch.save({"batch": {k: batch.batch[k].cpu() for k in keys},
            "non_tensor_batch": {"uid": batch.non_tensor_batch["uid"].tolist()},
            "meta_info": {"global_steps": self.global_steps}}, f"logratio/step_{self.global_steps:06d}.pt")`;

const TRL_SNIPPET = `# GRPOConfig(use_vllm=True); use Recording in place of GRPOTrainer
import os, torch
class Recording(GRPOTrainer):
    def _generate_and_score_completions(self, inputs):
        out = super()._generate_and_score_completions(inputs)
        if self.model.training and "sampling_per_token_logps" in out:
            step, rank = self.state.global_step, self.accelerator.process_index
            attention = torch.cat([out["prompt_mask"], out["completion_mask"]], 1)
            dump = {"prompts": out["prompt_ids"], "responses": out["completion_ids"], "attention_mask": attention,
                    "response_mask": out["completion_mask"] * out.get("tool_mask", 1),
                    "rollout_log_probs": out["sampling_per_token_logps"], "old_log_probs": out["old_per_token_logps"]}
            os.makedirs("logratio", exist_ok=True)
            torch.save({k: v.cpu() for k, v in dump.items()}, f"logratio/step_{step:06d}_rank_{rank}.pt")
        return out`;

const XTUNER_SNIPPET = `# xtuner/v1/rl/trainer/worker.py, fit(), behind \`loss_ctx.loss_kwargs.old_logprobs = old_logprobs\` and its loop
# (sp_size 1: with sequence parallelism each rank holds a slice)
import os
os.makedirs("logratio", exist_ok=True)
packs = [{"input_ids": s.input_ids.cpu(), "num_tokens": s.seq_lens_q.cpu(),
          "shifted_labels": c.loss_kwargs.shifted_labels.cpu(),
          "rollout_logprobs": c.loss_kwargs.rollout_logprobs.cpu(),
          "old_logprobs": c.loss_kwargs.old_logprobs.cpu()} for s, c in zip(seq_ctx_list, loss_ctx_list)]
torch.save({"packs": packs}, f"logratio/step_{rollout_idx:06d}_rank_{self.rank}.pt")`;

const OPENRLHF_SNIPPET = `# flags: --algo.advantage.is_correction_enable (so that vLLM returns log-probs)
# openrlhf/trainer/ppo_utils/experience_maker.py, behind \`samples.action_log_probs = action_log_probs\`:
import json, os
os.makedirs("logratio", exist_ok=True)
with open("logratio/openrlhf.jsonl", "a") as f:
    for ids, mask, rollout, trainer in zip(samples.sequences[:, 1:].tolist(), samples.action_mask.tolist(),
                                           samples.rollout_log_probs.tolist(), action_log_probs.tolist()):
        mask = [int(m) for m in mask]
        a, b = mask.index(1), len(mask) - mask[::-1].index(1)
        f.write(json.dumps({"prompt_token_ids": ids[:a], "response_token_ids": ids[a:b], "response_mask": mask[a:b],
                            "rollout_logprobs": rollout[a:b], "trainer_logprobs": trainer[a:b]}) + "\\n")`;

/** Where logratio knows no place in the trainer's code: what to write wherever both lists are at hand. */
const RECORD_SNIPPET = `# wherever the engine's and the trainer's log-probs of one response are both at hand, one line per sequence:
import json
with open("logratio.jsonl", "a") as f:
    f.write(json.dumps({"step": step, "response_token_ids": ids, "response_mask": mask,
                        "rollout_logprobs": rollout, "trainer_logprobs": trainer}) + "\\n")`;

const SNIPPETS: Readonly<Record<string, string>> = {
  verl: VERL_SNIPPET,
  TRL: TRL_SNIPPET,
  xtuner: XTUNER_SNIPPET,
  OpenRLHF: OPENRLHF_SNIPPET,
};

/** The lines that make `trainer` (as its users spell it) write both log-probs. */
export function exporterSnippet(trainer: string): string {
  return SNIPPETS[trainer] ?? RECORD_SNIPPET;
}
