// Plays the user of a workbench in a browser: one JSON request a line on standard input, one JSON answer each. What is
// right is for the tests to say; here is only how to do it and how to read the screen.
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";
import { beginToRecord, endRecord } from "./recorder.mjs";

const [profile, executablePath] = process.argv.slice(2);
const NEVER = { timeout: 60_000 };
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const context = await chromium.launchPersistentContext(profile, {
  executablePath,
  headless: true,
  viewport: { width: 1280, height: 800 },
  args: FLAGS,
});
const pages = new Map();

const actions = {
  async open({ page, url }) {
    const opened = await context.newPage();
    pages.set(page, opened);
    await opened.goto(url);
    await opened.waitForSelector(".monaco-workbench .part.editor", NEVER);
  },
  async close({ page }) {
    await pages.get(page).close({ runBeforeUnload: false });
    pages.delete(page);
  },
  press: ({ page, key }) => pages.get(page).keyboard.press(key),
  type: ({ page, text }) => pages.get(page).keyboard.type(text),
  /** As an input method or a paste does: all at once. */
  insert: ({ page, text }) => pages.get(page).keyboard.insertText(text),
  /** As an input method does while it is still being typed: the text is in the editor, and not yet settled. */
  async compose({ page, text }) {
    const session = await context.newCDPSession(pages.get(page));
    await session.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
    await session.detach();
  },
  focus: ({ page }) => pages.get(page).locator(".editor-group-container.active .view-lines").first().click(),
  click: ({ page, selector }) => pages.get(page).locator(selector).first().click(NEVER),
  front: ({ page }) => pages.get(page).bringToFront(),
  screenshot: ({ page, path }) => pages.get(page).screenshot({ path }),
  resize: ({ page, ...size }) => pages.get(page).setViewportSize(size),
  /** A screenshot in which a pixel of the page is `scale` by `scale` of the picture, letters drawn accordingly. */
  async photograph({ page, path, scale }) {
    const session = await context.newCDPSession(pages.get(page));
    const clip = { x: 0, y: 0, ...pages.get(page).viewportSize(), scale };
    const { data } = await session.send("Page.captureScreenshot", { clip });
    await session.detach();
    await writeFile(path, data, "base64");
  },
  /** Once the page has nothing to do: an editor that was just made begins to suggest only then. */
  idle: ({ page }) => pages.get(page).evaluate(() => new Promise((resolve) => requestIdleCallback(() => resolve()))),
  read: ({ page }) => pages.get(page).evaluate(readScreen),
  watch: ({ page }) => pages.get(page).evaluate(watchGhost),
  record: ({ page }) => pages.get(page).evaluate(beginToRecord),
  recorded: ({ page }) => pages.get(page).evaluate(endRecord),
  /** Keys at a rhythm: each waits so many milliseconds after the one before. A new line comes with its indentation. */
  async play({ page, strokes }) {
    const { keyboard } = pages.get(page);
    let due = performance.now();
    for (const [waitMs, text] of strokes) {
      due = Math.max(due + waitMs, performance.now());
      await sleep(due - performance.now());
      await keyboard.type(text.slice(0, 1));
      if (text.length > 1) await keyboard.insertText(text.slice(1));
    }
  },
};

/** In the page: what a user would see. */
function readScreen() {
  const text = (element) => (element.textContent ?? "").replaceAll("\u00a0", " ");
  const all = (selector) => [...document.querySelectorAll(selector)];
  const isVisible = (element) => element.getClientRects().length > 0;
  const status = document.querySelector('[id="draftwire.draftwire.status"]');
  const icons = status ? [...status.querySelectorAll(".codicon")] : [];
  const isChoosing = all(".quick-input-widget").some(isVisible);
  const active = document.querySelector(".editor-group-container.active .tab.active");
  return {
    ghost: all(".ghost-text-decoration").map(text).join(""),
    ghostBelow: all(".view-zones .suggest-preview-text .view-line, .view-zones .suggest-preview-text > div").map(text),
    status: status ? (status.textContent ?? "").trim() : "",
    statusLabel: status?.querySelector("a")?.getAttribute("aria-label") ?? status?.getAttribute("aria-label") ?? "",
    statusIcons: icons.flatMap((icon) => [...icon.classList].filter((name) => name.startsWith("codicon-"))),
    statusBar: all(".statusbar-item").map(text),
    notifications: all(".notification-list-item-message").map(text),
    popup: all(".suggest-widget.visible .monaco-list-row .label-name").filter(isVisible).map(text),
    input: isChoosing,
    choices: isChoosing ? all(".quick-input-list .monaco-list-row").map(text) : [],
    tab: active?.getAttribute("data-resource-name") ?? active?.getAttribute("aria-label") ?? "",
    frames: (window.ghostFrames ?? []).map(([, ghost]) => ghost),
    focused: document.activeElement?.closest(".editor-instance, .notebookOverlay") !== null,
    lines: all(".editor-group-container.active .view-lines .view-line")
      .sort((one, other) => Number.parseInt(one.style.top, 10) - Number.parseInt(other.style.top, 10))
      .map(text),
  };
}

/** In the page: each text that the ghost has had in a frame. */
function watchGhost() {
  window.ghostFrames = [];
  const read = () => [...document.querySelectorAll(".ghost-text-decoration")].map((one) => one.textContent).join("");
  const look = () => {
    const now = read().replaceAll("\u00a0", " ");
    if (now !== window.ghostFrames.at(-1)?.[1]) window.ghostFrames.push([performance.now(), now]);
    requestAnimationFrame(look);
  };
  look();
}

process.stdout.write('{"ready":true}\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { action, ...given } = JSON.parse(line);
  let answer;
  try {
    answer = { result: (await actions[action](given)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await context.close();
