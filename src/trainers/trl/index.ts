export { trlDialect } from "./config-keys.ts";
export { trl } from "./preset.ts";
