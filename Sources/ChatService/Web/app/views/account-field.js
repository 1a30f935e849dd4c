// SPDX-License-Identifier: Apache-2.0
import { h, store, t } from "../ui/basics.js";
import { fieldOf } from "../ui/forms.js";

/** Picks which account acts, when there are several. */
export function accountField() {
  const accounts = [...store.accounts.keys()];
  const select = h("select", { name: "account" }, accounts.map((one) => h("option", { value: one }, one)));
  return { select, label: accounts.length > 1 ? fieldOf(t("account.which"), select) : null };
}
