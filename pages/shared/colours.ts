/** Colours that several rooms need. */

/** The colour of an action in a style sheet: all-in is lighter on a dark page. */
export const paint = (hex: string): string => (hex.toLowerCase() === "#540e2c" ? "var(--all-in)" : hex);
