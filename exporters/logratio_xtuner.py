r"""xtuner, in its checkout: one line into TrainingWorker.fit, behind the loop that sets `old_logprobs`. Before Ray starts:

    export PYTHONPATH="EXPORTERS:$PYTHONPATH" LOGRATIO_DIR="$PWD/logratio"
    sed -i 's/^\( *\)worker_log_item: WorkerLogItem = {/\1import logratio_xtuner; logratio_xtuner.save(self, seq_ctx_list, loss_ctx_list, rollout_idx)\n&/' xtuner/v1/rl/trainer/worker.py

Details
-------
Ray's workers see the variables that were set when it started. Writes logratio/step_S.rank_R.call_N.pt: the packs of one
rank. With sequence parallelism the slices are gathered, and the first rank of each group writes. The engine's log-probs
are there when the rollout returns them; without, nothing is written, and that is said. LOGRATIO_EVERY=10 keeps every
tenth step.

Read in xtuner b934f462: xtuner/v1/rl/trainer/worker.py (fit), xtuner/v1/rl/loss/base_loss.py (BaseRLLossKwargs,
compute_rollout_is, which gathers in the same way), xtuner/v1/data_proto/sequence_context.py.
"""
from logratio_record import is_due, never_stop, write_file


def _gather(worker):
    """Joins the slices of one pack; every rank of the group must call it the same number of times."""
    if worker.sp_mesh is None or worker.sp_mesh.size() <= 1:
        return lambda tensor: tensor
    from xtuner.v1.rl.loss.base_loss import sp_gather

    return lambda tensor: sp_gather(tensor, worker.sp_mesh, dim=1)


@never_stop
def save(worker, seq_ctx_list, loss_ctx_list, rollout_idx):
    """Writes this rank's packs as one file."""
    import torch

    if not is_due(rollout_idx):
        return
    # Alike on every rank, so that either all of a group gather or none does.
    if any(loss_ctx.loss_kwargs.rollout_logprobs is None for loss_ctx in loss_ctx_list):
        raise LookupError("the rollout returned no log-probs")
    gather = _gather(worker)
    packs = []
    for seq_ctx, loss_ctx in zip(seq_ctx_list, loss_ctx_list):
        kwargs = loss_ctx.loss_kwargs
        lengths = seq_ctx.seq_lens_q
        total = int(lengths.sum())

        def whole(tensor):
            # Copied, because rejection writes into the labels afterwards and a view would save all of its storage.
            return gather(tensor)[:, :total].detach().cpu().clone()

        ids = gather(seq_ctx.input_ids)[:, :total].detach().cpu().to(torch.int32)
        pack = {
            "input_ids": ids,
            "num_tokens": lengths.detach().cpu().clone(),
            "shifted_labels": whole(kwargs.shifted_labels).to(torch.int32),
            "rollout_logprobs": whole(kwargs.rollout_logprobs).float(),
            "old_logprobs": whole(kwargs.old_logprobs).float(),
            "advantages": whole(kwargs.advantages).float(),
        }
        packs.append(pack)
    if worker.sp_mesh is not None and worker.sp_mesh.size() > 1 and worker.sp_mesh.get_local_rank() != 0:
        return
    content = {"packs": packs, "global_step": int(rollout_idx), "rank": int(worker.rank)}
    write_file(rollout_idx, worker.rank, ".pt", lambda path: torch.save(content, path))
