/**
 * Asks the server for the exact figures once a setting has come to rest.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks";
import type { ExactAnswer } from "../../../../src/protocol/view.ts";
import { client } from "../../api/client.ts";
import { questionOf, type Setting } from "../../state/setting.ts";

export type Exact =
  | { readonly state: "asking" }
  | { readonly state: "ready"; readonly answer: ExactAnswer }
  | { readonly state: "failed"; readonly message: string };

/** A setting has come to rest when it has not changed for this long. */
const RESTS_MS = 200;

/** @param held A line is being dragged: what it passes is not asked for. */
export function useExact(setting: Setting, held: boolean): Exact {
  const question = JSON.stringify(questionOf(setting));
  const [known, setKnown] = useState<{ readonly question: string; readonly exact: Exact }>();
  useEffect(() => {
    if (held) return;
    let left = false;
    const timer = setTimeout(() => {
      client.exact(JSON.parse(question)).then(
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
  return known?.question === question ? known.exact : { state: "asking" };
}
