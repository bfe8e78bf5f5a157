/**
 * Caches the answers to the last questions by their content: dragging a line returns to earlier values. A question
 * asked again while its answer is being computed waits for the same answer; failures are not cached.
 */
export function keepLast<Question, Answer>(
  limit: number,
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const known = new Map<string, Promise<Answer>>();
  return (question) => {
    const key = JSON.stringify(question);
    const answer = known.get(key) ?? ask(question);
    // A map lists keys in insertion order: the first is the least recently used.
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

/** Computes once, on first use; after a failure, tries again. */
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
