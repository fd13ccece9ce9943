// In the page: when keys are pressed, and which frames are drawn. Both by the page's own clock, in milliseconds.

/**
 * Begin to note, anew. Each key down has the time at which the browser got it; each frame in which the cursor's line or
 * the ghost text is another has the time after it was drawn: a message posted when a frame begins is worked off behind
 * its layout and paint. A task is long from 50 ms on, by the browser's definition.
 */
export function beginToRecord() {
  const text = (element) => (element.textContent ?? "").replaceAll("\u00a0", " ");
  const active = ".editor-group-container.active ";
  const cursorLine = () => {
    const top = document.querySelector(`${active}.cursors-layer .cursor`)?.style.top;
    return [...document.querySelectorAll(`${active}.view-lines .view-line`)].find((line) => line.style.top === top);
  };
  const look = () => {
    const line = cursorLine();
    if (line === undefined) return undefined;
    const first = [...line.querySelectorAll(".ghost-text-decoration")].map(text).join("");
    const rows = document.querySelectorAll(
      ".view-zones .suggest-preview-text .view-line, .view-zones .suggest-preview-text > div",
    );
    const ghost = [first, ...[...rows].map(text)].join("\n");
    return { line: first === "" ? text(line) : text(line).replace(first, ""), ghost };
  };
  window.draftwireRecord?.stop();
  const record = { keys: [], frames: [], longTasks: [], stop };
  window.draftwireRecord = record;
  const pressed = (event) => record.keys.push({ at: event.timeStamp, key: event.key });
  const tasks = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) record.longTasks.push(entry.duration);
  });
  const drawn = new MessageChannel();
  let isRunning = true;
  drawn.port1.onmessage = () => {
    const now = look();
    const last = record.frames.at(-1);
    const isOther = now !== undefined && (now.line !== last?.line || now.ghost !== last?.ghost);
    if (isOther) record.frames.push({ at: performance.now(), ...now });
  };
  const frame = () => {
    if (!isRunning) return;
    drawn.port2.postMessage(null);
    requestAnimationFrame(frame);
  };
  function stop() {
    isRunning = false;
    window.removeEventListener("keydown", pressed, true);
    tasks.disconnect();
  }
  window.addEventListener("keydown", pressed, true);
  tasks.observe({ type: "longtask" });
  requestAnimationFrame(frame);
}

/** What was noted; and no more is. */
export function endRecord() {
  const { keys, frames, longTasks, stop } = window.draftwireRecord;
  stop();
  return { keys, frames, longTasks };
}
