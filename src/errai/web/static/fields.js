/** The fields of forms: a label, what is typed or chosen, and what is wrong with it. */
import { html, nothing } from "./vendor/lit-html.js";

/**
 * A field of text.  What is wrong with it stands below it, in a row of fields below the row.
 * @param {string} id  @param {string} label  @param {string} value  @param {(text: string) => void} put
 * @param {{ hint?: string, width?: string, mode?: string, problem?: string }} [more]  `mode` is an inputmode of HTML
 */
export function fieldView(id, label, value, put, { hint = "", width = "", mode = "text", problem = "" } = {}) {
  return html`<div class="field ${width}"><label for=${id}>${label}</label>
    <input id=${id} .value=${value} inputmode=${mode} placeholder=${hint} autocomplete="off" spellcheck="false"
      aria-invalid=${problem !== ""} aria-describedby=${problem ? `${id}-said` : nothing}
      @input=${(event) => put(event.target.value)}></div>${
        problem ? html`<p id="${id}-said" class="problem">${problem}</p>` : nothing
      }`;
}

/** A field of several lines. @param {string} id  @param {string} value  @param {(text: string) => void} put
 *  @param {{ rows: number, hint?: string, problem?: string }} more */
export function textView(id, value, put, { rows, hint = "", problem = "" }) {
  return html`<textarea id=${id} rows=${rows} spellcheck="false" .value=${value} aria-invalid=${problem !== ""}
    aria-describedby="${id}-said" placeholder=${hint} @input=${(event) => put(event.target.value)}></textarea><p
    id="${id}-said" class="problem">${problem}</p>`;
}

/** A box to be checked. @param {string} label  @param {boolean} value  @param {(on: boolean) => void} put
 *  @param {boolean} [off] */
export const checkView = (label, value, put, off = false) =>
  html`<label class="check"><input type="checkbox" ?disabled=${off} .checked=${value && !off}
    @change=${(event) => put(event.target.checked)}> ${label}</label>`;

/** The choices of a select. @param {string[][]} options  values and their texts  @param {string} chosen */
export const optionsView = (options, chosen) =>
  options.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`);

/** A choice. @param {string} id  @param {string} label  @param {string} value
 *  @param {string[][]} options  values and their texts  @param {(value: string) => void} put */
export const selectView = (id, label, value, options, put) =>
  html`<div class="field"><label for=${id}>${label}</label>
    <select id=${id} @change=${(event) => put(event.target.value)}>${optionsView(options, value)}</select></div>`;
