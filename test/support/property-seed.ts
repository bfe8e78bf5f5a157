/**
 * Property tests use the same cases on every run, so that a failure means a change; PROPERTY_SEED=<n> explores others.
 *
 * @module
 */
import { env } from "node:process";
import fc from "fast-check";

fc.configureGlobal({
  seed: Number(env.PROPERTY_SEED ?? 20_260_101),
  // In mutation tests the first counterexample is enough: shrinking it would cost a hundred runs per mutant.
  endOnFailure: env.MUTATION_TESTS !== undefined,
});
