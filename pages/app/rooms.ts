/** The rooms: their titles, what stands for them, and how they are loaded. */
import type { ComponentType } from "preact";
import type { RoomProps } from "./address";

export type Room = {
  title: string;
  /** The path of a drawing of 24 by 24, in lines. */
  icon: string;
  load: () => Promise<{ default: ComponentType<RoomProps> }>;
};

/** By the first part of their addresses. */
export type Rooms = Record<string, Room>;

const CIRCLE = "m-2.5 0a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0-5 0";

export const ROOMS: Rooms = {
  home: { title: "Home", icon: "M3 11 12 4l9 7M6 9.5V20h12V9.5", load: () => import("../home") },
  study: {
    title: "Study",
    icon: "M4 4h16v16H4zM4 9.3h16M4 14.7h16M9.3 4v16M14.7 4v16",
    load: () => import("../study"),
  },
  solve: {
    title: "Solve",
    icon: `M4 7h8M17 7h3M4 17h3M12 17h8M14.5 7${CIRCLE}M9.5 17${CIRCLE}`,
    load: () => import("../solve"),
  },
  play: {
    title: "Play",
    icon: "M12 3c3 4 8 6.5 8 10.5a3.9 3.9 0 0 1-7 2.4l1 5.1h-4l1-5.1a3.9 3.9 0 0 1-7-2.4C4 9.5 9 7 12 3z",
    load: () => import("../play"),
  },
  drills: {
    title: "Drills",
    icon: "M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18zM12 8a4 4 0 1 0 0 8a4 4 0 1 0 0-8z",
    load: () => import("../drills"),
  },
  reviews: {
    title: "Reviews",
    icon: "M4 6h16M4 11h6M4 16h5M15.5 10.5a4 4 0 1 0 0 8a4 4 0 1 0 0-8zM18.5 17.5L21 20",
    load: () => import("../reviews"),
  },
  reports: { title: "Reports", icon: "M4 20h16M7 16v-5M12 16V5M17 16V8", load: () => import("../reports") },
  matches: { title: "Matches", icon: "M4 8h14l-4-4M20 16H6l4 4", load: () => import("../matches") },
};

/** The room of an address that names none. */
export const FIRST = "home";
