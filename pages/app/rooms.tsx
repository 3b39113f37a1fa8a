/** The rooms: their titles, and how they are loaded. */
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { go, type RoomProps } from "./address";
import { type Key, useKeys } from "./keys";

type Room = { title: string; load: () => Promise<ComponentType<RoomProps>> };
type OldRoom = { title: string; keys?: Key[]; moved?: (address: unknown) => void; leave?: () => void };

/** A room of plain modules, until it has moved. */
const old = (name: string) => async (): Promise<ComponentType<RoomProps>> => {
  const module = await import(/* @vite-ignore */ `${"/static/rooms/"}${name}.js`);
  return function Old({ address }) {
    const root = useRef<HTMLDivElement>(null);
    const [room, setRoom] = useState<OldRoom | null>(null);
    useEffect(() => {
      let mounted: OldRoom | null = null;
      let left = false;
      module.mount(root.current, { address, go }).then((found: OldRoom) => {
        mounted = found;
        if (left) return found.leave?.();
        setRoom(found);
        document.title = `${found.title} - Errai`;
      });
      return () => {
        left = true;
        mounted?.leave?.();
      };
    }, []);
    useEffect(() => {
      if (room && first.current !== address) room.moved?.(address);
    }, [address, room]);
    const first = useRef(address);
    useKeys(room?.keys ?? []);
    return <div ref={root} />;
  };
};

export const ROOMS: Record<string, Room> = {
  play: { title: "Play", load: async () => (await import("../play")).default },
  solve: { title: "Solve", load: old("solve") },
  study: { title: "Study", load: async () => (await import("../study")).default },
  matches: { title: "Matches", load: async () => (await import("../matches")).default },
};

/** The room of an address that names none. */
export const FIRST = "play";
