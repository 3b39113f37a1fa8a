/** Cards, as text in the colour of their suit; screen readers read "A of hearts". */
const SUITS: Record<string, [string, string]> = {
  s: ["♠", "spades"],
  h: ["♥", "hearts"],
  d: ["♦", "diamonds"],
  c: ["♣", "clubs"],
};

/** The sign of a suit. */
export const suitSign = (suit: string): string => SUITS[suit]?.[0] ?? "";
/** The name of a suit. */
export const suitName = (suit: string): string => SUITS[suit]?.[1] ?? "?";

const RANKS: Record<string, string> = { T: "10", J: "jack", Q: "queen", K: "king", A: "ace" };

/** A card in words. */
export const inWords = (card: string): string => `${RANKS[card[0]] ?? card[0]} of ${suitName(card[1])}`;

/** A card such as "Ah". */
export function Card({ card }: { card: string }) {
  return (
    <span class={`card ${card[1]}`}>
      <span aria-hidden="true">
        {card[0]}
        {suitSign(card[1])}
      </span>
      <span class="unseen">{`${card[0]} of ${suitName(card[1])}`}</span>
    </span>
  );
}

/** Cards of a text such as "AhKd". */
export function Cards({ text }: { text: string }) {
  return (text.replace(/\s+/g, "").match(/../g) ?? []).map((card) => <Card key={card} card={card} />);
}
