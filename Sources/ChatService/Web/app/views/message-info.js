// SPDX-License-Identifier: Apache-2.0
// About one message: how far it has come, for each person; what it was before; where it is stored.
import { avatar, errorText, fact, fullTime, h, icon, store, t } from "../ui/basics.js";
import { showSheet } from "../ui/overlay.js";
import { stateMark, stateName } from "../ui/state-mark.js";
import { isRoom, senderName } from "./message.js";

/** `details` is MessageInfo of the service, where it has one. */
export function showInfo(message, details) {
  return showSheet(t("info.title"), (body) => {
    const files = (message.attachments ?? []).map((file) => file.name || t("message.file")).join(", ");
    body.append(h("blockquote.info-text", { dir: "auto" }, (message.body || files || t("message.retracted")).slice(0, 400)));
    const readers = details?.readers ?? [];
    if (message.direction === "outgoing") {
      body.append(people(t("info.seen"), message, readers.filter((one) => one.state === "displayed")) ?? "", people(t("info.delivered"), message, readers.filter((one) => one.state !== "displayed")) ?? "");
    }
    body.append(h("dl.facts",
      fact(t("info.from"), senderName(message)), fact(t("info.address"), message.sender),
      fact(t("info.time"), fullTime(message.time)),
      message.direction === "outgoing" ? h("div", h("dt", t("info.state")), h("dd.info-state", stateMark(message) ?? "", stateName(message.state))) : null,
      message.failure ? fact(t("state.failed"), errorText(message.failure)) : null,
      fact(t("info.repeated"), message.may_be_repeated ? t("message.may-be-repeated") : ""),
      message.moderation ? fact(t("message.moderated"), [message.moderation.by, message.moderation.reason].filter(Boolean).join(": ")) : null,
      (details?.revisions ?? []).map((one) => fact(t("info.before", { time: fullTime(one.time) }), one.body)),
      fact(t("info.id"), message.archive_id ?? message.origin_id ?? message.id, "ltr")));
  });
}

/** Those of one state, with the time where it is known. */
function people(title, message, readers) {
  if (readers.length === 0) return null;
  const room = isRoom(message);
  return h("section.info-people", h("h4", title, " ", h("span.count", String(readers.length))), h("ul", readers.map((one) => {
    const name = room ? one.person.slice(one.person.indexOf("/") + 1) : store.name(message.account, one.person.split("/")[0]);
    return h("li", avatar({ address: room ? name : one.person, name, size: "small" }), h("bdi", name), one.time ? h("time", { datetime: one.time }, fullTime(one.time)) : icon("check"));
  })));
}
