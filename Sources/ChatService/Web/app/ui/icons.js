// SPDX-License-Identifier: Apache-2.0
// Own drawings on a grid of 24, in strokes. `fill:` marks a shape that is filled.
import { svg } from "./dom.js";

const SHAPES = {
  archive: "M4 8h16v11a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V8ZM3 4h18v4H3zM10 12h4",
  back: "M15 5l-7 7 7 7",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15L6 16ZM10 21h4",
  "bell-off": "M6 16V11a6 6 0 0 1 9.5-4.9M18 10v6l1.5 2h-12M10 21h4M4 4l16 16",
  block: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM5.7 5.7l12.6 12.6",
  chat: "M4 5h16v11H9l-5 4V5Z",
  check: "M5 13l4.5 4.5L19 7",
  chevron: "M9 5l7 7-7 7",
  clock: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16ZM12 8v4.5l3 1.5",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M9 9h11v11H9zM15 5H4v11",
  device: "M7 3h10v18H7zM11 18h2",
  doctor: "M3 12h4l2.5-6 4.5 12 2.5-6H21",
  down: "M12 5v13M6 13l6 6 6-6",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  edit: "M4 20l1-4L16 5l3 3L8 19l-4 1Z",
  eye: "M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z",
  file: "M6 3h8l4 4v14H6V3ZM14 3v4h4",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM3 12h18M12 3c3 3 3.5 6 3.5 9s-.5 6-3.5 9c-3-3-3.5-6-3.5-9S9 6 12 3Z",
  group: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2.5.800 3.8 2.8 3.8 5.5",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17M15.5 9v.1",
  info: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 11v5.5M12 7.5v.1",
  key: "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM11 12l8.5-8.5M16 7l3 3",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.6-5.6L12 7.2M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.6 5.6L12 16.8",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  mic: "M12 4a2.5 2.5 0 0 1 2.5 2.5v5a2.5 2.5 0 0 1-5 0v-5A2.5 2.5 0 0 1 12 4ZM6.5 11.5a5.5 5.5 0 0 0 11 0M12 17v3.5",
  more: "fill:M12 4a1.7 1.7 0 1 0 0 3.4A1.7 1.7 0 0 0 12 4Zm0 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Zm0 6.3a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4Z",
  "new-chat": "M20 12v8H4V4h8M10 14l1-3.5L18.5 3 21 5.5 13.5 13 10 14Z",
  people: "M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4 21c0-4.5 3.5-7 8-7s8 2.5 8 7",
  pin: "M9 4h6l-.8 6L17 13v1.5H7V13l2.8-3L9 4ZM12 14.5V20",
  plus: "M12 5v14M5 12h14",
  qr: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2.5v2.5H14zM18 18h2v2h-2z",
  react: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM8.5 14c.8 1.5 2 2.2 3.5 2.2s2.7-.7 3.5-2.2M9 9.5v.6M15 9.5v.6",
  refresh: "M19.5 12a7.5 7.5 0 1 1-2.2-5.3L20 9.5M20 4v5.5h-5.5",
  reply: "M10 6 4 12l6 6M4.5 12H14c3.5 0 6 2 6 6.5",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM16 16l4.5 4.5",
  send: "fill:M4 20.5 21.5 12 4 3.5l-.01 6.6L15.5 12 3.99 13.9 4 20.5Z",
  settings: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4ZM9 14.8a2.2 2.2 0 1 0 0 4.4 2.2 2.2 0 0 0 0-4.4Z",
  shield: "M12 3l7.5 3v5.5c0 4.5-3 7.8-7.5 9.5-4.5-1.7-7.5-5-7.5-9.5V6L12 3Z",
  "sign-out": "M14 4H5v16h9M10 12h10.5M17 8l4 4-4 4",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4",
  text: "M4 19 9.5 5 15 19M6 14.5h7M16 19l2.5-7 2.5 7M16.7 17h3.6",
  trash: "M4.5 6.5h15M9.5 6V4h5v2M6 6.5l1 14h10l1-14M10.5 10.5v6M13.5 10.5v6",
  undo: "M4 10h10a5.5 5.5 0 0 1 0 11h-4M8 5.5 3.5 10 8 14.5",
  "user-plus": "M10 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM2.5 20.5c0-4.5 3-6.5 7.5-6.5 2 0 3.6.4 4.9 1.2M18.5 14v7M15 17.5h7",
  warning: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 7.5V13M12 16.3v.1",
  wifi: "M3 9.5a13 13 0 0 1 18 0M6.5 13a8 8 0 0 1 11 0M10 16.5a3 3 0 0 1 4 0M12 19.8v.1",
};

/** The ticks of a message: one, two, or the clock, small. */
const TICKS = {
  one: "M3.5 9.5l3 3L13 5.5",
  two: "M1 9.5l3 3L10.5 5.5M8 12.2l.4.3L15 5.5",
};

/** An icon; it says nothing to screen readers, what holds it must be labelled. */
export function icon(name, className = "") {
  const [shape, filled] = (SHAPES[name] ?? "").split("fill:").reverse();
  return svg("svg", { viewBox: "0 0 24 24", class: `icon ${className}`.trim(), "aria-hidden": "true" },
    svg("path", { d: shape, class: filled === undefined ? "" : "filled" }));
}

export function tick(kind) {
  return svg("svg", { viewBox: "0 0 16 16", class: "tick", "aria-hidden": "true" }, svg("path", { d: TICKS[kind] }));
}

/** The bird: two wings and a body, as on the app's icon. */
export function bird(className = "bird") {
  return svg("svg", { viewBox: "0 0 64 64", class: className, "aria-hidden": "true" },
    svg("path", { class: "filled", d: BIRD }));
}

/** A swift from below: crescent wings, short body, forked tail. Shared with Scripts/web-icons. */
export const BIRD =
  "M32 19c2.6 0 4.3 2 4.7 4.9C46 20.5 54 15.5 61 7.5 58.5 22 50 31.5 39.5 34.5c-.8 4.5-1.7 8-2.3 11.5L41 58l-9-7.5-9 7.5 3.8-12c-.6-3.5-1.5-7-2.3-11.5C14 31.5 5.5 22 3 7.5c7 8 15 13 24.3 16.4C27.7 21 29.4 19 32 19Z";
