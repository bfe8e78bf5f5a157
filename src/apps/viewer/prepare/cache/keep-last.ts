/**
 * Keeps the answers to the last questions, told apart by what these say: one who drags comes back. Who asks while an
 * answer is being computed waits for the same one; an answer that fails is not kept.
 */
export function keepLast<Question, Answer>(
  limit: number,
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>();
  return (question) => {
    const key = JSON.stringify(question);
    const answer = known.get(key) ?? ask(question);
    // A map lists its keys in the order in which they were set: the first is the one asked for longest ago.
    known.delete(key);
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    for (const old of known.keys()) {
      if (known.size <= limit) break;
      known.delete(old);
    }
    return answer;
  };
}

/** Computes once, when first asked; what failed is tried again. */
export function keepOne<Answer>(compute: () => Promise<Answer>): () => Promise<Answer> {
  let known: Promise<Answer> | undefined;
  return () => {
    known ??= compute();
    known.catch(() => {
      known = undefined;
    });
    return known;
  };
}
