// SPDX-License-Identifier: Apache-2.0
// What people did in a room between two messages, in one line.
import { h, t } from "../ui/basics.js";

/** So many names stand in one part of a line. */
const NAMES = 3;

const list = (people) => {
  const names = people.slice(0, NAMES).map((one) => one.name).join(", ");
  return people.length > NAMES ? t("activity.names", { names, n: people.length - NAMES }) : names;
};

function words({ people, others }) {
  const of = (change) => people.filter((one) => one.change === change);
  const [came, left, excluded] = [of("came"), of("left"), of("excluded")];
  const parts = [];
  if (came.length) parts.push(t("activity.came", { names: list(came) }));
  if (left.length) parts.push(t("activity.left", { names: list(left) }));
  if (excluded.length) parts.push(t("activity.excluded", { names: list(excluded), n: excluded.length }));
  for (const { name, former } of of("renamed")) parts.push(t("activity.renamed", { name, former }));
  for (const { name, reason, change } of people) {
    if (change !== "kicked" && change !== "banned") continue;
    const text = change === "kicked" ? t("activity.kicked", { name }) : t("activity.banned", { name });
    parts.push(reason ? t("activity.reason", { text, reason }) : text);
  }
  if (others) parts.push(t("activity.others", { n: others }));
  return parts.join(" · ");
}

export const activityLine = (one) => h("div.activity", { dir: "auto" }, words(one));
