/**
 * The version of the on-disk record, and how older rows become current ones.
 *
 * @module
 */
import { SchemaError, VersionError } from "../base/errors.ts";

/**
 * The version of the record that this code writes. docs/formats/record.md lists what each version changed.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { SCHEMA_VERSION } from "logratio";
 *
 * assert.equal(SCHEMA_VERSION, 1);
 * ```
 */
export const SCHEMA_VERSION = 1;

/** Key of the Parquet key-value metadata that holds the version. Absent (a trainer wrote the file itself): 1. */
export const VERSION_KEY = "logratio.schema_version";

/** Key of the Parquet key-value metadata that says which verb wrote the file: it may be written again by that verb. */
export const WRITER_KEY = "logratio.written_by";

/** Maps column names of one version to the next; other names stay. */
export type Upgrade = Readonly<Record<string, string>>;

/** `UPGRADES[0]` leads from version 1 to 2, and so on. */
export const UPGRADES: readonly Upgrade[] = [];

/**
 * The version a file declares.
 *
 * @throws VersionError when it is newer than {@link SCHEMA_VERSION}
 * @throws SchemaError when it is not a version number
 */
export function readVersion(metadata: Readonly<Record<string, string>>, file: string): number {
  const text = metadata[VERSION_KEY];
  if (text === undefined) return 1;
  const version = Number(text);
  if (!Number.isInteger(version) || version < 1) {
    throw new SchemaError(`${VERSION_KEY} is "${text}", which is not a version number`, { at: { file } });
  }
  if (version > SCHEMA_VERSION) {
    throw new VersionError(
      `the record has schema version ${version}; this logratio reads up to ${SCHEMA_VERSION}`,
      {
        found: version,
        supported: SCHEMA_VERSION,
        at: { file },
        likely: "a newer logratio wrote it",
        hint: "npm install -g logratio@latest",
      },
    );
  }
  return version;
}

/** The name in `version` of a column of the current version. */
export function nameInVersion(
  name: string,
  version: number,
  upgrades: readonly Upgrade[] = UPGRADES,
): string {
  let older = name;
  for (let step = upgrades.length; step >= version; step--) {
    const upgrade = upgrades[step - 1]!;
    older = Object.keys(upgrade).find((key) => upgrade[key] === older) ?? older;
  }
  return older;
}
