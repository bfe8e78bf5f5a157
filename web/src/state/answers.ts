import { useEffect, useState } from "preact/hooks";
import type { Loaded } from "./loaded.ts";

/** Milliseconds after the last key: a word is usually typed in one go. */
const PAUSE = 150;

export interface Answer<T> {
  /** The answer to the last answered question, which may be an older one while `busy`. */
  readonly loaded: Loaded<T> | undefined;
  readonly busy: boolean;
}

/**
 * The server's answer to a question that is being typed: sent when it has not changed for a moment, canceled when it
 * changes. Undefined asks nothing.
 *
 * @param question with everything that its answer depends on
 */
export function useAnswer<T>(
  question: string | undefined,
  ask: (signal: AbortSignal) => Promise<T>,
): Answer<T> {
  const [held, hold] = useState<{ question: string; loaded: Loaded<T> } | undefined>();
  useEffect(() => {
    if (question === undefined) {
      hold(undefined);
      return;
    }
    const given = new AbortController();
    const settle = (loaded: Loaded<T>): void => {
      if (!given.signal.aborted) hold({ question, loaded });
    };
    const timer = setTimeout(
      () => {
        ask(given.signal).then(
          (value) => settle({ state: "ready", value }),
          (error: unknown) =>
            settle({ state: "failed", message: error instanceof Error ? error.message : String(error) }),
        );
      },
      held === undefined ? 0 : PAUSE,
    );
    return () => {
      clearTimeout(timer);
      given.abort();
    };
  }, [question]);
  if (question === undefined) return { loaded: undefined, busy: false };
  return { loaded: held?.loaded, busy: held?.question !== question };
}
