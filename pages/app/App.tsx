/** The page around the rooms: it shows the room that the address names. */
import type { ComponentType } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../api/client";
import { useEvents } from "../api/events";
import { Icon } from "../shared/Icon";
import { useModel } from "../shared/model";
import { Boundary } from "../shared/Part";
import { Said, say } from "../shared/Said";
import { type Address, places, type RoomProps } from "./address";
import { KeysDialog, showKeys } from "./keys";
import { FIRST, type Rooms } from "./rooms";

const STAR = "M12 2.5l2.2 7.3 7.3 2.2-7.3 2.2L12 21.5l-2.2-7.3L2.5 12l7.3-2.2z";

type Shown = { name: string; Room: ComponentType<RoomProps>; address: Address };

/** What stands in the place of a room that cannot be loaded or drawn. */
function Trouble({ problem }: { problem: string }) {
  return (
    <>
      <h1>This did not work</h1>
      <p class="problem">{problem}</p>
    </>
  );
}

export function App({ rooms }: { rooms: Rooms }) {
  const { room, address } = useModel(places);
  const wanted = room in rooms ? room : FIRST;
  const [shown, setShown] = useState<Shown | null>(null);
  const main = useRef<HTMLElement>(null);
  const place = location.pathname + location.search;
  // A room is shown when it is loaded; until then the one before it stays as it is.
  useLayoutEffect(() => {
    if (shown?.name === wanted) return setShown({ ...shown, address });
    let current = true;
    const put = (Room: ComponentType<RoomProps>) => current && setShown({ name: wanted, Room, address });
    rooms[wanted].load().then(
      ({ default: Room }) => put(Room),
      (error) => put(() => <Trouble problem={messageOf(error)} />),
    );
    return () => {
      current = false;
    };
  }, [wanted, place]);
  const before = useRef("");
  useEffect(() => {
    if (!shown) return;
    if (before.current) main.current?.focus();
    before.current = shown.name;
  }, [shown?.name]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <a class="name" href={`/${FIRST}`}>
          <Icon path={STAR} />
          Errai
        </a>
        <nav aria-label="Rooms">
          {Object.entries(rooms).map(([name, { title, icon }]) => (
            <a key={name} href={`/${name}`} aria-current={name === wanted ? "page" : undefined}>
              <Icon path={icon} />
              {title}
            </a>
          ))}
        </nav>
        <button id="keys" type="button" aria-haspopup="dialog" onClick={showKeys}>
          Keys <kbd>?</kbd>
        </button>
      </header>
      <ServerNotice />
      <main id="main" tabIndex={-1} ref={main}>
        {shown && (
          <div class={`room ${shown.name}`} key={shown.name}>
            <Boundary instead={(problem) => <Trouble problem={problem} />}>
              <shown.Room address={shown.address} />
            </Boundary>
          </div>
        )}
      </main>
      <Said />
      <KeysDialog />
    </>
  );
}

/** What is wrong with the connection to the server. */
function ServerNotice() {
  const [problem, setProblem] = useState("");
  useEvents("server", (now) => {
    setProblem(now);
    if (!now) say("The server answers again.");
  });
  return (
    <p id="server" role="alert" hidden={!problem}>
      {problem}
    </p>
  );
}
