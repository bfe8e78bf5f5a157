/** How well a text matches a query: larger is better, undefined does not match. */
export function fuzzyScore(query: string, text: string): number | undefined {
  const wanted = query.toLowerCase();
  const there = text.toLowerCase();
  if (wanted === "") return 0;
  const whole = there.indexOf(wanted);
  // A whole occurrence beats scattered letters; early ones and those at the start of a word beat others.
  if (whole >= 0) return 1000 - Math.min(whole, 200) + (isStart(there, whole) ? 100 : 0) - there.length / 100;
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    if (letter === " ") continue;
    const next = there.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    score += (next === at + 1 ? 8 : 1) + (isStart(there, next) ? 6 : 0);
    at = next;
  }
  return score - there.length / 100;
}

function isStart(text: string, at: number): boolean {
  return at === 0 || /[\s.:/_-]/.test(text[at - 1] ?? "");
}

/** The best answers, best first; equally good ones stay in their order. */
export function bestMatches<Item>(
  query: string,
  items: Iterable<Item>,
  textOf: (item: Item) => string,
  most: number,
): Item[] {
  const found: { readonly item: Item; readonly score: number }[] = [];
  for (const item of items) {
    const score = fuzzyScore(query, textOf(item));
    if (score !== undefined) found.push({ item, score });
  }
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ item }) => item);
}
