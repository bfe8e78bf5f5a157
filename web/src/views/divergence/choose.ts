/**
 * Chooses and orders the items of this view's lists.
 *
 * @module
 */
import type { TokenGroup, TokenOccurrence, TopTokens } from "../../../../src/results/view.ts";

export const LISTS = [
  { name: "occurrence", title: "Occurrences", noun: "token" },
  { name: "token", title: "By token", noun: "token" },
  { name: "class", title: "By class", noun: "class" },
  { name: "position", title: "By position", noun: "part" },
  { name: "turn", title: "By turn", noun: "turn" },
] as const;
export type ListName = (typeof LISTS)[number]["name"];
export type GroupList = Exclude<ListName, "occurrence">;

export function selectGroups(
  top: Pick<TopTokens, `by_${GroupList}`>,
  list: GroupList,
): readonly TokenGroup[] {
  return top[`by_${list}`];
}

export interface ItemOrder<Item> {
  readonly key: string;
  readonly value: (item: Item) => number | string | null;
}

export const OCCURRENCE_ORDERS: readonly ItemOrder<TokenOccurrence>[] = [
  { key: "size", value: ({ delta }) => Math.abs(delta) },
  { key: "delta", value: ({ delta }) => delta },
  { key: "rollout", value: ({ rollout_logprob }) => rollout_logprob },
  { key: "trainer", value: ({ trainer_logprob }) => trainer_logprob },
  { key: "turn", value: ({ turn }) => turn },
  { key: "step", value: ({ step }) => step },
  { key: "correct", value: ({ correct }) => correct },
  { key: "text", value: ({ text, token_id }) => text ?? token_id },
];

export const GROUP_ORDERS: readonly ItemOrder<TokenGroup>[] = [
  { key: "label", value: ({ label }) => label },
  { key: "tokens", value: ({ tokens }) => tokens },
  { key: "mean", value: ({ delta_mean }) => delta_mean },
  { key: "abs", value: ({ delta_abs_mean }) => delta_abs_mean },
  { key: "worst", value: ({ delta_abs_max }) => delta_abs_max },
  { key: "k3", value: ({ share_of_k3 }) => share_of_k3 },
];

/** Sorts by a key; `-k3` sorts descending. Null comes last either way; an unknown key keeps the order. */
export function ordered<Item>(
  items: readonly Item[],
  orders: readonly ItemOrder<Item>[],
  sort: string | undefined,
): readonly Item[] {
  const order = orders.find(({ key }) => key === sort?.replace(/^-/, ""));
  if (order === undefined) return items;
  const sign = sort?.startsWith("-") ? -1 : 1;
  return [...items].sort((a, b) => {
    const [x, y] = [order.value(a), order.value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    if (typeof x === "string" || typeof y === "string")
      return sign * String(x).localeCompare(String(y), "en", { numeric: true });
    return sign * (x - y);
  });
}

/** Occurrences whose token, context or handle contains the text; case does not matter. */
export function occurrencesWith(
  occurrences: readonly TokenOccurrence[],
  find: string,
): readonly TokenOccurrence[] {
  const wanted = find.toLowerCase();
  return occurrences.filter(({ text, before, after, handle, token_id }) =>
    [text, before, after, handle, `#${token_id}`].some((part) => part?.toLowerCase().includes(wanted)),
  );
}

export function groupsWith(groups: readonly TokenGroup[], find: string): readonly TokenGroup[] {
  const wanted = find.toLowerCase();
  return groups.filter(({ label }) => label.toLowerCase().includes(wanted));
}
