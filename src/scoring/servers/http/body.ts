/**
 * Reads a body up to a limit, and JSON as Python servers write it.
 *
 * @module
 */

export type Body =
  | { readonly text: string; readonly bytes: number }
  /** The limit was passed; the rest was not read. */
  | { readonly text: undefined; readonly bytes: number };

export async function readBody(response: Response, maxBytes: number): Promise<Body> {
  if (response.body === null) return { text: "", bytes: 0 };
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      return { text: undefined, bytes };
    }
    parts.push(decoder.decode(value, { stream: true }));
  }
  parts.push(decoder.decode());
  return { text: parts.join(""), bytes };
}

export type Parsed =
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly looksCutOff: boolean };

/**
 * JSON, and the `NaN`, `Infinity` and `-Infinity` that Python's `json.dumps` writes outside of strings: those become
 * the strings of that name.
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
        // Broken for another reason: said below.
      }
    }
    return { ok: false, looksCutOff: /^\s*[[{]/.test(text) };
  }
}
