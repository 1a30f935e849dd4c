// SPDX-License-Identifier: Apache-2.0
import * as client from "../api/client.js";
import { h, store, t, toast } from "../ui/basics.js";
import { fieldOf, formSheet } from "../ui/forms.js";

/** Picks which account acts, when there are several. */
export function accountField() {
  const accounts = [...store.accounts.keys()];
  const select = h("select", { name: "account" }, accounts.map((one) => h("option", { value: one }, one)));
  return { select, label: accounts.length > 1 ? fieldOf(t("account.which"), select) : null };
}

/** Asks for an address and a name, and adds the contact. */
export function addContact(address = "", token = null, called = "") {
  const account = accountField();
  const field = h("input", { name: "address", inputmode: "email", plain: true, dir: "ltr", required: true, placeholder: "bo@example.org", value: address.replace(/^xmpp:/, "") });
  const name = h("input", { name: "name", autocomplete: "off", dir: "auto", value: called });
  return formSheet(t("people.add"), t("people.add"), [account.label, fieldOf(t("first.address"), field), fieldOf(t("people.name"), name), h("p.hint", t("people.add-hint"))], async () => {
    const contact = await client.addContact({ account: account.select.value || undefined, address: field.value.trim(), name: name.value.trim() || undefined, subscribe: true, token: token ?? undefined });
    store.contacts.set(`${contact.account} ${contact.address}`, contact);
    store.changed("contacts");
    toast(t("people.added", { name: contact.name || contact.address }));
    return contact;
  });
}
