// SPDX-License-Identifier: Apache-2.0
// A link and a code for a friend: to become a contact, or to have an account on the same server first.
import { call, path } from "../api/http.js";
import { attempt, relative, t } from "../ui/basics.js";
import { showLink } from "./show-link.js";

export async function inviteFriend(account) {
  await attempt(async () => {
    const made = await call("POST", `/accounts${path(account)}/invitations`, { body: {}, timeout: 60_000 });
    await showLink(t("invite.make"), t("invite.make-text"), made.page ?? made.link, made.qr,
      made.expires_at ? t("invite.expires", { time: relative(made.expires_at) }) : "");
  });
}
