/** About this many tokens are drawn together; a piece extends to the end of a line if one is near. */
const PIECE = 128;
const MOST = 1024;

/** The bounds of each piece; pieces end with a line unless it is too long. */
export function splitPieces(tokens: readonly string[]): (readonly [from: number, to: number])[] {
  const pieces: (readonly [number, number])[] = [];
  let from = 0;
  for (const [at, token] of tokens.entries()) {
    const length = at + 1 - from;
    const isEnd = at + 1 === tokens.length || length >= MOST || (length >= PIECE && token.endsWith("\n"));
    if (!isEnd) continue;
    pieces.push([from, at + 1]);
    from = at + 1;
  }
  return pieces;
}
