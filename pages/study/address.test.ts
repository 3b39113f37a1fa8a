import { expect, test } from "vitest";
import { addressOf, stateOf } from "./address";

const read = (query: string) => stateOf({ name: "a river", query: new URLSearchParams(query) });

test("an address is written as it was read", () => {
  for (const query of [
    "",
    "line=bet+50&by=eqr&player=0&hand=KQs&tab=ranges",
    "only=set%2Ch&unit=pot",
    "tab=compare&with=river-half",
    "line=check&tab=lock&lock=%7B%22%22%3A%7B%7D%7D&whole=1",
  ]) {
    const [path, written = ""] = addressOf(read(query)).split("?");
    expect(path).toBe("/study/a%20river");
    expect(Object.fromEntries(new URLSearchParams(written))).toEqual(Object.fromEntries(new URLSearchParams(query)));
  }
});

test("what an address cannot say is taken as usual", () => {
  expect(read("by=beauty&player=2&tab=x&whole=yes")).toEqual(read(""));
});
