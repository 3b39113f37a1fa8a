/** The room Matches. */
import { html, render } from "../vendor/lit-html.js";

/** @param {HTMLElement} root  @param {import("../app.js").Context} context  @returns {Promise<import("../app.js").Room>} */
export async function mount(root, context) {
  render(html`<h1>Matches</h1>`, root);
  return { title: "Matches" };
}
