// SPDX-License-Identifier: Apache-2.0
// Invitations, as text that is pasted or a code that is scanned: by the browser where it can, else from a photo by the
// service.
import { call } from "../api/http.js";
import { errorText, h, icon, t, toastError } from "../ui/basics.js";
import { fieldOf, fileField, formOf } from "../ui/forms.js";
import { showSheet } from "../ui/overlay.js";

/** What a link, or the page of an invitation, wants, as the service reads it. */
const read = async (link) => ({ ...(await call("POST", "/links", { body: { link } })), link });

/** Asks for an invitation; resolves with what it says, or nothing. */
export function readInvitation() {
  return showSheet(t("first.invite"), (body, close) => {
    const field = h("textarea", { rows: "3", dir: "ltr", required: true, placeholder: "xmpp:example.org?register;preauth=…", name: "invitation", "aria-label": t("invite.link"), spellcheck: "false" });
    const problem = h("p.problem", { role: "alert", hidden: true });
    const failed = (error) => {
      problem.hidden = false;
      problem.textContent = errorText(error);
    };
    const take = (text) => read(text.trim()).then((found) => {
      if (found.action === "other") throw new Error(t("invite.none"));
      return close(found);
    }).catch(failed);
    body.append(formOf(() => take(field.value),
      fieldOf(t("invite.link"), field), problem, h("button.button.wide", { type: "submit" }, t("invite.use")), scanButton(take, failed)));
  });
}

/** A photo, taken or picked; read here where the browser can. */
function scanButton(found, failed) {
  const file = fileField(async ([photo]) => {
    try {
      const text = await scan(photo);
      if (text) found(text);
      else failed(new Error(t("invite.no-code")));
    } catch (error) {
      failed(error);
    }
  }, { accept: "image/*", capture: "environment" });
  return [file, h("button.button.quiet.wide", () => file.click(), icon("qr"), t("invite.scan"))];
}

/** The text of the code in a photo, or nothing. */
export async function scan(photo) {
  if ("BarcodeDetector" in globalThis) {
    const seen = await new BarcodeDetector({ formats: ["qr_code"] }).detect(await createImageBitmap(photo)).catch(() => []);
    if (seen[0]) return seen[0].rawValue;
  }
  return (await call("POST", "/scan", { body: photo })).text ?? null;
}

/** Does what an invitation asks for, by somebody who has an account. */
export async function takeUp(link) {
  try {
    const found = await read(link);
    if (found.action === "join") {
      const [{ join }, { store }] = await Promise.all([import("./rooms.js"), import("../model/store.js")]);
      return await join({ address: found.address, shows_address: true, password: found.password }, store.accounts.keys().next().value);
    }
    if (found.action === "add-contact") return await (await import("./add-contact.js")).addContact(found.address, found.token, found.name);
    return await (await import("./open-link.js")).openLink(link);
  } catch (error) {
    return toastError(error);
  }
}
