export { openInstructDialect } from "./config-keys.ts";
export { openInstruct } from "./preset.ts";
