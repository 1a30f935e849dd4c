// SPDX-License-Identifier: Apache-2.0
// What nearly every view needs, in one place.
export { fill, h, rove, safeURL } from "./dom.js";
export { known, LANGUAGES, number, t } from "./i18n.js";
export { bird, icon } from "./icons.js";
export { announce, announceUrgently, attempt, copyText, errorText, toast, toastError } from "./announce.js";
export { avatar } from "./avatar.js";
export { bytes, clock, dayName, daysAgo, duration, fullDate, fullTime, monthName, relative, shortTime } from "./format.js";
export { href, router } from "./router.js";
export { actionRow, busy, fact, iconButton, pageHeader, segments } from "./parts.js";
export { loadStyle } from "./styles.js";
export { View } from "./view.js";
export { isMuted, store } from "../model/store.js";
