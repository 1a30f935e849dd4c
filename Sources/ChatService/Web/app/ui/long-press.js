// SPDX-License-Identifier: Apache-2.0

const TIME = 500;
const SLOP = 10;

/** Calls `action` after a finger rested on the element; browsers do not agree on `contextmenu` for touch. */
export function onLongPress(element, action) {
  let timer = null;
  let start = null;
  let fired = false;
  const stop = () => {
    clearTimeout(timer);
    timer = null;
  };
  element.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse") return;
    fired = false;
    start = event;
    timer = setTimeout(() => {
      fired = true;
      timer = null;
      // Lifting the finger must not press what has appeared beneath it.
      start.target.addEventListener("touchend", (end) => end.preventDefault(), { once: true, passive: false });
      navigator.vibrate?.(10);
      action(start);
    }, TIME);
  });
  element.addEventListener("pointermove", (event) => {
    if (start && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > SLOP) stop();
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) element.addEventListener(end, stop);
  element.addEventListener("click", (event) => {
    if (!fired) return;
    event.preventDefault();
    event.stopPropagation();
    fired = false;
  }, true);
}
