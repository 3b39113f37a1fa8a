/** The list of solutions: open, take in, delete. */

import { api, listen } from "./api.js";
import { copyButton, say } from "./dom.js";
import { tableView } from "./table.js";
import { html, render } from "./vendor/lit-html.js";

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A number of bytes in a unit that fits. @param {number} bytes */
export function bytesText(bytes) {
  const at = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** at).toPrecision(3))} ${UNITS[at]}`;
}

/** The name that a file gets: its own without the ending, and with hyphens for what a name cannot have.
 *  @param {string} file */
export const nameOf = (file) =>
  file
    .replace(/\.errai$/i, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/\.{2,}/g, ".")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 100) || "solution";

/** Read the list of solutions, now and whenever a job has ended, as long as it is looked at.
 *  @param {(solutions: any[]) => void} changed @param {() => boolean} current  whether it is still looked at */
export async function followSolutions(changed, current) {
  const ended = new Set();
  let timer = 0;
  const read = async () => {
    const { solutions } = await api("solutions");
    if (current()) changed(solutions);
  };
  const end = listen("job", ({ id, state }) => {
    if (!current()) return end();
    if (!["done", "stopped", "failed"].includes(state)) return ended.delete(id);
    if (ended.has(id)) return;
    ended.add(id);
    // A stream begins with all jobs there are.
    clearTimeout(timer);
    timer = setTimeout(read, 100);
  });
  await read().catch((error) => {
    end();
    throw error;
  });
}

/** Show the list. @param {HTMLElement} root @param {() => boolean} current  whether the list is still to be shown */
export async function listView(root, current) {
  /** @type {any[]} */
  let found = [];
  /** @type {any} */
  let sort = null;
  let busy = "",
    problem = "";

  const columns = [
    {
      name: "solution",
      text: true,
      value: (one) => one.title,
      view: (one) =>
        html`<a href=${`/study/${encodeURIComponent(one.name)}`}>${one.title || one.name}</a><br><span
          class="soft">${one.name}${one.error ? html`: <span class="problem">${one.error}</span>` : ""}</span>`,
    },
    { name: "game", text: true, value: (one) => one.game, view: (one) => one.game },
    {
      name: "exploitability",
      label: "exploitability, % of the pot",
      value: (one) => one.exploitability?.pot_percent ?? null,
      view: (one) => (one.exploitability ? Number(one.exploitability.pot_percent.toPrecision(2)) : "–"),
    },
    {
      name: "status",
      text: true,
      value: (one) => one.status,
      view: (one) =>
        html`${one.status}${
          one.certified === null ? "" : one.certified ? ", verified" : html`, <span class="problem">differs</span>`
        }`,
    },
    { name: "size", value: (one) => one.bytes, view: (one) => bytesText(one.bytes) },
    {
      name: "changed",
      value: (one) => one.modified,
      view: (one) => new Date(one.modified * 1000).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }),
    },
    {
      name: "more",
      text: true,
      label: html`<span class="unseen">more</span>`,
      view: (one) =>
        html`${copyButton(one.command)}${
          one.shipped
            ? html`<span class="soft">comes with Errai</span>`
            : html`<button type="button" class="quiet" aria-label=${`Delete ${one.name}`}
                @click=${() => remove(one)}>Delete</button>`
        }`,
    },
  ];

  function draw() {
    if (!current()) return;
    render(
      html`<h1>Study</h1>
      ${
        found.every((one) => one.shipped)
          ? html`<p>There are no solutions yet. <a href="/solve">Solve a spot</a>, or take in a file.</p>`
          : ""
      }
      ${
        found.length
          ? html`<div class="wide" role="region" aria-label="Solutions" tabindex="0">${tableView({
              caption: "Solutions",
              columns,
              rows: found,
              sort,
              setSort: (next) => {
                sort = next;
                draw();
              },
            })}</div>`
          : ""
      }
      <form class="row panel upload" @submit=${upload}><label for="file">A solution file (.errai)</label><input
        id="file" name="file" type="file" accept=".errai" required>
        <button ?disabled=${busy !== ""}>${busy || "Take in"}</button></form>
      <p class="problem" role="alert">${problem}</p>`,
      root,
    );
  }

  async function upload(event) {
    event.preventDefault();
    const form = event.target;
    const file = form.elements.file.files[0];
    if (!file) return;
    busy = `Checking ${file.name} …`;
    problem = "";
    draw();
    try {
      const one = await api(`solutions?${new URLSearchParams({ name: nameOf(file.name) })}`, { body: file });
      say(`${one.title} has been taken in.`);
      found = (await api("solutions")).solutions;
      form.reset();
    } catch (error) {
      problem = error.message;
    }
    busy = "";
    draw();
  }

  async function remove(one) {
    if (!window.confirm(`Delete the solution ${one.name}? Its file is removed from the disk.`)) return;
    problem = "";
    try {
      await api(`solutions/${encodeURIComponent(one.name)}`, { method: "DELETE" });
      say(`${one.name} has been deleted.`);
    } catch (error) {
      problem = error.message;
    }
    found = (await api("solutions")).solutions;
    draw();
  }

  await followSolutions((solutions) => {
    found = solutions;
    draw();
  }, current);
}
