import type { FindingLog } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import type { SourceChecks } from "./source-checks.ts";

/** The finding for masks that exclude each other's tokens. */
export interface MaskContradiction {
  readonly message: string;
  readonly likely: string;
  readonly hint: string;
}

/** Undefined when the masks share a token, or when there is only one. */
export function findContradiction({
  masks = [],
  firstMaskTokens,
  maskedTokens,
}: Pick<SourceChecks, "masks" | "firstMaskTokens" | "maskedTokens">): MaskContradiction | undefined {
  const [first, ...others] = masks;
  if (first === undefined || others.length === 0 || maskedTokens > 0 || firstMaskTokens === 0)
    return undefined;
  return {
    message: `the masks contradict each other: ${masks.join(" AND ")} leave no token, ${first} alone has ${plural(firstMaskTokens, "token")}`,
    likely: "one of them is 1 where the policy did not sample (tool output), or belongs to another batch",
    hint: `name the one mask that counts: --mask ${first}`,
  };
}

/** Adds the finding that a source's masks contradict, if they do. */
export function reportMasks(checks: SourceChecks, findings: FindingLog, file: string): void {
  const contradiction = findContradiction(checks);
  if (contradiction === undefined) return;
  const { message, ...advice } = contradiction;
  findings.add({
    code: "masks-disagree",
    severity: "warning",
    subject: file,
    count: checks.firstMaskTokens,
    at: { file },
    ...advice,
    describe: () => message,
  });
}
