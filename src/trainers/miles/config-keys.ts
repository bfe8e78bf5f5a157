import { slimeDialectFor } from "../slime/config-keys.ts";

export const milesDialect = slimeDialectFor("miles", [/\bmiles\b/i, /--use-miles-(router|dashboard)/]);
