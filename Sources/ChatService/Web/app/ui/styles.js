// SPDX-License-Identifier: Apache-2.0

const loaded = new Map();

/** A style sheet that a view brings along; resolves when it holds, or at once when it cannot be had. */
export function loadStyle(name) {
  if (!loaded.has(name)) {
    loaded.set(name, new Promise((resolve) => {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = `/styles/${name}.css`;
      link.onload = link.onerror = () => resolve();
      document.head.append(link);
    }));
  }
  return loaded.get(name);
}
