"""The three training stages (sft, dpo, rlvr) and what they share."""
