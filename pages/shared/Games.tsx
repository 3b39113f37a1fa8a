/** The games of the catalogue as choices: hold'em first, and games that are for research last. */
import type { ComponentChildren } from "preact";
import type { GameView } from "../api/types";
import { type Choice, Options } from "./fields";

/** Those that people play, the usual one first. */
const PLAYED = ["holdem.nolimit.2p", "holdem.limit.2p"];

type Props = {
  games: GameView[];
  chosen: string;
  /** What stands before the name of a game in its value. */
  kind?: string;
  /** Choices between the two groups. */
  children?: ComponentChildren;
};

export function GameOptions({ games, chosen, kind = "", children }: Props) {
  const choice = ({ name, title }: GameView): Choice => [kind + name, title];
  const played = PLAYED.flatMap((name) => games.filter((one) => one.name === name));
  const others = games.filter((one) => !PLAYED.includes(one.name));
  return (
    <>
      <Options options={played.map(choice)} chosen={chosen} />
      {children}
      <optgroup label="More games, small or for research">
        <Options options={others.map(choice)} chosen={chosen} />
      </optgroup>
    </>
  );
}
