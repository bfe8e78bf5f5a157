import { LengthMismatchError, UsageError } from "../../core/base/index.ts";
import { compareTokenizers } from "../../input/tokens/index.ts";
import { type BackendOptions, computeFingerprint, openPolicy, tokenizerBeside } from "./open-policy.ts";
import type { Policy, PolicyFacts } from "./policy.ts";
import type { ManifestPolicy } from "./store/manifest.ts";
import { listPartners, type PolicySpec, type StudySpec } from "./study-spec.ts";

/** Facts about a policy that need no scores. */
export interface KnownPolicy {
  readonly gives: Policy["gives"];
  readonly facts: PolicyFacts;
}

/** What the pool needs to know of a study. */
export type PooledPolicies = Pick<StudySpec, "policies" | "reference" | "pairs" | "topK" | "attention">;

/** The policies of a study, opened when first needed, and not at all if everything is scored. */
export class PolicyPool {
  readonly #spec: PooledPolicies;
  readonly #options: BackendOptions;
  readonly #tokenizer: string | undefined;
  readonly #before: Readonly<Record<string, ManifestPolicy>>;
  readonly #fingerprints = new Map<string, string>();
  readonly #open = new Map<string, Policy>();

  /** @param tokenizer directory of the study's tokenizer; policies with a different vocabulary are refused */
  constructor(
    spec: PooledPolicies,
    tokenizer: string | undefined,
    before: Readonly<Record<string, ManifestPolicy>>,
    options: BackendOptions,
  ) {
    this.#spec = spec;
    this.#tokenizer = tokenizer;
    this.#before = before;
    this.#options = options;
  }

  /** Computes the fingerprints of the current models. */
  async lookAround(): Promise<void> {
    const own = new Map<string, string>();
    for (const { name, at } of this.#spec.policies)
      own.set(name, await computeFingerprint(at, this.#spec.topK, this.#options.dtype));
    for (const name of own.keys()) {
      const partners = listPartners(name, this.#spec).map((partner) => `${partner}: ${own.get(partner)}`);
      this.#fingerprints.set(name, [own.get(name), ...partners].join(" | "));
    }
  }

  fingerprint(name: string): string {
    return this.#fingerprints.get(name) ?? "";
  }

  /** Whether earlier scores are still valid for this policy. */
  unchanged(name: string): boolean {
    return this.#before[name]?.fingerprint === this.fingerprint(name);
  }

  async known(name: string): Promise<KnownPolicy> {
    const before = this.#before[name];
    return before !== undefined && this.unchanged(name) && this.#saysEnough(before)
      ? before
      : this.open(name);
  }

  /** Stored facts without attention are not enough: the model may have readable attention that was not requested. */
  #saysEnough({ facts }: ManifestPolicy): boolean {
    const canRead = facts.backend === "onnx" || facts.backend === "hf";
    return !this.#spec.attention || !canRead || facts.attention !== undefined;
  }

  /** @throws LengthMismatchError when its tokens differ from the study's */
  async open(name: string): Promise<Policy> {
    const opened = this.#open.get(name);
    if (opened !== undefined) return opened;
    const { topK, attention } = this.#spec;
    const policy = await openPolicy(name, this.#findSpec(name).at, { topK, attention, ...this.#options });
    try {
      await this.#checkTokenizer(name);
    } catch (error) {
      await policy.close();
      throw error;
    }
    this.#open.set(name, policy);
    return policy;
  }

  async closeAllBut(needed: ReadonlySet<string>): Promise<void> {
    for (const [name, policy] of this.#open) {
      if (needed.has(name)) continue;
      this.#open.delete(name);
      await policy.close();
    }
  }

  #findSpec(name: string): PolicySpec {
    const spec = this.#spec.policies.find((policy) => policy.name === name);
    if (spec === undefined) {
      throw new UsageError(`there is no policy ${name}`, {
        hint: `the policies are ${this.#spec.policies.map((policy) => policy.name).join(", ")}`,
      });
    }
    return spec;
  }

  async #checkTokenizer(name: string): Promise<void> {
    const { at } = this.#findSpec(name);
    const own = await tokenizerBeside(at);
    if (own === undefined || this.#tokenizer === undefined || own === this.#tokenizer) return;
    const difference = await compareTokenizers(this.#tokenizer, own);
    // Ids that only one of them has are padding columns or added tokens; the common ones can still be compared.
    if (difference === undefined || difference.conflicts === null) return;
    throw new LengthMismatchError(`${name} has a different tokenizer from the study: ${difference.message}`, {
      at: { file: own },
      likely: "the checkpoint belongs to another model, or its tokenizer was extended during training",
      hint: "distributions over different tokens cannot be compared; score it in a study of its own",
    });
  }
}
