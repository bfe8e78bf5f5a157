export { msSwiftDialect } from "./config-keys.ts";
export { msSwift } from "./preset.ts";
