/**
 * An answer as a script: a page that was opened from a disk may run scripts, but fetch nothing. JSON is its text, bytes
 * are base64; the page takes the variable as soon as the script has run.
 *
 * @module
 */
export function answerScript(answer: Uint8Array, form: "json" | "bytes"): Buffer {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  return Buffer.from(`bundled=${JSON.stringify(bytes.toString(form === "json" ? "utf8" : "base64"))}`);
}
