/** What stands in the place of a solution while its file is opened, which takes seconds for a large one. */
export function Skeleton({ name }: { name: string }) {
  return (
    <div aria-busy="true">
      <div class="top">
        <div class="from">
          <h1>
            <a href="/study">Study</a> <span aria-hidden="true">/</span> {name}
          </h1>
        </div>
      </div>
      <p class="soft" role="status">
        Opening {name} …
      </p>
      <div class="body" aria-hidden="true">
        <div class="hands skeleton" style={{ "--columns": 13 }}>
          {Array.from({ length: 169 }, (_, i) => (
            <span key={i} />
          ))}
        </div>
      </div>
    </div>
  );
}
