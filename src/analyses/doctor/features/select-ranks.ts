/** Ranges up to this size are sorted: dividing them gains nothing. */
const SMALL = 64;
/** Each division leaves about half of a range; a range that needs more is sorted, so that no input is slow. */
const MOST_DIVISIONS = 64;

/**
 * Places at `ranks` the values that sorting would place there, with no larger value before them and no smaller one
 * after; NaN is the largest. The other values are in any order (Hoare, "Algorithm 65: find", 1961).
 */
export function selectRanks(values: Float64Array, ranks: readonly number[]): void {
  const end = moveNaN(values);
  let from = 0;
  for (const rank of [...new Set(ranks)].sort((a, b) => a - b)) {
    if (rank >= end) return;
    select(values, from, end - 1, rank);
    from = rank + 1;
  }
}

/** Moves NaNs to the end; returns where they begin. */
function moveNaN(values: Float64Array): number {
  let end = values.length;
  for (let i = 0; i < end; ) {
    const value = values[i]!;
    if (!Number.isNaN(value)) {
      i++;
      continue;
    }
    end--;
    values[i] = values[end]!;
    values[end] = value;
  }
  return end;
}

/** Within `[first, last]`. */
function select(values: Float64Array, first: number, last: number, rank: number): void {
  let low = first;
  let high = last;
  for (let divisions = 0; high - low > SMALL && divisions < MOST_DIVISIONS; divisions++) {
    const pivot = middleOfThree(values[low]!, values[(low + high) >>> 1]!, values[high]!);
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const swapped = values[i]!;
      values[i++] = values[j]!;
      values[j--] = swapped;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else return;
  }
  values.subarray(low, high + 1).sort();
}

function middleOfThree(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
