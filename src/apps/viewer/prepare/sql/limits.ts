/** What a query may take; `help.ts` tells the user. */

/** The most rows sent; a query may read any number. */
export const MOST_ROWS = 1000;
export const TIME_LIMIT_SECONDS = 30;
/** Bytes of memory before DuckDB writes to temporary files. */
export const MEMORY_LIMIT = 2 ** 29;
export const SPILL_LIMIT = 2 ** 31;
/** Bytes of the whole process that runs the query: values that DuckDB is computing are not in its own limit. */
export const PROCESS_LIMIT = 2 ** 30;
