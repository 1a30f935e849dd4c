// SPDX-License-Identifier: Apache-2.0
// Where we are stands in the fragment, which no server sees: #/chat/ACCOUNT/CONVERSATION/details.
import { Emitter } from "../model/emitter.js";

class Router extends Emitter {
  /** The parts of the address, decoded. */
  parts = [];

  start() {
    addEventListener("hashchange", () => this.#read());
    this.#read();
  }

  #read() {
    this.parts = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean).map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    });
    this.emit("route", this.parts);
  }

  /** Goes there; `replace` leaves no step to go back to. */
  go(parts, { replace = false } = {}) {
    const address = href(...parts);
    if (location.hash === address) return;
    if (replace) {
      history.replaceState({ depth: history.state?.depth ?? 0 }, "", address);
      this.#read();
    } else {
      const depth = (history.state?.depth ?? 0) + 1;
      history.pushState({ depth }, "", address);
      this.#read();
    }
  }

  /** One step back inside the app; where there is none, to what lies above. */
  back(above = []) {
    if ((history.state?.depth ?? 0) > 0) history.back();
    else this.go(above, { replace: true });
  }
}

export const href = (...parts) => `#/${parts.map(encodeURIComponent).join("/")}`;
export const router = new Router();
