/**
 * What the KL at spikes depends on: which spikes are asked about, the asking, the file. Not here: the gradients themselves
 * (python/logratio/scoring/gradients.py) and what they say of errors (src/analyses/kl/gradients).
 *
 * @module
 */
export { readGradients, type SpikeGradients } from "./gradients-file.ts";
export { type ScoreGradientsOptions, scoreGradients } from "./score-gradients.ts";
