export { primeRlDialect } from "./config-keys.ts";
export { primeRl, primeRlIpo } from "./preset.ts";
