/**
 * SQL over the run that the viewer shows.
 *
 * @module
 */

/** What can be asked, and within which limits. */
export interface SqlTables {
  readonly tables: readonly SqlTable[];
  /** Queries to begin with. */
  readonly examples: readonly { readonly title: string; readonly sql: string }[];
  /** The limits in one sentence. */
  readonly limits: string;
}

export interface SqlTable {
  readonly name: string;
  /** One line: what a row is. */
  readonly meaning: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly meaning: string }[];
}

export interface SqlAnswer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Lists and structures are JSON text; what is missing is null. */
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
  /** Whether the result goes on beyond the rows that are sent. */
  readonly more: boolean;
}
