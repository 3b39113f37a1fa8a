/** What a review does, for who has not seen one. */
export const WhatHappens = () => (
  <ol class="happens">
    <li>
      <strong>Each spot is solved</strong>
      <span class="soft">
        A hand that two players bring to the flop begins a spot: the ranges come from charts, and the spot is solved on
        this computer, or is compared with a solution that you have.
      </span>
    </li>
    <li>
      <strong>Each decision is graded</strong>
      <span class="soft">By the expected value that it gives up against the best action with these cards.</span>
    </li>
    <li>
      <strong>The mistakes come first</strong>
      <span class="soft">Look at them in Study, and train them in Drills until they are right.</span>
    </li>
  </ol>
);
