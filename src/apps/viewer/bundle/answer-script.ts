/**
 * An answer as a script: a page opened from a disk may run scripts, but cannot fetch anything. JSON is included as
 * text, bytes as base64; the page takes the variable once the script has run.
 *
 * @module
 */
export function answerScript(answer: Uint8Array, form: "json" | "bytes"): Buffer {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  return Buffer.from(`bundled=${JSON.stringify(bytes.toString(form === "json" ? "utf8" : "base64"))}`);
}
