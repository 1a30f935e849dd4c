// SPDX-License-Identifier: Apache-2.0
import { h, rove, t } from "../ui/basics.js";
import { showOverlay } from "../ui/overlay.js";

const EMOJI = [..."😀😃😄😁😆😅😂🙂🙃😉😊😇😍🤩😘😋😜🤔🤨😐😏😬😌😴😷🤒🤯🥳😎🤓😕😟😮😳🥺😢😭😱😤😡🤬💀🤡👻👽🤖😺",
  ..."👍👎👌✌🤞🤘👋🙌👏🙏💪🤝👀🧠🎉🎊🎁🏆🔥✨⭐🌈☀🌙⚡🌧🌊🌸🌻🌲🍎🍓🍕🍜🍰🍺☕🍵🏠🚗🚲🚆✈⛵🎵🎸📷📞💻💡📌📎✅❌❗❓💯❤🧡💛💚💙💜🖤🤍💔"];

/** A grid to pick from; resolves with one, or undefined. */
export function pickEmoji(anchor) {
  return showOverlay("menu emoji-menu", t("emoji.title"), (dialog, close) => {
    const grid = h("div.emoji-grid", { role: "group", "aria-label": t("emoji.title") }, EMOJI.map((one) =>
      h("button", () => close(one), one)));
    grid.addEventListener("keydown", (event) => rove(event, grid.children, { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8 }));
    dialog.append(grid);
  }, anchor);
}
