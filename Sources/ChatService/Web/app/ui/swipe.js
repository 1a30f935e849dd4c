// SPDX-License-Identifier: Apache-2.0
// A message pulled towards the end of the line is answered. Nothing begins at the edges: that is the browser's "back".

const EDGE = 28;
const START = 12;
const FAR = 56;
const LIMIT = 76;

/** Calls `action(row)` when a finger pulled a row far enough; the same is on a button and in the menu. */
export function onSwipe(list, selector, action) {
  let row = null;
  let start = null;
  let distance = 0;
  const end = (done) => {
    if (!row) return;
    const pulled = row;
    pulled.classList.remove("swiping");
    pulled.style.removeProperty("--pull");
    row = start = null;
    if (done && distance >= FAR) {
      navigator.vibrate?.(10);
      action(pulled);
    }
    distance = 0;
  };
  list.addEventListener("pointerdown", (event) => {
    const touched = event.target.closest(selector);
    if (event.pointerType !== "touch" || !touched || event.clientX < EDGE || event.clientX > innerWidth - EDGE) return;
    row = touched;
    start = event;
    distance = 0;
  });
  list.addEventListener("pointermove", (event) => {
    if (!row || event.pointerId !== start.pointerId) return;
    const sign = document.dir === "rtl" ? -1 : 1;
    const along = (event.clientX - start.clientX) * sign;
    if (distance === 0 && (Math.abs(event.clientY - start.clientY) > START || along < -START)) return end(false);
    if (along < START) return;
    distance = Math.min(along, LIMIT);
    row.classList.add("swiping");
    row.style.setProperty("--pull", `${distance * sign}px`);
  });
  list.addEventListener("pointerup", () => end(true));
  list.addEventListener("pointercancel", () => end(false));
}
