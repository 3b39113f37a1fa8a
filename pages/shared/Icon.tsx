/** A drawing in lines, which stands beside a name and says nothing of its own. */
export const Icon = ({ path }: { path: string }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={path} />
  </svg>
);
