/** Where the page begins. */
import { render } from "preact";
import { messageOf } from "../api/client";
import { say } from "../shared/Said";
import { App } from "./App";
import { followLinks } from "./address";
import { ROOMS } from "./rooms";
import "./style.css";

followLinks(Object.keys(ROOMS));
window.addEventListener("unhandledrejection", (event) => say(messageOf(event.reason)));
render(<App rooms={ROOMS} />, document.getElementById("app") as HTMLElement);
