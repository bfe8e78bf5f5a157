/**
 * Translates a server's failure into an error about one text, or about opening a policy.
 *
 * @module
 */
import {
  type LogratioError,
  NotFoundError,
  type RefusalReason,
  TextRefusedError,
  UnsupportedError,
  UsageError,
} from "../../../../core/base/index.ts";
import type { Failure } from "../http/failure.ts";

/** A text and its server, as named in messages. */
export interface Asked {
  readonly url: string;
  readonly id: string;
}

export interface Why {
  readonly reason: RefusalReason;
  readonly likely?: string;
  readonly hint?: string;
}

export function refuse(asked: Asked, message: string, why: Why): TextRefusedError {
  return new TextRefusedError(message, { ...why, at: { file: asked.url, entry: asked.id } });
}

const CONTEXT = /context length|context window|maximum model length|max_model_len|longer than the model/i;
const TOO_MANY_LOGPROBS = /logprobs of (\d+), which is greater than max allowed: (\d+)/i;
const OUTSIDE_VOCABULARY = /out of vocabulary|greater than the vocab size/i;
const REDIRECT_HINT = "if you trust the server it redirects to, give that address";
const KEY_HINT = "give an API key that this server accepts (apiKey, or a header)";

/** The cause and hint for a server's refusal, from its message. */
function whyRefused(status: number, words: string): Why {
  const logprobs = TOO_MANY_LOGPROBS.exec(words);
  if (logprobs !== null) {
    return {
      reason: "server-refused",
      likely: `the server returns at most ${logprobs[2]} log-probs per token`,
      hint: `start vLLM with --max-logprobs ${logprobs[1]} (-1: no limit), or request topK ${logprobs[2]}`,
    };
  }
  if (CONTEXT.test(words)) {
    return {
      reason: "context-length",
      likely: "prompt and response are longer than the server's context",
      hint: "start it with a longer context (vLLM: --max-model-len, SGLang: --context-length), or leave out the text",
    };
  }
  if (OUTSIDE_VOCABULARY.test(words)) {
    return {
      reason: "unknown-token",
      likely: "the text was not tokenized with the server's tokenizer",
      hint: "use the tokenizer of the served model",
    };
  }
  if (status === 401 || status === 403) return { reason: "server-refused", hint: KEY_HINT };
  if (status === 413) return { reason: "too-large", likely: "a proxy limits the size of a request" };
  if (/echo/i.test(words)) {
    return {
      reason: "server-refused",
      likely: "this server does not return prompt log-probs (echo)",
      hint: "score with a server that does: vLLM, SGLang, or one of the ONNX and logits back ends",
    };
  }
  return { reason: "server-refused", likely: "the server does not accept this request" };
}

function attempts({ attempts: count }: Failure): string {
  return count === 1 ? "" : `, after ${count} attempts`;
}

function said({ message }: Failure): string {
  return message === "" ? "" : `: ${message}`;
}

export function makeRefusal(failure: Failure, id: string): TextRefusedError {
  const asked: Asked = { url: failure.url, id };
  switch (failure.kind) {
    case "status": {
      const { status = 0 } = failure;
      if (status >= 400 && status < 500 && ![408, 425, 429].includes(status)) {
        return refuse(
          asked,
          `the server refused: ${status}${said(failure)}`,
          whyRefused(status, failure.message),
        );
      }
      const message = `the server failed with ${status}${attempts(failure)}${said(failure)}`;
      if (/out of range float|nan/i.test(failure.message)) {
        return refuse(asked, message, {
          reason: "non-finite",
          likely: "the model's logits hold NaN, which JSON cannot represent",
          hint: "read the server's log; check the weights and the precision it runs in",
        });
      }
      return refuse(asked, message, {
        reason: "server-failed",
        likely:
          status === 429
            ? "more requests than the server accepts"
            : "the server is overloaded or has crashed",
        hint: "read its log; lower concurrency, or raise retries and timeoutMs",
      });
    }
    case "too-large":
      return refuse(asked, `the reply is too long: ${failure.message}`, {
        reason: "too-large",
        likely: "a long text with many log-probs per token",
        hint: "raise maxResponseBytes, or request a smaller topK",
      });
    case "not-json":
      return refuse(asked, `the server did not answer in JSON${said(failure)}`, {
        reason: "server-failed",
        likely: "a proxy or a web server answers at this URL",
        hint: "give the address of the inference server itself",
      });
    case "redirect":
      return refuse(asked, `the server itself does not answer: ${failure.message}`, {
        reason: "server-refused",
        likely: "there is a proxy at this URL, or the server has moved",
        hint: REDIRECT_HINT,
      });
    case "cut-off":
      return refuse(asked, `the reply cannot be read: ${failure.message}`, {
        reason: "server-failed",
        likely: "the server or a proxy stopped in the middle of the reply",
        hint: "read the server's log; request a smaller topK",
      });
    default:
      return refuse(asked, `no reply${attempts(failure)}${said(failure)}`, {
        reason: "server-failed",
        likely:
          failure.kind === "timeout"
            ? "the server is busy, or the text is long"
            : "the server stopped, or closed the connection",
        hint: "check that it is still running; timeoutMs, retries and concurrency set how patient to be",
      });
  }
}

/** @param start - a command line that starts such a server */
export function openingError(failure: Failure, start: string): LogratioError {
  const at = { file: failure.url };
  const { status = 0 } = failure;
  if (status === 401 || status === 403) {
    return new UsageError(`the server at ${failure.url} refused: ${status}${said(failure)}`, {
      at,
      hint: KEY_HINT,
    });
  }
  if (failure.kind === "redirect") {
    return new UsageError(`the server at ${failure.url} itself does not answer: ${failure.message}`, {
      at,
      likely: "there is a proxy at this URL, or the server has moved",
      hint: REDIRECT_HINT,
    });
  }
  if (failure.kind === "status" && status < 500) {
    return new NotFoundError(`nothing is served at ${failure.url}: ${status}${said(failure)}`, {
      at,
      likely: "another kind of server, or a path too many in the URL",
      hint: `give the root of the server's URL; start such a server with: ${start}`,
    });
  }
  if (failure.kind === "status") {
    return new NotFoundError(
      `the server at ${failure.url} is not ready: ${status}${attempts(failure)}${said(failure)}`,
      {
        at,
        likely: "the model is still loading, or the engine has crashed",
        hint: "wait until its log says that it is ready, or look there for the error",
      },
    );
  }
  if (failure.kind === "not-json" || failure.kind === "cut-off" || failure.kind === "too-large") {
    return new UnsupportedError(`what answers at ${failure.url} is not an inference server${said(failure)}`, {
      at,
      hint: `give the address of the server itself; start one with: ${start}`,
    });
  }
  return new NotFoundError(`no server answers at ${failure.url}${attempts(failure)}${said(failure)}`, {
    at,
    likely: "it is not running, or listens on another host or port",
    hint: `check the address, or start one: ${start}`,
  });
}
