/**
 * The flags by which `doctor` learns of checkpoints to score.
 *
 * @module
 */
import { positiveInteger } from "../../../core/base/index.ts";
import { CHECKPOINT_FLAGS, type CheckpointFlags, flagOf } from "../../flags.ts";
import { type BackendOptions, expandPolicies } from "../open-policy.ts";
import { type PolicySpec, policySpec } from "../study-spec.ts";
import { configFromFlags } from "./config-from-flags.ts";
import { ConfigFields } from "./fields.ts";
import { parseGpuFlag, readApiKey, readBackend } from "./read-backend.ts";
import type { StudyConfig } from "./read-config.ts";

/** Checkpoints to score a sample of a run under. */
export interface CheckpointSpec {
  readonly checkpoints: readonly PolicySpec[];
  readonly backend: BackendOptions;
  /** Response tokens of the sample. */
  readonly tokens: number;
}

const DEFAULT_TOKENS = 10_000;

/**
 * Undefined without `--checkpoints`.
 *
 * @throws UsageError for what is no checkpoint, two of one name, or a flag's value that makes no sense
 */
export async function readCheckpointFlags(flags: CheckpointFlags): Promise<CheckpointSpec | undefined> {
  const { checkpoints, checkpointTokens: tokens } = flags;
  if (checkpoints === undefined) return undefined;
  const { backend } = configFromFlags(CHECKPOINT_FLAGS, flags);
  const gpu = parseGpuFlag(flags.gpu);
  const fields = new ConfigFields(
    { ...(backend as StudyConfig), ...(gpu !== undefined && { gpu }) },
    "backend",
    undefined,
  );
  return {
    checkpoints: (await expandPolicies([checkpoints].flat())).map(([name, at]) =>
      policySpec(name, at, undefined),
    ),
    backend: { ...readBackend(fields), ...readApiKey() },
    tokens: tokens === undefined ? DEFAULT_TOKENS : positiveInteger(flagOf("checkpointTokens"), tokens),
  };
}
