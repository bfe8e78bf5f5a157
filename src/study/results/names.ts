/** What policies, spikes and regions of a text are called. */
export type PolicyRole = "reference" | "checkpoint" | "baseline";
export type SpikeMethod = "zscore" | "percentile" | "adaptive";
export type Region = "early" | "mid" | "late";
