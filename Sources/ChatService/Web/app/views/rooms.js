// SPDX-License-Identifier: Apache-2.0
// Two ways to make a room, group and channel; where it lives is found, not asked. And finding channels of others.
import * as rooms from "../api/rooms.js";
import { serves } from "../api/operations.js";
import { store } from "../model/store.js";
import { errorText, toast, toastError } from "../ui/announce.js";
import { avatar } from "../ui/avatar.js";
import { fill, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { icon } from "../ui/icons.js";
import { confirm, showMenu, showSheet } from "../ui/overlay.js";
import { router } from "../ui/router.js";
import { accountField } from "./new-chat.js";

/** Contacts to tick; `chosen()` gives their addresses. */
function contactPicker(account) {
  const boxes = [...store.contacts.values()].filter((one) => !account || one.account === account)
    .sort((a, b) => (a.name || a.address).localeCompare(b.name || b.address))
    .map((one) => {
      const box = h("input", { type: "checkbox", value: one.address });
      return { box, row: h("label", { class: "check" }, box, avatar({ address: one.address, name: one.name, size: "small" }), h("bdi", {}, one.name || one.address)) };
    });
  return {
    element: h("fieldset", { class: "picker" }, h("legend", {}, t("room.people")), boxes.map(({ row }) => row)),
    chosen: () => boxes.filter(({ box }) => box.checked).map(({ box }) => box.value),
  };
}

async function finish(found, close) {
  store.change({ unread: 0, kind: "room", ...found });
  await close();
  router.go(["chat", found.account, found.conversation]);
}

export function makeRoom(kind) {
  return showSheet(kind === "group" ? t("new.group") : t("new.channel"), (body, close) => {
    const account = accountField();
    const name = h("input", { name: "name", required: true, maxlength: "100", dir: "auto" });
    const people = contactPicker();
    const problem = h("p", { class: "problem", role: "alert", hidden: true });
    const button = h("button", { type: "submit", class: "button wide" }, t("room.make"));
    body.append(h("form", { on: { submit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      try {
        await finish(await rooms.createRoom({ account: account.select.value || undefined, kind, name: name.value.trim(), invite: people.chosen() }), close);
      } catch (error) {
        problem.hidden = false;
        problem.textContent = errorText(error);
        button.disabled = false;
      }
    } } }, h("p", { class: "hint" }, kind === "group" ? t("new.group-hint") : t("new.channel-hint")), account.label ?? "",
    h("label", { class: "field" }, h("span", {}, t("people.name")), name), people.element, problem, button));
    name.focus();
  });
}

export function findChannels() {
  return showSheet(t("new.find-channels"), (body, close) => {
    const account = accountField();
    const field = h("input", { type: "search", "aria-label": t("room.search"), placeholder: t("room.search") });
    const list = h("ul", { class: "plain-list", role: "list" });
    const search = async () => {
      try {
        const found = await rooms.findChannels(account.select.value, field.value.trim());
        fill(list, found.length ? found.map((one) => h("li", {}, h("button", { type: "button", class: "row", on: { click: () => join(one, account.select.value, close) } },
          avatar({ address: one.address, name: one.name, room: true }),
          h("span", { class: "row-text" }, h("span", { class: "row-name" }, h("bdi", {}, one.name || one.address)),
            h("span", { class: "preview" }, one.people === undefined ? "" : `${t("room.count", { n: one.people })} `, h("bdi", {}, one.description ?? one.address))),
          one.open === false ? icon("lock") : ""))) : h("li", { class: "hint" }, t("search.found", { n: 0 })));
      } catch (error) {
        toastError(error);
      }
    };
    body.append(h("form", { on: { submit: (event) => { event.preventDefault(); search(); } } }, account.label ?? "", h("div", { class: "field" }, field)), list);
    search();
    field.focus();
  });
}

async function join(channel, account, close) {
  if (channel.shows_address && !(await confirm({ title: t("room.shows-title"), text: t("room.shows-text"), action: t("room.join") }))) return;
  try {
    await finish(await rooms.joinRoom(account, channel.address, {}), close);
  } catch (error) {
    toastError(error);
  }
}

/** The members of a room with what may be done, for its details. */
export class Members extends HTMLElement {
  constructor(account, address) {
    super();
    Object.assign(this, { account, address });
  }

  async connectedCallback() {
    try {
      this.room = await rooms.room(this.account, this.address);
    } catch {
      return;
    }
    const order = ["owner", "admin", "member", "none", "outcast"];
    const members = [...(this.room.members ?? [])].sort((a, b) => order.indexOf(a.affiliation) - order.indexOf(b.affiliation));
    fill(this, h("section", { class: "card rows" }, h("h4", { class: "inset" }, t("room.count", { n: members.length })),
      h("ul", { role: "list" }, members.map((one) => this.#member(one))),
      serves("invite") ? h("button", { type: "button", class: "action-row", on: { click: () => this.#invite() } }, icon("user-plus"), h("span", {}, t("room.invite"))) : null,
      serves("leaveRoom") ? h("button", { type: "button", class: "action-row danger", on: { click: () => this.#leave() } }, icon("sign-out"), h("span", {}, t("room.leave"))) : null));
  }

  #member(one) {
    const name = one.nick || one.address;
    return h("li", { class: "device" }, avatar({ address: one.address ?? name, name, size: "small", presence: one.online ? "online" : null }),
      h("span", { class: "row-text" }, h("span", { class: "row-name" }, h("bdi", {}, name)), one.affiliation === "none" ? null : h("span", { class: "preview" }, roleName(one.affiliation))),
      serves("changeMember") && one.address ? h("button", { type: "button", class: "icon-button", "aria-label": `${t("action.more")}: ${name}`, on: { click: (event) => this.#change(one, event.currentTarget) } }, icon("more")) : null);
  }

  async #change(one, anchor) {
    const picked = await showMenu({ label: one.nick || one.address, anchor, items: [
      { label: t("room.make-admin"), icon: "shield", value: "admin" }, { label: t("room.make-member"), icon: "people", value: "member" },
      { label: t("room.remove"), icon: "block", value: "outcast", danger: true },
    ] });
    if (!picked) return;
    await rooms.changeMember(this.account, this.address, one.address, { affiliation: picked }).catch(toastError);
    this.connectedCallback();
  }

  #invite() {
    return showSheet(t("room.invite"), (body, close) => {
      const people = contactPicker(this.account);
      body.append(h("form", { on: { submit: async (event) => {
        event.preventDefault();
        await rooms.invite(this.account, this.address, people.chosen()).then(() => toast(t("room.invited")), toastError);
        close();
      } } }, people.element, h("button", { type: "submit", class: "button wide" }, t("room.invite"))));
    });
  }

  async #leave() {
    if (!(await confirm({ title: t("room.leave"), text: t("room.leave-text"), action: t("room.leave"), danger: true }))) return;
    try {
      await rooms.leaveRoom(this.account, this.address);
      store.conversations.delete(`${this.account} ${this.address}`);
      router.go(["chats"], { replace: true });
      store.refresh();
    } catch (error) {
      toastError(error);
    }
  }
}

function roleName(affiliation) {
  switch (affiliation) {
    case "owner": return t("room.owner");
    case "admin": return t("room.admin");
    case "outcast": return t("room.outcast");
    default: return t("room.member");
  }
}

customElements.define("apus-members", Members);
