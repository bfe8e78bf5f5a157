export { openrlhfDialect } from "./config-keys.ts";
export { openrlhf } from "./preset.ts";
