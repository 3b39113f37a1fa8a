/** A field for a file, which can be dropped on it too. */
import type { TargetedDragEvent } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "./Icon";
import { fileSize } from "./numbers";
import "./file.css";

const ARROW = "M12 15V4M7.5 8.5L12 4l4.5 4.5M4 15v5h16v-5";

type Props = { file: File | null; take: (file: File) => void; problem: string };

export function FileField({ file, take, problem }: Props) {
  const [over, setOver] = useState(false);
  const given = (files: FileList | null | undefined) => {
    if (files?.[0]) take(files[0]);
  };
  const drag = (event: TargetedDragEvent<HTMLElement>) => {
    event.preventDefault();
    setOver(event.type === "dragover");
    if (event.type === "drop") given(event.dataTransfer?.files);
  };
  return (
    <>
      <label class={over ? "drop over" : "drop"} for="review-file" onDragOver={drag} onDragLeave={drag} onDrop={drag}>
        <input
          class="unseen"
          id="review-file"
          type="file"
          aria-describedby={problem ? "review-file-said" : undefined}
          onChange={(event) => given(event.currentTarget.files)}
        />
        {file ? (
          <>
            <strong>{file.name}</strong>
            <span class="soft">{fileSize(file.size)}; choose another, or drop it here</span>
          </>
        ) : (
          <>
            <Icon path={ARROW} />
            <strong>Drop a file of hands here, or choose one</strong>
            <span class="soft">PokerStars, GGPoker, PHH, or a dealer’s log</span>
          </>
        )}
      </label>
      {problem && (
        <p id="review-file-said" class="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
