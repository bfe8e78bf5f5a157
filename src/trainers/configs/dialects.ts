import { METHODS } from "../registry/methods.ts";
import type { NamedDialect } from "../shared/dialect.ts";

/** When a config fits several trainers equally well, the first one wins. */
export const DIALECTS: readonly NamedDialect[] = METHODS.flatMap(({ trainer, dialect, sampling }) => {
  if (dialect === undefined) return [];
  const { name, title, fixes = [] } = trainer;
  const advised = fixes.flatMap(({ keys }) => Object.keys(keys));
  return { ...dialect, name, title, advised, ...(sampling && { sampling }) };
});
