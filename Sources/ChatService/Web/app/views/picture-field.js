// SPDX-License-Identifier: Apache-2.0
// The picture of ourselves or of a room: a file that is cut to a square here.
import { attempt, t, toast } from "../ui/basics.js";
import { fileField } from "../ui/forms.js";

/** Publishes what was cut, or takes the picture away where there is nothing; tells how it went. */
export const publish = (change, cut) => attempt(async () => {
  await change(cut);
  toast(t("profile.saved"));
});

/** A field that a button clicks. `change` gets the picture, small and without what the camera wrote. */
export const pictureField = (change) => fileField(([file]) => attempt(async () => {
  const { cutSquare } = await import("./picture-cutter.js");
  const cut = await cutSquare(file);
  if (cut) await publish(change, cut);
}), { accept: "image/*" });
