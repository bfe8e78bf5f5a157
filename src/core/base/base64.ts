/** Bytes as text and back, in browsers and in Node. */
export function encodeBase64(bytes: Uint8Array): string {
  const texts: string[] = [];
  // One argument per byte: engines accept some ten thousand.
  for (let from = 0; from < bytes.length; from += 8192)
    texts.push(String.fromCharCode(...bytes.subarray(from, from + 8192)));
  return btoa(texts.join(""));
}

export function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
