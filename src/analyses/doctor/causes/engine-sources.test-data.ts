/**
 * Where the flags of inference engines that fixes name were found; those of trainers are in their `fixes`
 * (`src/trainers/NAME/index.ts`). By engine and line of the fix.
 *
 * @module
 */
export const ENGINE_SOURCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  vllm: {
    "--logprobs-mode processed_logprobs":
      "vllm/config/model.py ModelConfig.logprobs_mode, default raw_logprobs",
    "--logprobs-mode raw_logprobs": "vllm/config/model.py ModelConfig.logprobs_mode, default raw_logprobs",
    "--generation-config vllm": "vllm/config/model.py ModelConfig.generation_config",
    "--kv-cache-dtype auto": "vllm/config/cache.py CacheConfig.cache_dtype, default auto",
    "--chat-template FILE": "docs.vllm.ai, OpenAI-compatible server",
    "return_token_ids = true": "vllm/entrypoints/openai protocol: ChatCompletionRequest.return_token_ids",
    "reset_prefix_cache() after the update": "vllm/entrypoints/serve/cache/api_router.py",
    "--dtype float32": "vllm/config/model.py ModelConfig.dtype, default auto",
    "VLLM_BATCH_INVARIANT=1": "vllm/envs.py; turns the segmented kernel of Triton attention off",
  },
  sglang: {
    "--kv-cache-dtype auto": "python/sglang/srt/server_args.py, default auto",
    "temperature = 1 for prefill scores": "sgl-project/sglang#36213: input log-probs ignore the temperature",
    "--enable-deterministic-inference": "python/sglang/srt/server_args.py, default off",
    "flush_cache after update_weights": "docs.sglang.io/advanced_features/sglang_for_rl.html",
  },
};
