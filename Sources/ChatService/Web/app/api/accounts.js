// SPDX-License-Identifier: Apache-2.0
// The calls of docs/openapi.yaml that are about accounts, named as there.
import { call, path } from "./http.js";

const MINUTES = 60_000;

export const addAccount = (request, key) => call("POST", "/accounts", { body: request, key, timeout: 2 * MINUTES });
export const registrationForm = (request) => call("POST", "/accounts/form", { body: request, timeout: 2 * MINUTES });
export const registerAccount = (request, key) => call("POST", "/accounts/register", { body: request, key, timeout: 2 * MINUTES });
export const removeAccount = (account, onServer) =>
  call("DELETE", `/accounts${path(account)}`, { query: { on_server: onServer || null }, timeout: 2 * MINUTES });
export const changeAccount = (account, change) => call("PATCH", `/accounts${path(account)}`, { body: change });
export const changePassword = (account, password, onServer) =>
  call("PUT", `/accounts${path(account)}/password`, { body: { password, on_server: onServer }, timeout: 2 * MINUTES });
export const connect = (account, timeout = 0) =>
  call("POST", `/accounts${path(account)}/connect`, { body: { timeout }, timeout: 2 * MINUTES });
export const timeline = (account) => call("GET", `/accounts${path(account)}/timeline`);
export const trust = (account) => call("GET", `/accounts${path(account)}/trust`);
export const changeTrust = (account, change) => call("PUT", `/accounts${path(account)}/trust`, { body: change });
export const diagnose = (request) => call("POST", "/doctor", { body: request, timeout: 3 * MINUTES });
export const profile = (account) => call("GET", `/accounts${path(account)}/profile`);
export const changeProfile = (account, fields) => call("PUT", `/accounts${path(account)}/profile`, { body: fields });
/** Without a picture it is `removeAvatar`. */
export const changeAvatar = (account, blob) => call(blob ? "PUT" : "DELETE", `/accounts${path(account)}/avatar`, { body: blob });
export const blocked = async (account) => (await call("GET", `/accounts${path(account)}/blocked`)).addresses;
export const block = (account, address, change = {}) => call("PUT", `/accounts${path(account)}/blocked${path(address)}`, { body: change });
export const unblock = (account, address) => call("DELETE", `/accounts${path(account)}/blocked${path(address)}`);
