export { rollDialect } from "./config-keys.ts";
export { roll } from "./preset.ts";
