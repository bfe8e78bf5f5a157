import { slimeDialectFor } from "../slime/index.ts";

export const milesDialect = slimeDialectFor("miles", [/\bmiles\b/i, /--use-miles-(router|dashboard)/]);
