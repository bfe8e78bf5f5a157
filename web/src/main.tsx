// First, since the order of the cascade's layers is that of their first mention.
import "./style.css";
import { render } from "preact";
import { App } from "./app.tsx";

render(<App />, document.getElementById("app") as HTMLElement);
