/**
 * What is known about a token, as bytes. A run keeps few tokens, so text is good enough.
 *
 * @module
 */
import type { ByteReader, ByteWriter, Codec } from "../../core/base/index.ts";
import type { TokenFacts } from "./token-facts.ts";

const IDS = ["contextIds", "responseIds", "promptIds"] as const;

/** JSON has neither infinities nor a zero with a sign, and a record is known again by the bits of its log-probs. */
function encodeFacts(facts: TokenFacts, to: ByteWriter): void {
  to.text(
    JSON.stringify(facts, (_, value: unknown) => {
      if (ArrayBuffer.isView(value)) return [...(value as Int32Array)];
      const isPlain = typeof value !== "number" || (Number.isFinite(value) && !Object.is(value, -0));
      return isPlain ? value : { number: Object.is(value, -0) ? "-0" : String(value) };
    }),
  );
}

function decodeFacts(from: ByteReader): TokenFacts {
  const text = from.text();
  try {
    const facts = JSON.parse(text, (_, value: unknown) =>
      typeof value === "object" && value !== null && "number" in value ? Number(value.number) : value,
    ) as TokenFacts & Record<(typeof IDS)[number], readonly number[] | null>;
    const ids = IDS.map((name) => [name, facts[name] && Int32Array.from(facts[name])]);
    if (typeof facts.known.rollout_logprob === "number" && typeof facts.known.actor_logprob === "number")
      return {
        ...facts,
        promptText: facts.promptText,
        responseText: facts.responseText,
        ...Object.fromEntries(ids),
      };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  return from.fail("the facts of a token cannot be decoded");
}

export const FACTS: Codec<TokenFacts> = {
  text: "facts as JSON",
  write: encodeFacts,
  read: decodeFacts,
};
