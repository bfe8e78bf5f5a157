import { formatCount, formatNumber, plural } from "../../core/text/index.ts";
import { formatShift, listShifts } from "./report-shift.ts";
import { readScan } from "./scan-shifts.ts";
import type { SourceChecks } from "./source-checks.ts";

/**
 * Describes what was found in the data of files that were read alike, one line per check; empty until something was
 * read.
 */
export function describeChecks(checks: readonly SourceChecks[]): string[] {
  const [first] = checks;
  const total = (count: (of: SourceChecks) => number): number =>
    checks.reduce((sum, of) => sum + count(of), 0);
  const masked = total(({ maskedTokens }) => maskedTokens);
  if (
    first === undefined ||
    checks.every(({ scanSums, maskedTokens }) => maskedTokens === 0 && scanSums === undefined)
  )
    return [];
  return [
    ...describeMasks(
      first.masks ?? [],
      total(({ firstMaskTokens }) => firstMaskTokens),
      masked,
    ),
    ...describeShift(first, checks.length),
    ...describeIds(checks),
    describeZeros(checks, masked),
  ];
}

/** `mask: response_mask AND loss_mask, 312 tokens fewer than response_mask alone`. */
function describeMasks(masks: readonly string[], alone: number, masked: number): string[] {
  if (masks.length === 0) return [];
  const [name] = masks;
  if (masks.length === 1) return [`mask: ${name}, ${plural(masked, "token")}`];
  const fewer = alone - masked;
  const narrowed =
    fewer <= 0 ? `the same ${plural(masked, "token")} as` : `${plural(fewer, "token")} fewer than`;
  return [`mask: ${masks.join(" AND ")}, ${narrowed} ${name} alone`];
}

function describeShift({ shift, scanSums }: SourceChecks, files: number): string[] {
  const moved =
    shift === 0
      ? []
      : [
          `alignment: the trainer's entry t ${shift > 0 ? "+" : "-"} ${Math.abs(shift)} is used for token t (--align ${formatShift(shift)})`,
        ];
  if (scanSums === undefined) return moved;
  const scan = readScan(scanSums);
  const place = files === 1 ? "" : " of the first file";
  const { found, tokens } = scan;
  const verdict =
    found === undefined
      ? scan.canTell
        ? "no other shift is better"
        : "too few to tell"
      : typeof found.offset === "string"
        ? `padding on the ${found.offset} of the trainer's rows fits better`
        : `shift ${formatShift(found.offset)} is better${found.scope === "later" ? " after the first turn" : ""}`;
  if (Number.isNaN(scan.deltaAbs)) return moved;
  return [
    ...moved,
    `alignment: checked on ${plural(tokens, "token")}${place}, ${verdict}; ${listShifts(scan)}`,
  ];
}

function describeIds(checks: readonly SourceChecks[]): string[] {
  const compared = checks.reduce((sum, { ids }) => sum + ids.compared, 0);
  const differ = checks.reduce((sum, { ids }) => sum + ids.differ, 0);
  if (compared === 0) return [];
  const those = plural(compared, "response token id");
  const match = compared === 1 ? `${those} matches` : `all ${those} match`;
  return [
    `token ids: ${differ === 0 ? match : `${formatCount(differ)} of ${those} ${differ === 1 ? "does" : "do"} not match`} the end of the prompt and response ids`,
  ];
}

function describeZeros(checks: readonly SourceChecks[], masked: number): string {
  const sum = (side: keyof SourceChecks["zeros"]): number =>
    checks.reduce((total, { zeros }) => total + zeros[side], 0);
  const zeros = `rollout ${formatCount(sum("rollout"))}, trainer ${formatCount(sum("trainer"))}, both ${formatCount(sum("both"))}`;
  const sentinels = checks.reduce((total, of) => total + of.sentinels, 0);
  return `exactly 0: ${zeros} of ${plural(masked, "token")}; sentinels read as missing: ${formatNumber(sentinels)}`;
}
