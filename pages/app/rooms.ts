/** The rooms: their titles, and how they are loaded. */
import type { ComponentType } from "preact";
import type { RoomProps } from "./address";

/** By the first part of their addresses. */
export type Rooms = Record<string, { title: string; load: () => Promise<{ default: ComponentType<RoomProps> }> }>;

export const ROOMS: Rooms = {
  play: { title: "Play", load: () => import("../play") },
  solve: { title: "Solve", load: () => import("../solve") },
  study: { title: "Study", load: () => import("../study") },
  drills: { title: "Drills", load: () => import("../drills") },
  reviews: { title: "Reviews", load: () => import("../reviews") },
  reports: { title: "Reports", load: () => import("../reports") },
  matches: { title: "Matches", load: () => import("../matches") },
};

/** The room of an address that names none. */
export const FIRST = "play";
