// First, since the order of the cascade's layers is that of their first mention.
import "./style.css";
import { render } from "preact";
import { App } from "./app.tsx";

render(<App />, document.getElementById("app") as HTMLElement);

// `npm run dev`: what was edited is drawn again in place. Where the page stands is in its address and in modules of state,
// which stay as they are. Builds leave this out.
import.meta.hot?.accept("./app.tsx", (edited) => {
  const { App: Edited } = (edited ?? { App }) as unknown as { readonly App: typeof App };
  render(<Edited />, document.getElementById("app") as HTMLElement);
});
