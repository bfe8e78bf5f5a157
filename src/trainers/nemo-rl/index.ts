export { nemoRlDialect } from "./config-keys.ts";
export { nemoRl } from "./preset.ts";
