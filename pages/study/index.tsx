/** The room Study: the list of solutions, and a solution with its line, its grid of hands and its tables. */
import type { RoomProps } from "../app/address";
import { Solution } from "./Solution";
import { SolutionList } from "./SolutionList";
import "./style.css";

export default function StudyRoom({ address }: RoomProps) {
  return address.name ? <Solution address={address} /> : <SolutionList />;
}
