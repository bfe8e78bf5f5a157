/**
 * JSON as Python servers write it.
 *
 * @module
 */

export type Parsed =
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly looksCutOff: boolean };

/**
 * JSON, including the `NaN`, `Infinity` and `-Infinity` that Python's `json.dumps` writes outside of strings: those
 * become strings of the same name.
 */
export function parseJson(text: string): Parsed {
  try {
    return { ok: true, json: JSON.parse(text) };
  } catch {
    if (/\b(?:NaN|Infinity)\b/.test(text)) {
      const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (found) =>
        found.startsWith('"') ? found : `"${found}"`,
      );
      try {
        return { ok: true, json: JSON.parse(quoted) };
      } catch {
        // Broken for another reason, reported below.
      }
    }
    return { ok: false, looksCutOff: /^\s*[[{]/.test(text) };
  }
}
