/**
 * What the KL at spikes depends on: choosing spikes, requesting gradients, their file. Not here: the gradients
 * themselves (python/logratio/scoring/gradients.py) and their analysis (src/analyses/kl/gradients).
 *
 * @module
 */
export { readGradients, type SpikeGradients } from "./gradients-file.ts";
export { type ScoreGradientsOptions, scoreGradients } from "./score-gradients.ts";
