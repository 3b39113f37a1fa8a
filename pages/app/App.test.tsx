import { beforeEach, expect, test } from "vitest";
import { click, settled, shown } from "../testing/page";
import { App } from "./App";
import { followLinks, go, type RoomProps } from "./address";
import type { Rooms } from "./rooms";

/** A room that says what its address is. */
const says = (room: string) => async () => ({
  default: ({ address: { name, query } }: RoomProps) => <>{`${room} ${name} ${query}`}</>,
});
const broken = () => {
  throw new Error("no value");
};
const ROOMS: Rooms = {
  home: { title: "Home", icon: "", load: says("home") },
  study: { title: "Study", icon: "", load: says("study") },
  solve: { title: "Solve", icon: "", load: async () => ({ default: broken }) },
  matches: { title: "Matches", icon: "", load: () => Promise.reject(new Error("no file")) },
};
followLinks(Object.keys(ROOMS));

beforeEach(() => history.replaceState(null, "", "/"));

async function opened() {
  const root = shown(<App rooms={ROOMS} />);
  await settled();
  return { root, main: root.querySelector("main") as HTMLElement };
}

test("the address names the room and what it shows", async () => {
  const { root, main } = await opened();
  expect(main.textContent).toBe("home  ");
  go("/study/a%20river?line=check");
  await settled();
  expect(main.textContent).toBe("study a river line=check");
  expect(root.querySelector("nav [aria-current=page]")?.textContent).toBe("Study");
  // Whoever comes into another room by a key or a screen reader is at its beginning.
  expect(document.activeElement).toBe(main);
});

test("links to rooms do not load the page, others do", async () => {
  const { root, main } = await opened();
  await click(root.querySelector("nav a[href='/study']"));
  await settled();
  expect(main.textContent).toContain("study");
  expect(location.pathname).toBe("/study");
  const link = document.createElement("a");
  link.href = "/api/v1/games";
  root.append(link);
  let taken = true;
  link.addEventListener("click", (event) => event.preventDefault());
  document.addEventListener("click", () => (taken = location.pathname !== "/study"), { once: true });
  await click(link);
  expect(taken).toBe(false);
});

test("a room that cannot be loaded or drawn says why, and the next one is shown", async () => {
  const { main } = await opened();
  for (const [path, text] of [
    ["/matches", "This did not workno file"],
    ["/solve", "This did not workno value"],
    ["/home/kuhn", "home kuhn "],
  ]) {
    go(path);
    await settled();
    expect(main.textContent).toBe(text);
  }
});
