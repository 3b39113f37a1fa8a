/**
 * A table whose rows can be sorted by every column, with rows at its top that stay.
 *
 * @typedef {{ name: string, label?: any, value?: (row: any) => number | string | null, view: (row: any) => any,
 *             text?: boolean }} Column  `name` is the plain heading, `label` what is shown instead; a column without
 *   `value` cannot be sorted by
 * @typedef {{ by: string, down: boolean }} Sort
 */
import { html } from "./vendor/lit-html.js";

/** Rows on a page: to lay out more of them takes longer than all else that a node needs. */
const PAGE = 50;

/** Rows by the value of a column; those without a value come last. @template T @param {T[]} rows
 *  @param {Column[]} columns @param {Sort | null} sort @returns {T[]} */
export function sorted(rows, columns, sort) {
  const value = sort && columns.find((one) => one.name === sort.by)?.value;
  if (!value) return rows;
  const sign = sort.down ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: value(row) }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    return sign * (typeof a.key === "string" ? a.key.localeCompare(String(b.key)) : a.key - Number(b.key));
  });
  return keyed.map((one) => one.row);
}

/**
 * @param {{ caption: string, columns: Column[], rows: any[], fixed?: any[], sort: Sort | null,
 *           setSort: (sort: Sort) => void, mark?: (row: any) => boolean, page?: number,
 *           setPage?: (page: number) => void, things?: string }} options
 *   `fixed` rows stay at the top; `mark` says which row is chosen; with `setPage` the sorted rows have pages, of which
 *   `page` is shown, and `things` says in the plural what the rows are
 */
export function tableView({
  caption,
  columns,
  rows,
  fixed = [],
  sort,
  setSort,
  mark = () => false,
  page = 0,
  setPage,
  things = "rows",
}) {
  const turn = setPage ?? (() => {});
  const pages = setPage ? Math.max(1, Math.ceil(rows.length / PAGE)) : 1,
    at = Math.min(page, pages - 1);
  const from = at * PAGE,
    to = pages > 1 ? Math.min(rows.length, from + PAGE) : rows.length;
  const line = (row, chosen) =>
    html`<tr aria-current=${chosen ? "true" : "false"}>${columns.map((one, i) =>
      i === 0
        ? html`<th scope="row">${one.view(row)}</th>`
        : html`<td class=${one.text ? "text" : ""}>${one.view(row)}</td>`,
    )}</tr>`;
  const heading = (one) => {
    const order = sort?.by === one.name ? (sort?.down ? "descending" : "ascending") : "none";
    if (!one.value) return html`<th scope="col" class=${one.text ? "text" : ""}>${one.label ?? one.name}</th>`;
    return html`<th scope="col" class=${one.text ? "text" : ""}
      aria-sort=${order}><button type="button"
      @click=${() =>
        setSort({
          by: one.name,
          down: order === "none" ? !one.text : order === "ascending",
        })}>${one.label ?? one.name}<span
        aria-hidden="true">${{ descending: " ↓", ascending: " ↑", none: "" }[order]}</span></button></th>`;
  };
  return html`<table class="sorted"><caption
    class="unseen">${caption}</caption><thead><tr>${columns.map(heading)}</tr>${fixed.map((row) =>
      line(row, false),
    )}</thead>
    <tbody>${sorted(rows, columns, sort)
      .slice(from, to)
      .map((row) => line(row, mark(row)))}</tbody></table>
    ${
      pages < 2
        ? ""
        : html`<p class="row"><button type="button" ?disabled=${at === 0} @click=${() => turn(at - 1)}>Previous
          ${things}</button>
      <span>${from + 1} to ${to} of ${rows.length.toLocaleString("en")}</span>
      <button type="button" ?disabled=${at === pages - 1} @click=${() => turn(at + 1)}>Next ${things}</button></p>`
    }`;
}

/** A table without sorting, of which the first cell of a row is its heading.
 *  @param {string} caption  @param {any[]} heads  @param {any[][]} rows */
export const smallTable = (caption, heads, rows) =>
  html`<div class="wide"><table><caption class="unseen">${caption}</caption>
    <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${rows.map(
      ([first, ...cells]) => html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
    )}</tbody></table></div>`;
