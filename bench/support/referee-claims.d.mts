/** What a test of the referee imports; the module itself is plain JavaScript. */
export interface Claim {
  readonly about: "mismatch" | "precision" | "training";
  readonly causes: readonly string[];
  readonly why: string;
}
export const CLAIMS: Readonly<Record<string, Readonly<Record<string, Claim>>>>;
