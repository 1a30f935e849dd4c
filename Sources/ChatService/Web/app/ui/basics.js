// SPDX-License-Identifier: Apache-2.0
// What nearly every view needs, in one place.
export { fill, h, safeURL } from "./dom.js";
export { known, LANGUAGES, number, t } from "./i18n.js";
export { bird, icon } from "./icons.js";
export { announce, announceUrgently, errorText, toast, toastError } from "./announce.js";
export { avatar } from "./avatar.js";
export { bytes, clock, dayName, daysAgo, duration, fullDate, fullTime, monthName, relative, shortTime } from "./format.js";
export { serves } from "../api/operations.js";
export { href, router } from "./router.js";
export { actionRow, iconButton, pageHeader, segments } from "./parts.js";
export { loadStyle } from "./styles.js";
export { isMuted, store } from "../model/store.js";
