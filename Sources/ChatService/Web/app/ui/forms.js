// SPDX-License-Identifier: Apache-2.0
import { errorText } from "./announce.js";
import { h } from "./dom.js";
import { showSheet } from "./overlay.js";

/** A field under its name. */
export const fieldOf = (label, input) => h("label.field", h("span", label), input);

/** A box to tick, beside what it means. */
export const checkOf = (box, label) => h("label.check", box, h("span", label));

export const formOf = (submit, ...content) => h("form", { submit }, content);

/** A field for files that is neither seen nor read out: a button clicks it. `take` gets each choice once. */
export function fileField(take, more) {
  const field = h("input", { type: "file", hidden: true, ...more, change: () => {
    const files = [...field.files];
    field.value = "";
    if (files.length) take(files);
  } });
  return field;
}

/**
 * A sheet with one form. `submit` acts and gives what the sheet resolves with; false leaves it open. Why it failed is
 * told above the button.
 */
export function formSheet(title, action, parts, submit, kind = "") {
  return showSheet(title, (body, close) => {
    const problem = h("p.problem", { role: "alert", hidden: true });
    const button = h(`button.button.wide${kind}`, { type: "submit" }, action);
    body.append(formOf(async () => {
      button.disabled = true;
      problem.hidden = true;
      try {
        const result = await submit();
        if (result !== false) close(result ?? true);
      } catch (error) {
        problem.hidden = false;
        problem.textContent = errorText(error);
      }
      button.disabled = false;
    }, parts, problem, button));
  });
}
