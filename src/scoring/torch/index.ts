/**
 * Hugging Face checkpoints under PyTorch, scored by a Python process. Not here: models that run in this process.
 *
 * @module
 */
export { checkpointFiles, findCheckpoint } from "./find-checkpoint.ts";
export { openTorchPolicy, type TorchOptions } from "./open-policy.ts";
