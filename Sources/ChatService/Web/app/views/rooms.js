// SPDX-License-Identifier: Apache-2.0
// Two ways to make a room, group and channel; where it lives is found, not asked. And finding channels of others.
import * as rooms from "../api/rooms.js";
import { actionRow, attempt, avatar, errorText, fill, h, icon, router, store, t } from "../ui/basics.js";
import { fieldOf, formOf, formSheet } from "../ui/forms.js";
import { confirm, showSheet } from "../ui/overlay.js";
import { accountField } from "./add-contact.js";

/** Contacts to tick, and a field for an address that is none of them; `chosen()` gives the addresses. */
export function contactPicker(account) {
  const other = h("input", { inputmode: "email", plain: true, dir: "ltr", placeholder: "bo@example.org", "aria-label": t("room.other"), name: "other" });
  const boxes = [...store.contacts.values()].filter((one) => !account || one.account === account)
    .sort((a, b) => (a.name || a.address).localeCompare(b.name || b.address))
    .map((one) => {
      const box = h("input", { type: "checkbox", value: one.address });
      return { box, row: h("label.check", box, avatar({ address: one.address, name: one.name, size: "small" }), h("bdi", one.name || one.address)) };
    });
  return {
    element: h("fieldset.picker", h("legend", t("room.people")), h("div.picker-list", boxes.map(({ row }) => row)), fieldOf(t("room.other"), other)),
    chosen: () => [...boxes.filter(({ box }) => box.checked).map(({ box }) => box.value), ...other.value.split(/[\s,;]+/).filter(Boolean)],
  };
}

function enter(found) {
  store.change({ unread: 0, kind: "room", ...found });
  router.go(["chat", found.account, found.conversation]);
}

export async function makeRoom(kind) {
  const account = accountField();
  const name = h("input", { name: "name", required: true, maxlength: "100", dir: "auto" });
  const people = contactPicker();
  const made = await formSheet(kind === "group" ? t("new.group") : t("new.channel"), t("room.make"), [
    h("p.hint", kind === "group" ? t("new.group-hint") : t("new.channel-hint")), account.label, fieldOf(t("people.name"), name), people.element,
  ], () => rooms.createRoom({ account: account.select.value || undefined, kind, name: name.value.trim(), invite: people.chosen() }));
  if (made) enter(made);
}

/** Channels of the account's own server, of another one, or of the directory, with a warning before an address is shown. */
export function findChannels() {
  return showSheet(t("new.find-channels"), (body, close) => {
    const account = accountField();
    const field = h("input", { type: "search", label: t("room.search"), autocomplete: "off" });
    const where = h("input", { "aria-label": t("room.where"), placeholder: t("room.where-hint"), plain: true, dir: "ltr", name: "where" });
    const list = h("ul.plain-list.channels");
    const count = h("p.search-count", { role: "status" });
    const search = async () => {
      body.setAttribute("aria-busy", "true");
      try {
        const found = await rooms.findChannels(account.select.value, field.value.trim(), where.value.trim());
        fill(count, t("search.found", { n: found.length }));
        fill(list, found.map((one) => channelRow(one, () => join(one, account.select.value, close))));
      } catch (error) {
        fill(count, errorText(error));
        fill(list);
      }
      body.removeAttribute("aria-busy");
    };
    body.append(formOf(search, account.label ?? "",
      h("div.field", field), h("div.field.with-action", where, h("button.button", { type: "submit" }, t("action.search")))),
    actionRow("link", t("room.by-address"), () => joinByAddress(account.select.value, close)), count, list);
    search();
  });
}

function channelRow(one, action) {
  const facts = one.people === undefined ? "" : `${t("room.count", { n: one.people })} · `;
  return h("li", h("button.row.tall", action, avatar({ address: one.address, name: one.name, room: true }),
    h("span.row-text", h("span.row-top", h("span.row-name", h("bdi", one.name || one.address)),
      one.shows_address ? h("span.row-icon", icon("eye"), h("span.visually-hidden", t("room.shows-title"))) : null),
    one.description ? h("span.preview.two-lines", h("bdi", one.description)) : null, h("span.preview", facts, h("bdi", { dir: "ltr" }, one.address)))));
}

async function joinByAddress(account, closeList) {
  const field = h("input", { name: "address", inputmode: "email", plain: true, dir: "ltr", required: true, placeholder: "room@chat.example.org" });
  const address = await formSheet(t("room.by-address"), t("room.join"), fieldOf(t("first.address"), field), () => field.value.trim().replace(/^xmpp:/, "").replace(/\?join$/, ""));
  if (address) await join({ address, shows_address: true }, account, closeList);
}

/** Joins a channel that was picked; the person has agreed where their address is shown. */
export async function join(channel, account, close = async () => {}) {
  if (channel.shows_address && !(await confirm({ title: t("room.shows-title"), text: t("room.shows-text"), action: t("room.join") }))) return;
  await attempt(async () => {
    const found = await rooms.joinRoom(account, channel.address, { password: channel.password });
    await close();
    enter(found);
  });
}
