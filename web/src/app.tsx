import { ROUTES } from "./routes.tsx";
import { Shell } from "./shell/shell.tsx";
import { run } from "./state/loaded.ts";
import { route } from "./state/url.ts";
import { WhenLoaded } from "./ui/when-loaded.tsx";

/** The frame around every view. */
export function App() {
  const { view } = route.value;
  const current = ROUTES.find(({ name }) => name === view) ?? ROUTES[0]!;
  return (
    <WhenLoaded of={run()}>
      {(info) => (
        <Shell info={info} views={ROUTES}>
          <current.View info={info} />
        </Shell>
      )}
    </WhenLoaded>
  );
}
