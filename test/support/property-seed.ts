/**
 * Property tests take the same cases on every run, so that a red run means a change; PROPERTY_SEED=<n> explores others.
 *
 * @module
 */
import { env } from "node:process";
import fc from "fast-check";

fc.configureGlobal({
  seed: Number(env.PROPERTY_SEED ?? 20_260_101),
  // Under mutation the first counterexample is enough: to look for a smaller one would cost a hundred runs per mutant.
  endOnFailure: env.MUTATION_TESTS !== undefined,
});
