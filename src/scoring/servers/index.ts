/**
 * Policies behind servers: vLLM, SGLang, and whatever speaks OpenAI's completions protocol with echo.
 *
 * @module
 */
export { type OpenAiOptions, openOpenAiPolicy } from "./openai/open.ts";
export type { ServerOptions } from "./options.ts";
export { openSglangPolicy, type SglangOptions } from "./sglang/open.ts";
export { openVllmPolicy, type VllmOptions } from "./vllm/open.ts";
