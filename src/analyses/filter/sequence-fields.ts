/**
 * What one can filter sequences by.
 *
 * @module
 */
import type { SequenceColumn, SequenceText } from "../../results/wire/index.ts";
import type { NumberField, SequenceField, TextField } from "./field.ts";

export const SEQUENCE_FIELDS: readonly SequenceField[] = [
  numeric("step", "step", [], "training step", "step:10..30"),
  numeric("rank", "rank", [], "rank that computed it", "rank:0"),
  numeric("row", "row", [], "row in its file", "row:41"),
  textual("sample", "sample", [], "sample id", "sample:abc"),
  textual("group", "group", [], "prompt group (GRPO group)", "group:calc/solve/0001"),
  textual("env", "environment", ["environment"], "environment", "env:math"),
  textual("finish", "finish_reason", ["finish_reason"], "why the engine stopped", "finish:length"),
  textual("engine", "engine", ["engine_id"], "engine or replica that sampled it", "engine:replica-3"),
  textual("recorder", "recorder", [], "recorder object that wrote it", "recorder:3f2a"),
  numeric(
    "cached",
    "cached_tokens",
    ["cached_tokens"],
    "prompt tokens from the engine's prefix cache",
    "cached>0",
  ),
  textual("file", "file", [], "file that it was read from", "file:step_0100"),
  numeric("reward", "reward", [], "reward", "reward<0"),
  {
    scope: "sequence",
    kind: "yes-no",
    name: "correct",
    aliases: ["right"],
    meaning: "whether its answer is right: yes, no or none",
    example: "correct:no",
    values: ({ columns }) => columns.correct,
  },
  numeric("turns", "turns", ["rounds"], "turns: runs of the policy's own tokens", "turns>=3"),
  numeric("tokens", "tokens", ["length"], "the policy's own tokens (mask 1)", "tokens>200"),
  numeric("response", "response_tokens", [], "response tokens, tool output included", "response>1000"),
  numeric("prompt", "prompt_tokens", [], "prompt tokens", "prompt<50"),
  numeric("mean_abs", "delta_abs_mean", [], "mean |Δ| of its tokens, nats", "mean_abs>0.1"),
  numeric("worst", "delta_abs_max", ["max", "max_abs"], "its largest |Δ|, nats", "worst>2"),
  numeric(
    "mean_delta",
    "delta_mean",
    ["mean"],
    "mean Δ = log p_trainer − log p_rollout, nats",
    "mean_delta<-0.01",
  ),
  numeric("sum", "delta_sum", [], "ΣΔ: the log of the sequence's importance ratio, nats", "sum:-1..1"),
  numeric("mean_k3", "k3_mean", [], "mean k3 = exp Δ − 1 − Δ, nats", "mean_k3>0.001"),
  numeric("max_dp", "prob_diff_max", [], "largest |Δp| = |p_trainer − p_rollout|, a fraction", "max_dp>0.2"),
  numeric("ess", "ess", [], "(Σρ)² / (n Σρ²) of its tokens: 1 where all ratios are equal", "ess<0.9"),
  numeric(
    "mean_logp",
    "rollout_logprob_mean",
    [],
    "mean log-prob under the rollout policy, nats",
    "mean_logp<-1",
  ),
  numeric("mean_entropy", "entropy_mean", [], "mean entropy of its tokens, nats", "mean_entropy>0.5"),
  numeric("mean_advantage", "advantage", ["mean_adv"], "mean advantage", "mean_advantage<0"),
  numeric("sum_impact", "impact", [], "Σ|A|·|ρ − 1|: what its weights in the gradient lack", "sum_impact>1"),
];

function numeric(
  name: string,
  column: SequenceColumn,
  aliases: readonly string[],
  meaning: string,
  example: string,
): NumberField {
  return {
    scope: "sequence",
    kind: "number",
    name,
    aliases,
    meaning,
    example,
    values: ({ columns }) => columns[column],
  };
}

function textual(
  name: string,
  column: SequenceText,
  aliases: readonly string[],
  meaning: string,
  example: string,
): TextField {
  return { scope: "sequence", kind: "text", name, aliases, meaning, example, column };
}
