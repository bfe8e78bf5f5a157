import type { ComponentType } from "preact";
import type { ViewName } from "./state/url.ts";
import type { ViewProps } from "./view-props.ts";
import { OverviewView } from "./views/overview/view.tsx";
import { SequenceView } from "./views/sequence/view.tsx";
import { SequencesView } from "./views/sequences/view.tsx";
import { TokensView } from "./views/tokens/view.tsx";
import { WhatIfView } from "./views/whatif/view.tsx";

/** Every view; those without a title are reached from others. */
export const ROUTES: readonly {
  readonly name: ViewName;
  readonly title?: string;
  readonly View: ComponentType<ViewProps>;
}[] = [
  { name: "overview", title: "Overview", View: OverviewView },
  { name: "sequences", title: "Sequences", View: SequencesView },
  { name: "sequence", View: SequenceView },
  { name: "tokens", title: "Tokens", View: TokensView },
  { name: "whatif", title: "What if", View: WhatIfView },
];
