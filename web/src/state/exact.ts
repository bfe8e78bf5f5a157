/**
 * Asks the server what a correction does, once it has stopped changing.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks";
import type { CorrectQuestion } from "../../../src/results/view.ts";

/** `last` is the previous answer, shown while waiting. */
export type Exact<Answer> =
  | { readonly state: "asking"; readonly last?: Answer }
  | { readonly state: "ready"; readonly answer: Answer }
  | { readonly state: "failed"; readonly message: string };

/** A correction that has not changed for this long is sent. */
const RESTS_MS = 200;

/**
 * @param ask A function of the client, the same at every call.
 * @param asked Undefined asks nothing.
 * @param held A line is being dragged: intermediate values are not sent.
 */
export function useExact<Answer>(
  ask: (question: CorrectQuestion) => Promise<Answer>,
  asked: CorrectQuestion | undefined,
  held = false,
): Exact<Answer> {
  const question = asked === undefined ? "" : JSON.stringify(asked);
  const [known, setKnown] = useState<{ readonly question: string; readonly exact: Exact<Answer> }>();
  useEffect(() => {
    if (held || question === "") return;
    let left = false;
    const timer = setTimeout(() => {
      ask(JSON.parse(question)).then(
        (answer) => !left && setKnown({ question, exact: { state: "ready", answer } }),
        (error: unknown) => {
          const message = error instanceof Error ? error.message : String(error);
          if (!left) setKnown({ question, exact: { state: "failed", message } });
        },
      );
    }, RESTS_MS);
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [question, held]);
  if (known?.question === question) return known.exact;
  return known?.exact.state === "ready" ? { state: "asking", last: known.exact.answer } : { state: "asking" };
}
