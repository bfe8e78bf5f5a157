/** DuckDB's jemalloc reads it when the library is loaded. */
const VARIABLE = "DUCKDB_JE_MALLOC_CONF";

/**
 * One arena for all threads, which returns memory to the system after it was free for 0.3 seconds.
 *
 * Otherwise each thread of Node's pool would use its own arena, and could not use memory that is free in another:
 * reading lists took 650 MB instead of 510, in the same time.
 */
const ONE_ARENA = "narenas:1,dirty_decay_ms:300,muzzy_decay_ms:0";

/**
 * Keeps the user's own choice. Call it before DuckDB is loaded, and on the main thread: other threads have a copy of
 * the environment, which libraries do not see.
 */
export function setDuckdbAllocator(): void {
  process.env[VARIABLE] ??= ONE_ARENA;
}
