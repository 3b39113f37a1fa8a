/** What stands in the place of a solution while its file is opened, which takes seconds for a large one. */
export function Skeleton({ name }: { name: string }) {
  const blocks = (count: number) => Array.from({ length: count }, (_, i) => <span key={i} />);
  return (
    <div aria-busy="true">
      <div class="top">
        <h1>
          <a href="/study">Study</a> <span aria-hidden="true">/</span> {name}
        </h1>
        <p class="soft" role="status">
          Opening …
        </p>
      </div>
      <div class="skeleton line" aria-hidden="true">
        {blocks(1)}
      </div>
      <div class="body" aria-hidden="true">
        <div class="skeleton modes">{blocks(1)}</div>
        <div class="skeleton hands range" style={{ "--columns": 13 }}>
          {blocks(169)}
        </div>
        <div class="skeleton facts">{blocks(1)}</div>
        <div class="skeleton next">{blocks(3)}</div>
        <div class="skeleton side">{blocks(1)}</div>
      </div>
    </div>
  );
}
