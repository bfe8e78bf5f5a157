// AssemblyScript, for WebAssembly SIMD: what a report sums token by token beside the kernel's own sums, from the tokens
// that a pass of mismatch.ts lends. `../tokens.ts` drives this. The plain loops that define the results are
// `GroupSums.addMany`, `ValueSketch.addRange` and `addRowTokens`; sums are added up in their order, so the bits are theirs.
//
// No allocation and no static data: all addresses are fixed. Memory that is never written takes none.

/** Tokens of one piece. */
export const CHUNK: i32 = 8192;
/** Sketches of Δ in wide cells that are filled at a time, and one more for what none of them takes. */
export const SKETCHES: i32 = 32;
/** Token ids from here on are left to the driver. */
export const MOST_IDS: i32 = 1 << 19;
export const DECILES: i32 = 10;
/** Edges between the buckets of rollout log-probs. */
export const EDGES: i32 = 8;
/** Thresholds beyond which values are counted one by one, within the cell that holds the threshold. */
export const THRESHOLDS: i32 = 25;
/** Turns of a row that are told apart; the last one takes all further ones. */
export const TURNS: i32 = 256;

// Loads of whole vectors may reach this far beyond the last token.
const SLACK: i32 = 64;
const WORDS: i32 = CHUNK * 4 + SLACK;

// Written by the driver: the tokens of a piece, as `MaskedTokens` has them.
export const DELTA_IN: i32 = 1024;
export const PROB_DIFF_IN: i32 = DELTA_IN + WORDS;
export const K3_IN: i32 = PROB_DIFF_IN + WORDS;
export const INDEX_IN: i32 = K3_IN + WORDS;
export const TURN_IN: i32 = INDEX_IN + WORDS;
/** By position in the block, from the piece's first one on, or by token. */
export const ROLLOUT_IN: i32 = TURN_IN + WORDS;
export const ID_IN: i32 = ROLLOUT_IN + WORDS;
/** f32, ascending. */
export const EDGES_IN: i32 = ID_IN + WORDS;
/** u32: bits of the largest float32 up to the magnitude of the threshold, then its sign bit. */
export const THRESHOLDS_IN: i32 = EDGES_IN + SLACK;

// Written here.
/** i32: by token, its bucket, and the place of its token id. */
const BUCKET: i32 = THRESHOLDS_IN + 256;
const ID: i32 = BUCKET + WORDS;
/** i32: what `list` found. */
export const LISTED: i32 = ID + WORDS;
/** Of the row at hand: `[deciles × (tokens, Σ|Δ|)]`, `[turns × (tokens, Σ|Δ|, Σ(ρ − 1))]`, float64. */
export const ROW_DECILES: i32 = LISTED + WORDS;
export const ROW_TURNS: i32 = ROW_DECILES + DECILES * 16;

// A group: Σ Δ, Σ |Δ| and Σ k3 as float64, the number of tokens as u32, max |Δ| as float32. All of it is in half a cache line,
// since the groups of a vocabulary fit no cache, and a token would wait for each further line.
const GROUP: i32 = 32;
const K3: i32 = 16;
const TOKENS: i32 = 24;
const LARGEST: i32 = 28;
export const DECILE_GROUPS: i32 = (ROW_TURNS + TURNS * 24 + 63) & ~63;
export const BUCKET_GROUPS: i32 = DECILE_GROUPS + DECILES * GROUP;

// Cells of float32 values that share their upper bits: counts as u32, of which the highest bit marks a cell that holds
// a threshold. Which pages (sign and exponent) have values, a byte each. Values beyond the thresholds, u32 each.
const PAGES: i32 = 512;
const WIDE_SHIFT: i32 = 16;
export const FINE_SHIFT: i32 = 13;
const WIDE_BYTES: i32 = 4 << (32 - WIDE_SHIFT);
const FINE_BYTES: i32 = 4 << (32 - FINE_SHIFT);
/** Places of a sketch in these: the wide ones first, then Δ and Δp in fine cells. */
export const FINE_DELTAS: i32 = SKETCHES + 1;
export const FINE_PROB_DIFFS: i32 = SKETCHES + 2;
const PAGES_SEEN: i32 = BUCKET_GROUPS + (EDGES + 1) * GROUP;
export const BEYOND: i32 = PAGES_SEEN + (SKETCHES + 3) * PAGES;
/** f32: the least and the greatest finite value. */
export const EXTREMES: i32 = BEYOND + (SKETCHES + 3) * THRESHOLDS * 4;
const WIDE_CELLS: i32 = (EXTREMES + (SKETCHES + 3) * 8 + 63) & ~63;
const FINE_DELTA_CELLS: i32 = WIDE_CELLS + (SKETCHES + 1) * WIDE_BYTES;
const FINE_PROB_DIFF_CELLS: i32 = FINE_DELTA_CELLS + FINE_BYTES;

/** i32: token ids that have tokens, -1 for those without an id, in the order of their first ones until `sortIds` sorts them. */
const IDS_SEEN: i32 = (FINE_PROB_DIFF_CELLS + FINE_BYTES + 63) & ~63;
/** A bit for each id, to sort them; the first is that of -1. */
const ID_BITS: i32 = (IDS_SEEN + (2 + MOST_IDS) * 4 + 63) & ~63;
const ID_WORDS: i32 = (1 + MOST_IDS + 63) >> 6;
/** The first group is that of tokens without an id. */
export const ID_GROUPS: i32 = (ID_BITS + ID_WORDS * 8 + 63) & ~63;
/** u32: what `listCells` has listed. Room for all cells of a sketch. */
export const CELLS_LISTED: i32 = ID_GROUPS + (1 + MOST_IDS) * GROUP;
export const COUNTS_LISTED: i32 = CELLS_LISTED + FINE_BYTES;
/** Rows of groups that are taken at a time. */
export const ROWS: i32 = 4096;
/** By row: f64, Σ Δ, Σ |Δ| and Σ k3; f64, the tokens; i32, the group; f32, max |Δ|. */
export const SUMS_TAKEN: i32 = COUNTS_LISTED + FINE_BYTES;
export const TOKENS_TAKEN: i32 = SUMS_TAKEN + ROWS * 24;
export const GROUPS_TAKEN: i32 = TOKENS_TAKEN + ROWS * 8;
export const LARGEST_TAKEN: i32 = GROUPS_TAKEN + ROWS * 4;
const MEMORY_END: i32 = LARGEST_TAKEN + ROWS * 4;

/** Written so that loads which only fetch memory are not optimized away. */
const NOWHERE: i32 = 0;
/** Tokens whose groups are fetched at a time. */
const AHEAD: i32 = 64;

memory.grow((MEMORY_END >> 16) + 1 - memory.size());

let idsSeen: i32 = 0;
let turnsSeen: i32 = 0;
let jumps: i32 = 0;
/** Positions ascend up to this token of the piece, and from it on. */
let split: i32 = 0;

/** Puts the token ids that have tokens in ascending order; returns how many, and leaves out -1. */
export function sortIds(): i32 {
  for (let i = 0; i < idsSeen; i++) {
    const place = load<i32>(IDS_SEEN + (i << 2)) + 1;
    const word = ID_BITS + ((place >> 6) << 3);
    store<i64>(word, load<i64>(word) | ((<i64>1) << (place & 63)));
  }
  idsSeen = 0;
  for (let word = 0; word < ID_WORDS; word++) {
    let rest = load<i64>(ID_BITS + (word << 3));
    if (rest == 0) continue;
    store<i64>(ID_BITS + (word << 3), 0);
    for (; rest != 0; rest &= rest - 1) {
      const id = (word << 6) + <i32>ctz(rest) - 1;
      if (id < 0) continue;
      store<i32>(IDS_SEEN + (idsSeen << 2), id);
      idsSeen++;
    }
  }
  return idsSeen;
}

/** Moves the sums of a group to a row. */
// @ts-ignore: decorator
@inline
function takeSums(group: i32, row: i32): void {
  const sums = SUMS_TAKEN + row * 24;
  v128.store(sums, v128.load(group));
  store<f64>(sums + 16, load<f64>(group + K3));
  store<f64>(TOKENS_TAKEN + (row << 3), <f64>load<u32>(group + TOKENS));
  store<f32>(LARGEST_TAKEN + (row << 2), load<f32>(group + LARGEST));
  v128.store(group, i64x2.splat(0));
  v128.store(group + 16, i64x2.splat(0));
}

/** Moves the sums of those of adjacent groups that have tokens to rows; returns how many. */
function takeGroups(groups: i32, count: i32): i32 {
  let row = 0;
  for (let i = 0; i < count; i++) {
    const group = groups + i * GROUP;
    if (load<i32>(group + TOKENS) == 0) continue;
    store<i32>(GROUPS_TAKEN + (row << 2), i);
    takeSums(group, row);
    row++;
  }
  return row;
}

/** Moves the sums of tenths of responses to rows, ascending; returns how many. */
export function takeDeciles(): i32 {
  return takeGroups(DECILE_GROUPS, DECILES);
}

/** Moves the sums of buckets of rollout log-probs to rows, ascending; returns how many. */
export function takeBuckets(): i32 {
  return takeGroups(BUCKET_GROUPS, EDGES + 1);
}

/** Moves the sums of the sorted token ids from number `from` on to rows; returns how many. */
export function takeIds(from: i32): i32 {
  const count = min(idsSeen - from, ROWS);
  const ids = IDS_SEEN + (from << 2);
  let fetched = 0;
  for (let row = 0; row < count; row++) {
    if (row == fetched) {
      fetched = min(row + AHEAD, count);
      fetchGroups(ids, 1, row, fetched);
    }
    const id = load<i32>(ids + (row << 2));
    store<i32>(GROUPS_TAKEN + (row << 2), id);
    takeSums(ID_GROUPS + (id + 1) * GROUP, row);
  }
  // All are empty then.
  if (from + count == idsSeen) idsSeen = 0;
  return count;
}

/** Turns of the row at hand. */
export function countTurns(): i32 {
  return turnsSeen;
}

/** Tokens of the row at hand with |Δp| > ½. */
export function countJumps(): i32 {
  return jumps;
}

/** Empties the groups. */
export function clearGroups(): void {
  memory.fill(DECILE_GROUPS, 0, DECILES * GROUP);
  memory.fill(BUCKET_GROUPS, 0, (EDGES + 1) * GROUP);
  // Of tokens without an id, which `sortIds` leaves out.
  memory.fill(ID_GROUPS, 0, GROUP);
  for (let i = 0; i < idsSeen; i++) {
    const group = ID_GROUPS + (load<i32>(IDS_SEEN + (i << 2)) + 1) * GROUP;
    v128.store(group, i64x2.splat(0));
    v128.store(group + 16, i64x2.splat(0));
  }
  idsSeen = 0;
}

/** Fine cells of Δ have values where wide ones have some: noted at the end, not for each token. */
export function uniteDeltaPages(): void {
  for (let sketch = 0; sketch <= SKETCHES; sketch++) {
    for (let page = 0; page < PAGES; page += 16) {
      const at = PAGES_SEEN + FINE_DELTAS * PAGES + page;
      v128.store(at, v128.or(v128.load(at), v128.load(PAGES_SEEN + sketch * PAGES + page)));
    }
  }
}

function clearSketch(sketch: i32, cells: i32, shift: i32): void {
  const pageBytes = 4 << (23 - shift);
  const pages = PAGES_SEEN + sketch * PAGES;
  for (let first = 0; first < PAGES; first += 16) {
    const seen = i8x16.ne(v128.load(pages + first), i8x16.splat(0));
    // Most pages have none; to look at each would take longer than to add a batch of a few tokens.
    if (!v128.any_true(seen)) continue;
    for (let rest = i8x16.bitmask(seen); rest != 0; rest &= rest - 1) {
      memory.fill(cells + (first + ctz(rest)) * pageBytes, 0, pageBytes);
    }
  }
  memory.fill(pages, 0, PAGES);
  memory.fill(BEYOND + sketch * THRESHOLDS * 4, 0, THRESHOLDS * 4);
  store<f32>(EXTREMES + (sketch << 3), Infinity);
  store<f32>(EXTREMES + (sketch << 3) + 4, -Infinity);
  for (let i = 0; i < THRESHOLDS; i++) {
    const word = load<u32>(THRESHOLDS_IN + (i << 3)) | load<u32>(THRESHOLDS_IN + (i << 3) + 4);
    store<u32>(cells + ((word >>> shift) << 2), 0x80000000);
  }
}

/** Empties all sketches; the thresholds must be there. */
export function clearSketches(): void {
  uniteDeltaPages();
  for (let sketch = 0; sketch <= SKETCHES; sketch++) clearSketch(sketch, WIDE_CELLS + sketch * WIDE_BYTES, WIDE_SHIFT);
  clearSketch(FINE_DELTAS, FINE_DELTA_CELLS, FINE_SHIFT);
  clearSketch(FINE_PROB_DIFFS, FINE_PROB_DIFF_CELLS, FINE_SHIFT);
}

/** Lists the cells of a sketch that have finite values, in ascending order, and their counts. Returns how many. */
export function listCells(sketch: i32): i32 {
  const isWide = sketch <= SKETCHES;
  const pageBits = 23 - (isWide ? WIDE_SHIFT : FINE_SHIFT);
  let counts = sketch == FINE_DELTAS ? FINE_DELTA_CELLS : FINE_PROB_DIFF_CELLS;
  if (isWide) counts = WIDE_CELLS + sketch * WIDE_BYTES;
  const mark = i32x4.splat(0x80000000);
  const zero = i32x4.splat(0);
  let found = 0;
  for (let page = 0; page < PAGES; page++) {
    // The last page of either sign has infinities and NaN.
    if (load<u8>(PAGES_SEEN + sketch * PAGES + page) == 0 || (page & 255) == 255) continue;
    const end = (page + 1) << pageBits;
    for (let cell = page << pageBits; cell < end; cell += 4) {
      const four = v128.andnot(v128.load(counts + (cell << 2)), mark);
      if (!v128.any_true(four)) continue;
      for (let rest = i32x4.bitmask(i32x4.ne(four, zero)); rest != 0; rest &= rest - 1) {
        const at = cell + ctz(rest);
        store<u32>(CELLS_LISTED + (found << 2), at);
        store<u32>(COUNTS_LISTED + (found << 2), load<u32>(counts + (at << 2)) & 0x7fffffff);
        found++;
      }
    }
  }
  return found;
}

/** Empties the sums of the row at hand. */
export function clearRow(): void {
  memory.fill(ROW_DECILES, 0, DECILES * 16 + turnsSeen * 24);
  turnsSeen = 0;
  jumps = 0;
}

/** Makes what the driver has put into the sums of a row the row at hand. */
export function resumeRow(turns: i32, knownJumps: i32): void {
  turnsSeen = turns;
  jumps = knownJumps;
}

/** Takes the positions of a piece of tokens; to be called before anything else is asked of it. */
export function beginPiece(count: i32): void {
  split = 1;
  while (split + 4 <= count) {
    const at = INDEX_IN + (split << 2);
    if (!i32x4.all_true(i32x4.gt_s(v128.load(at), v128.load(at - 4)))) break;
    split += 4;
  }
  while (split < count && load<i32>(INDEX_IN + (split << 2)) > load<i32>(INDEX_IN + (split << 2) - 4)) split++;
}

/** The least position of the piece's tokens. */
export function firstPosition(count: i32): i32 {
  const first = load<i32>(INDEX_IN);
  return split < count ? min(first, load<i32>(INDEX_IN + (split << 2))) : first;
}

/** The greatest position of the piece's tokens. */
export function lastPosition(count: i32): i32 {
  return max(load<i32>(INDEX_IN + (split << 2) - 4), load<i32>(INDEX_IN + (count << 2) - 4));
}

// @ts-ignore: decorator
@inline
function loadAt(from: i32, index: v128, base: i32): v128 {
  const first = i32x4.extract_lane(index, 0) - base;
  const at = from + (first << 2);
  if (i32x4.all_true(i32x4.eq(index, i32x4.add(i32x4.splat(first + base), i32x4(0, 1, 2, 3))))) return v128.load(at);
  let x = v128.load32_zero(at);
  x = i32x4.replace_lane(x, 1, load<i32>(from + ((i32x4.extract_lane(index, 1) - base) << 2)));
  x = i32x4.replace_lane(x, 2, load<i32>(from + ((i32x4.extract_lane(index, 2) - base) << 2)));
  return i32x4.replace_lane(x, 3, load<i32>(from + ((i32x4.extract_lane(index, 3) - base) << 2)));
}

/**
 * Looks up the groups of the piece's tokens. `base` is the position of the first entry of ROLLOUT_IN and ID_IN; with
 * `inOrder` 1 these have an entry for each token instead. Without ids `hasIds` is 0. Returns how many tokens have an id from
 * MOST_IDS on: they are left to the driver.
 */
export function findGroups(count: i32, base: i32, hasIds: i32, inOrder: i32): i32 {
  let beyond = 0;
  // Behind the last token, so that the last vector has positions that can be read.
  for (let i = count; i < count + 3; i++) store<i32>(INDEX_IN + (i << 2), base);
  for (let i = 0; i < count; i += 4) {
    const at = i << 2;
    const index = inOrder ? i32x4.add(i32x4.splat(base + i), i32x4(0, 1, 2, 3)) : v128.load(INDEX_IN + at);
    const rollout = loadAt(ROLLOUT_IN, index, base);
    let bucket = i32x4.splat(0);
    for (let edge = 0; edge < EDGES; edge++) {
      bucket = i32x4.sub(bucket, f32x4.ge(rollout, v128.load32_splat(EDGES_IN + (edge << 2))));
    }
    v128.store(BUCKET + at, bucket);
    let id = i32x4.splat(-1);
    if (hasIds) {
      id = loadAt(ID_IN, index, base);
      const isBeyond = i32x4.ge_s(id, i32x4.splat(MOST_IDS));
      if (v128.any_true(isBeyond)) {
        // Of the last vector only as many lanes as there are tokens count.
        beyond += popcnt(i32x4.bitmask(isBeyond) & ((1 << min(count - i, 4)) - 1));
        id = v128.or(id, isBeyond);
      }
      id = i32x4.max_s(id, i32x4.splat(-1));
    }
    v128.store(ID + at, i32x4.add(id, i32x4.splat(1)));
  }
  return beyond;
}

/** Lists the tokens whose Δ is at most `low` or at least `high`. Returns how many. */
export function list(count: i32, low: f32, high: f32): i32 {
  let found = 0;
  const lows = f32x4.splat(low);
  const highs = f32x4.splat(high);
  for (let i = 0; i < count; i += 4) {
    const delta = v128.load(DELTA_IN + (i << 2));
    const outside = v128.or(f32x4.le(delta, lows), f32x4.ge(delta, highs));
    if (v128.any_true(outside)) {
      for (let rest = i32x4.bitmask(outside) & ((1 << min(count - i, 4)) - 1); rest != 0; rest &= rest - 1) {
        store<i32>(LISTED + (found << 2), i + ctz(rest));
        found++;
      }
    }
  }
  return found;
}

/** The first token from `from` on that is in another turn than token `from`; all tokens up to `to` are of one row. */
export function endOfTurn(from: i32, to: i32): i32 {
  const turn = load<i32>(TURN_IN + (from << 2));
  // Turns ascend as positions do.
  if ((from >= split || to <= split) && load<i32>(TURN_IN + (to << 2) - 4) == turn) return to;
  let i = from + 1;
  while (i < to && load<i32>(TURN_IN + (i << 2)) == turn) i++;
  return i;
}

/** The first token of `[from, to)` whose position is not below `position`; positions of them ascend. */
function findPosition(from: i32, to: i32, position: i32): i32 {
  // Most often all tokens in between are there, or all up to the end are below.
  const next = from + position - load<i32>(INDEX_IN + (from << 2));
  if (next <= to && load<i32>(INDEX_IN + (next << 2) - 4) == position - 1) return next;
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<i32>(INDEX_IN + (middle << 2)) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

// @ts-ignore: decorator
@inline
function beside(x: f64, y: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(x), 1, y);
}

// @ts-ignore: decorator
@inline
function addToGroup(group: i32, deltas: v128, k3: f64, magnitude: f32): void {
  v128.store(group, f64x2.add(v128.load(group), deltas));
  store<f64>(group + K3, load<f64>(group + K3) + k3);
  store<i32>(group + TOKENS, load<i32>(group + TOKENS) + 1);
  // Without a branch, since most tokens belong to ids with few others and are often the largest so far.
  const largest = f32x4.pmax(v128.load32_zero(group + LARGEST), f32x4.splat(magnitude));
  v128.store_lane<i32>(group + LARGEST, largest, 0);
}

/**
 * Loads the groups at the places `[from, to)` of a list, to which `first` is added: these loads wait for memory together.
 * Without this only a few would, because a processor looks no further ahead than the sums of a few groups.
 */
function fetchGroups(places: i32, first: i32, from: i32, to: i32): void {
  let all = 0;
  for (let at = places + (from << 2); at < places + (to << 2); at += 4)
    all |= load<i32>(ID_GROUPS + ((load<i32>(at) + first) << 5));
  store<i32>(NOWHERE, all);
}

/** Adds the tokens `[from, to)`, which are of one row, one turn of it and one tenth of it. */
function addStretch(from: i32, to: i32, decile: i32, turn: i32): void {
  const group = DECILE_GROUPS + decile * GROUP;
  const place = ROW_DECILES + (decile << 4);
  const ofTurn = ROW_TURNS + turn * 24;
  let groupDeltas = v128.load(group);
  let groupK3 = load<f64>(group + K3);
  let largest = load<f32>(group + LARGEST);
  // Σ|Δ| of the tenth of the row and of the turn.
  let magnitudes = beside(load<f64>(place + 8), load<f64>(ofTurn + 8));
  let excess = load<f64>(ofTurn + 16);
  let fetched = from;
  let seen = idsSeen;
  for (let i = from; i < to; i++) {
    if (i == fetched) {
      fetched = min(i + AHEAD, to);
      fetchGroups(ID, 0, i, fetched);
    }
    const at = i << 2;
    const delta32 = load<f32>(DELTA_IN + at);
    const magnitude32 = abs(delta32);
    const delta = <f64>delta32;
    const magnitude = <f64>magnitude32;
    const k3 = <f64>load<f32>(K3_IN + at);
    const deltas = beside(delta, magnitude);
    groupDeltas = f64x2.add(groupDeltas, deltas);
    groupK3 += k3;
    if (magnitude32 > largest) largest = magnitude32;
    magnitudes = f64x2.add(magnitudes, f64x2.splat(magnitude));
    excess = excess + k3 + delta;
    addToGroup(BUCKET_GROUPS + (load<i32>(BUCKET + at) << 5), deltas, k3, magnitude32);
    const id = load<i32>(ID + at);
    const ofId = ID_GROUPS + (id << 5);
    // Written for each token, and kept for the first one of an id.
    store<i32>(IDS_SEEN + (seen << 2), id - 1);
    seen += <i32>(load<i32>(ofId + TOKENS) == 0);
    addToGroup(ofId, deltas, k3, magnitude32);
  }
  idsSeen = seen;
  const tokens = to - from;
  v128.store(group, groupDeltas);
  store<f64>(group + K3, groupK3);
  store<i32>(group + TOKENS, load<i32>(group + TOKENS) + tokens);
  store<f32>(group + LARGEST, largest);
  store<f64>(place, load<f64>(place) + <f64>tokens);
  store<f64>(place + 8, f64x2.extract_lane(magnitudes, 0));
  store<f64>(ofTurn, load<f64>(ofTurn) + <f64>tokens);
  store<f64>(ofTurn + 8, f64x2.extract_lane(magnitudes, 1));
  store<f64>(ofTurn + 16, excess);
}

function addJumps(from: i32, to: i32): void {
  let i = from;
  for (; i + 4 <= to; i += 4) {
    const isJump = f32x4.gt(f32x4.abs(v128.load(PROB_DIFF_IN + (i << 2))), f32x4.splat(0.5));
    jumps += popcnt(i32x4.bitmask(isJump));
  }
  for (; i < to; i++) jumps += <i32>(abs(load<f32>(PROB_DIFF_IN + (i << 2))) > 0.5);
}

/**
 * Adds the tokens from `from` on that are of one row, at positions from `start` to before `start + length`, to the groups and to
 * the sums of the row at hand. Returns where they end.
 */
export function addRow(from: i32, count: i32, start: i32, length: i32): i32 {
  const first = load<i32>(INDEX_IN + (from << 2));
  let i = from;
  while (i < count) {
    const position = load<i32>(INDEX_IN + (i << 2));
    if (position < first || position >= start + length) break;
    const ascending = i < split ? split : count;
    const decile = <i32>((<i64>(position - start) * DECILES) / length);
    const high = start + <i32>((<i64>(decile + 1) * length + DECILES - 1) / DECILES);
    const turn = load<i32>(TURN_IN + (i << 2));
    const to = endOfTurn(i, findPosition(i, ascending, high));
    const known = min(turn, TURNS - 1);
    turnsSeen = max(turnsSeen, known + 1);
    addStretch(i, to, decile, known);
    i = to;
  }
  addJumps(from, i);
  return i;
}

function noteBeyond(word: u32, sketch: i32, shift: i32): void {
  const magnitude = word & 0x7fffffff;
  for (let i = 0; i < THRESHOLDS; i++) {
    const limit = load<u32>(THRESHOLDS_IN + (i << 3));
    const whole = limit | load<u32>(THRESHOLDS_IN + (i << 3) + 4);
    if (word >>> shift == whole >>> shift && magnitude > limit) {
      const at = BEYOND + (sketch * THRESHOLDS + i) * 4;
      store<u32>(at, load<u32>(at) + 1);
    }
  }
}

// @ts-ignore: decorator
@inline
function noteExtremes(values: i32, from: i32, to: i32, sketch: i32): void {
  const infinity = f32x4.splat(Infinity);
  let least = infinity;
  let greatest = f32x4.neg(infinity);
  let at = values + (from << 2);
  const end = values + (to << 2);
  for (; at + 16 <= end; at += 16) {
    const x = v128.load(at);
    const isFinite = f32x4.lt(f32x4.abs(x), infinity);
    least = f32x4.pmin(least, v128.bitselect(x, infinity, isFinite));
    greatest = f32x4.pmax(greatest, v128.bitselect(x, f32x4.neg(infinity), isFinite));
  }
  let low = load<f32>(EXTREMES + (sketch << 3));
  let high = load<f32>(EXTREMES + (sketch << 3) + 4);
  for (; at < end; at += 4) {
    const x = load<f32>(at);
    if (abs(x) < Infinity) {
      low = min(low, x);
      high = max(high, x);
    }
  }
  least = f32x4.pmin(least, i32x4.shuffle(least, least, 2, 3, 2, 3));
  greatest = f32x4.pmax(greatest, i32x4.shuffle(greatest, greatest, 2, 3, 2, 3));
  low = min(low, min(f32x4.extract_lane(least, 0), f32x4.extract_lane(least, 1)));
  high = max(high, max(f32x4.extract_lane(greatest, 0), f32x4.extract_lane(greatest, 1)));
  store<f32>(EXTREMES + (sketch << 3), low);
  store<f32>(EXTREMES + (sketch << 3) + 4, high);
}

/** Adds Δ of the tokens `[from, to)` to a sketch in wide cells, and to that of all in fine ones. */
export function addDeltas(from: i32, to: i32, sketch: i32): void {
  const cells = WIDE_CELLS + sketch * WIDE_BYTES;
  const pages = PAGES_SEEN + sketch * PAGES;
  const end = DELTA_IN + (to << 2);
  for (let at = DELTA_IN + (from << 2); at < end; at += 4) {
    const word = load<u32>(at);
    store<u8>(pages + (word >>> 23), 1);
    const fine = FINE_DELTA_CELLS + ((word >>> FINE_SHIFT) << 2);
    store<u32>(fine, load<u32>(fine) + 1);
    const wide = cells + ((word >>> WIDE_SHIFT) << 2);
    const count = load<i32>(wide) + 1;
    store<i32>(wide, count);
    // A threshold of a fine cell is in the wide one around it.
    if (count < 0) {
      noteBeyond(word, sketch, WIDE_SHIFT);
      noteBeyond(word, FINE_DELTAS, FINE_SHIFT);
    }
  }
  noteExtremes(DELTA_IN, from, to, sketch);
}

/** Adds Δp of the piece's tokens to their sketch. */
export function addProbDiffs(count: i32): void {
  const end = PROB_DIFF_IN + (count << 2);
  for (let at = PROB_DIFF_IN; at < end; at += 4) {
    const word = load<u32>(at);
    store<u8>(PAGES_SEEN + FINE_PROB_DIFFS * PAGES + (word >>> 23), 1);
    const cell = FINE_PROB_DIFF_CELLS + ((word >>> FINE_SHIFT) << 2);
    const known = load<i32>(cell) + 1;
    store<i32>(cell, known);
    if (known < 0) noteBeyond(word, FINE_PROB_DIFFS, FINE_SHIFT);
  }
  noteExtremes(PROB_DIFF_IN, 0, count, FINE_PROB_DIFFS);
}
