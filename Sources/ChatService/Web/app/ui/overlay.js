// SPDX-License-Identifier: Apache-2.0
// Dialogs, sheets and menus: all are modal `<dialog>` elements, so the focus stays inside, Escape closes, and the rest
// is inert. "Back" closes the topmost first: each pushes a step of history.
import { h, rove } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { iconButton } from "./parts.js";
import { loadStyle } from "./styles.js";

await loadStyle("overlay");

const open = [];
let expected = null;
/** The step back that a closed dialog makes; the next one must not push its own before. */
let leaving = Promise.resolve();

addEventListener("popstate", () => {
  if (expected) {
    const resume = expected;
    expected = null;
    resume();
  } else open.at(-1)?.dismiss(undefined, true);
});

/** Shows a dialog with this content; resolves with what `close(value)` was called with, undefined when dismissed. */
export async function showOverlay(className, label, build, anchor) {
  await leaving;
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: className, "aria-label": label });
    const before = document.activeElement;
    let done = false;
    const entry = {
      dismiss(value, popped = false) {
        if (done) return;
        done = true;
        open.splice(open.indexOf(entry), 1);
        dialog.close();
        dialog.remove();
        before?.isConnected && before.focus?.({ preventScroll: true });
        if (popped) return resolve(value);
        // Whoever goes somewhere else afterwards must wait until the step back has been made.
        leaving = new Promise((gone) => {
          expected = () => {
            resolve(value);
            gone();
          };
          history.back();
        });
        return leaving;
      },
    };
    const close = (value) => entry.dismiss(value);
    build(dialog, close);
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      close();
    });
    dialog.addEventListener("pointerdown", (event) => {
      if (event.target === dialog) close();
    });
    open.push(entry);
    history.pushState({ depth: (history.state?.depth ?? 0) + 1, sheets: open.length }, "", location.href);
    document.body.append(dialog);
    dialog.showModal();
    // A sheet with a field is there to be written into.
    dialog.querySelector(".sheet-body :is(input:not([type=checkbox], [type=radio], [type=file]), textarea, canvas)")?.focus();
    if (anchor) place(dialog, anchor);
  });
}

/** Beside its button where there is room; on a phone the style sheet puts it at the bottom. */
function place(dialog, anchor) {
  if (!matchMedia("(min-width: 800px)").matches) return;
  const from = anchor instanceof Element ? anchor.getBoundingClientRect() : { left: anchor.x, right: anchor.x, top: anchor.y, bottom: anchor.y };
  const size = dialog.getBoundingClientRect();
  const end = document.dir === "rtl" ? from.right - size.width : from.left;
  const left = Math.min(Math.max(8, end), innerWidth - size.width - 8);
  const below = from.bottom + 4 + size.height <= innerHeight - 8;
  const top = below ? from.bottom + 4 : Math.max(8, from.top - size.height - 4);
  dialog.style.left = `${left}px`;
  dialog.style.top = `${top}px`;
  dialog.classList.add("placed");
}

/**
 * A menu: `items` have `label`, `icon`, `danger`, `value`, or are null for a line. Resolves with the value picked.
 * `header` is an element above them, such as the strip of reactions; it gets `close`.
 */
export function showMenu({ label, items, anchor, header }) {
  return showOverlay("menu", label, (dialog, close) => {
    if (header) dialog.append(header(close));
    const list = h("div.menu-items", { role: "menu", "aria-label": label });
    for (const item of items.filter((one) => one !== undefined && one !== false)) {
      if (item === null) {
        list.append(h("hr", { role: "separator" }));
        continue;
      }
      list.append(h("button", {
        role: item.checked === undefined ? "menuitem" : "menuitemradio",
        "aria-checked": item.checked === undefined ? null : String(item.checked),
        class: item.danger ? "danger" : "", click: () => close(item.value),
      }, icon(item.icon), h("span", { dir: "auto" }, item.label)));
    }
    dialog.append(list);
    list.addEventListener("keydown", (event) => rove(event, list.querySelectorAll("button"), { ArrowDown: 1, ArrowUp: -1 }));
  }, anchor);
}

/** A page of its own above the others, with a heading and a button that closes it. */
export async function showSheet(title, build) {
  await loadStyle("forms");
  return showOverlay("sheet", title, (dialog, close) => {
    dialog.append(
      h("header.sheet-header", h("h2", title),
        iconButton("close", t("action.close"), () => close())));
    const body = h("div.sheet-body");
    dialog.append(body);
    build(body, close);
  });
}

/** Asks; true when confirmed. */
export function confirm({ title, text, action, danger = false }) {
  return showOverlay("sheet question", title, (dialog, close) => {
    dialog.append(
      h("h2", title), h("p", { dir: "auto" }, text ?? ""),
      h("div.buttons",
        h("button.button.quiet", () => close(false), t("action.cancel")),
        h("button", { class: danger ? "button danger" : "button", click: () => close(true) }, action)));
  });
}
