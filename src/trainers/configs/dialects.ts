import { METHODS } from "../registry/methods.ts";
import type { Dialect, NamedDialect } from "../shared/dialect.ts";

/** When a config fits several trainers equally well, the first one wins. */
export const DIALECTS: readonly NamedDialect[] = METHODS.flatMap((methods) => {
  const { trainer, dialect, earlier = [], sampling } = methods;
  if (dialect === undefined) return [];
  const { name, title, read, fixes = [], hook } = trainer;
  const distribution = trainer.distribution ?? hook?.distribution;
  const advised = fixes.flatMap(({ keys }) => Object.keys(keys));
  const named = (own: Dialect, older: readonly NamedDialect[]): NamedDialect => ({
    ...own,
    name,
    title,
    read,
    advised,
    ...(sampling !== undefined && { sampling }),
    ...(distribution !== undefined && { distribution }),
    earlier: older,
  });
  return named(
    dialect,
    earlier.map((own) => named(own, [])),
  );
});
