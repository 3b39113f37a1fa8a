import { expect, test, vi } from "vitest";
import { serving } from "../testing/page";
import { addressOf, api, Problem, quiet } from "./client";

test("places of a path and a query are filled in", async () => {
  const asked = serving(() => ({ body: { line: "" } }));
  const path = { name: "a turn / b" };
  await api("GET solutions/{name}/node", { path, query: { line: "bet 50", whole: false, player: null } });
  expect(asked).toEqual([
    { method: "GET", url: "/api/v1/solutions/a%20turn%20%2F%20b/node?line=bet+50&whole=false", body: undefined },
  ]);
  expect(addressOf("games")).toBe("/api/v1/games");
});

test("a body is sent as JSON, a file as it is, and an empty answer is null", async () => {
  const asked = serving(({ method }) => (method === "DELETE" ? { status: 204 } : { body: { name: "x" } }));
  await api("POST ranges", { body: { text: "AA" } });
  const file = new Blob(["123"]);
  await api("POST solutions", { query: { name: "x" }, body: file });
  expect(asked.map(({ body }) => body)).toEqual([{ text: "AA" }, file]);
  expect(await api("DELETE jobs/{name}", { path: { name: "x" } })).toBeNull();
});

test("what the server says is wrong is thrown", async () => {
  const error = { type: "SpotError", message: "pot: no.", field: "spot.pot", text: "No." };
  serving(() => ({ status: 422, body: { error } }));
  const thrown = await api("GET games").catch((one) => one);
  expect(thrown).toBeInstanceOf(Problem);
  expect(thrown).toMatchObject({ ...error, status: 422 });
  serving(() => ({ status: 500, body: null }));
  expect(await api("GET games").catch((one) => one.message)).toBe("The server answered 500.");
});

test("a server that is gone is named, and whether answers are awaited is known", async () => {
  serving(() => {
    throw new TypeError("failed to fetch");
  });
  const waiting = api("GET games").catch((one) => one);
  expect(quiet()).toBe(false);
  expect(await waiting).toMatchObject({ type: "NoServer", status: 0 });
  expect(quiet()).toBe(true);
});

test("an answer that was cut short is none", async () => {
  vi.stubGlobal("fetch", async () => new Response('{"games": [', { status: 200 }));
  expect(await api("GET games").catch((one) => one)).toMatchObject({ type: "NoServer", status: 0 });
});
