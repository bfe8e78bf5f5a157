export { xtunerDialect } from "./config-keys.ts";
export { xtunerPackMetrics } from "./correction-metrics.ts";
export { mergedXtunerMetrics, type XtunerMerged, type XtunerPack } from "./merge.ts";
export { mergeXtunerMetrics, xtunerMismatchMetrics, xtunerParity } from "./mismatch-metrics.ts";
export { xtuner } from "./preset.ts";
export { readXtunerSettings } from "./settings.ts";
