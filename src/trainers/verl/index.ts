export { verlDialect } from "./config-keys.ts";
export {
  verlDebugMetrics,
  verlOffpolicyMetrics,
  verlParity,
  verlPerRoundMetrics,
} from "./mismatch-metrics.ts";
export { verl } from "./preset.ts";
