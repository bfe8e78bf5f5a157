/** JSON for results: NaN becomes null ("not known"), infinities their names, one object on one or more lines. */
export function toJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(
    value,
    (_, item: unknown) => {
      if (typeof item !== "number" || Number.isFinite(item)) return item;
      return Number.isNaN(item) ? null : String(item);
    },
    indent,
  );
  return `${text}\n`;
}
