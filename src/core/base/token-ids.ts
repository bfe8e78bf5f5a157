/**
 * The largest number that is read as a token id: 16,777,216, sixteen times the largest vocabulary in use (about a
 * million). A larger one is damage, or a column that holds something else, and is read as a missing id: a table by
 * token id would otherwise be as long as a damaged file says.
 */
export const LARGEST_TOKEN_ID = 2 ** 24;
