import { ROUTES } from "./routes.tsx";
import { run } from "./state/loaded.ts";
import { hrefOf, route } from "./state/url.ts";
import { WhenLoaded } from "./ui/when-loaded.tsx";

/** The frame around every view. */
export function App() {
  const { view } = route.value;
  const current = ROUTES.find(({ name }) => name === view) ?? ROUTES[0]!;
  return (
    <WhenLoaded of={run()}>
      {(info) => (
        <>
          <header class="top">
            <strong class="run">{info.name}</strong>
            <nav aria-label="Views">
              {ROUTES.filter(({ title }) => title !== undefined).map(({ name, title }) => (
                <a
                  key={name}
                  href={hrefOf({ view: name, token: undefined })}
                  aria-current={name === current.name ? "page" : undefined}
                >
                  {title}
                </a>
              ))}
            </nav>
          </header>
          <main>
            <current.View info={info} />
          </main>
        </>
      )}
    </WhenLoaded>
  );
}
