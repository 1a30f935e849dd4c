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
  const parts = [];
  const all = (change, text) => {
    const found = of(change);
    if (found.length) parts.push(text({ names: list(found), n: found.length }));
  };
  all("came", (who) => t("activity.came", who));
  all("left", (who) => t("activity.left", who));
  all("excluded", (who) => t("activity.excluded", who));
  for (const one of of("renamed")) parts.push(t("activity.renamed", one));
  for (const { name, reason, change } of people) {
    if (change !== "kicked" && change !== "banned") continue;
    const text = change === "kicked" ? t("activity.kicked", { name }) : t("activity.banned", { name });
    parts.push(reason ? t("activity.reason", { text, reason }) : text);
  }
  if (others) parts.push(t("activity.others", { n: others }));
  return parts.join(" · ");
}

export const activityLine = (one) => h("div.activity", { dir: "auto" }, words(one));
