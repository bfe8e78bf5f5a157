export { skyrlDialect } from "./config-keys.ts";
export { skyrl } from "./preset.ts";
