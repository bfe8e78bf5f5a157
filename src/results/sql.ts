/**
 * SQL over the run that the viewer shows.
 *
 * @module
 */

/** The queryable tables, and the limits of queries. */
export interface SqlTables {
  readonly tables: readonly SqlTable[];
  /** Queries to start with. */
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
  /** Lists and structures are JSON text; missing values are null. */
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
  /** Whether the result continues beyond the rows sent. */
  readonly more: boolean;
}
