import { type Signal, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { type Loaded, settle } from "../state/loaded.ts";
import { WhenLoaded } from "./when-loaded.tsx";

/** A view whose code is fetched when it is first shown: most runs never show it. */
export function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: Signal<Loaded<ComponentType<Props>>> | undefined;
  return function Lazy(props: Props) {
    if (loaded === undefined) {
      loaded = signal<Loaded<ComponentType<Props>>>({ state: "loading" });
      settle(load(), loaded);
    }
    return <WhenLoaded of={loaded}>{(View) => <View {...props} />}</WhenLoaded>;
  };
}
