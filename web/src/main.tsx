// First: cascade layers rank in the order in which they are first mentioned.
import "./style.css";
import { render } from "preact";
import { App } from "./app.tsx";

render(<App />, document.getElementById("app") as HTMLElement);

// `npm run dev`: edited components are redrawn in place. The page's state is in its address and in state modules, which
// stay as they are. Builds leave this out.
import.meta.hot?.accept("./app.tsx", (edited) => {
  const { App: Edited } = (edited ?? { App }) as unknown as { readonly App: typeof App };
  render(<Edited />, document.getElementById("app") as HTMLElement);
});
