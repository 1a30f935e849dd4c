// SPDX-License-Identifier: Apache-2.0

/** What may be shown as a picture; drawings, which may have scripts in them, are files. */
export const isPicture = (file) => /^image\/(?!svg)/.test(file.type ?? "");

/** All pictures of these messages, in their order: `{ message, file }`. */
export const picturesOf = (messages) => messages.flatMap((message) =>
  (message.retracted ? [] : message.attachments ?? []).filter(isPicture).map((file) => ({ message, file })));
