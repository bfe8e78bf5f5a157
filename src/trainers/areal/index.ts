export { arealDialect } from "./config-keys.ts";
export { areal } from "./preset.ts";
