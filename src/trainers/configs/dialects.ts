import { TRAINERS } from "../registry.ts";
import type { NamedDialect } from "../shared/dialect.ts";

/** When a config fits several trainers equally well, the first one wins. */
export const DIALECTS: readonly NamedDialect[] = TRAINERS.flatMap(({ name, title, dialect, fixes = [] }) =>
  dialect === undefined
    ? []
    : { ...dialect, name, title, advised: fixes.flatMap(({ keys }) => Object.keys(keys)) },
);
