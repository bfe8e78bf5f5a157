/** Names of policies' roles, of kinds of spikes and of regions of a text. */
export type PolicyRole = "reference" | "checkpoint" | "baseline";
export type SpikeMethod = "zscore" | "percentile" | "adaptive";
export type Region = "early" | "mid" | "late";
