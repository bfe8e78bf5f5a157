/** JSON of a result: NaN becomes null (unknown), infinities become their names. */
export function resultJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_, item: unknown) => {
      if (typeof item !== "number" || Number.isFinite(item)) return item;
      return Number.isNaN(item) ? null : String(item);
    },
    indent,
  );
}

export function orNull(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
