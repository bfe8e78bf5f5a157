/**
 * Tables in text: fields between commas, tabs or semicolons, quoted where they hold one (RFC 4180).
 *
 * @module
 */

const SEPARATORS = [",", "\t", ";"] as const;

/** Splits text into rows of fields; an open quote ends with the text. */
export function* parseRows(text: string, separator: string): Generator<string[]> {
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let field = "";
    if (text[at] === '"') {
      at++;
      for (;;) {
        const end = text.indexOf('"', at);
        if (end < 0) {
          field += text.slice(at);
          at = text.length;
          break;
        }
        field += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        field += '"';
        at++;
      }
    }
    let end = at;
    while (end < text.length && text[end] !== separator && text[end] !== "\n" && text[end] !== "\r") end++;
    row.push(field + text.slice(at, end));
    at = end;
    if (text[at] === separator) {
      at++;
      if (at === text.length) row.push("");
      continue;
    }
    if (text[at] === "\r") at++;
    if (text[at] === "\n") at++;
    yield row;
    row = [];
  }
  if (row.length > 0) yield row;
}

/** The separator that splits the first line most often; undefined for text that is not a table. */
export function findSeparator(text: string): string | undefined {
  const first = text.split(/\r?\n/, 1)[0] ?? "";
  const counts = SEPARATORS.map((separator) => [...parseRows(first, separator)][0]?.length ?? 0);
  const most = Math.max(...counts);
  return most < 2 ? undefined : SEPARATORS[counts.indexOf(most)];
}
