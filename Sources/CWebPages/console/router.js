// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/** What the address of the console says: `/console?app=…&page=…` and the parameters of the page. */
export function place() {
  return Object.fromEntries(new URLSearchParams(location.search));
}

/** The address of a page; parameters without a value are left out. */
export function address(page, parameters = {}) {
  const { app } = place();
  const query = new URLSearchParams(
    Object.entries({ app, page, ...parameters }).filter(([, value]) => value !== undefined && value !== ''));
  return `/console?${query}`;
}

let onChange = () => {};

/** Shows another page, or the same page with other parameters. */
export function go(url, { replaces = false } = {}) {
  history[replaces ? 'replaceState' : 'pushState'](null, '', url);
  onChange({ isNewPage: !replaces });
}

/** Follows links within the console, and the back and forward buttons. */
export function start(handler) {
  onChange = handler;
  addEventListener('popstate', () => handler({ isNewPage: true }));
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^="/console?"]');
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(link.getAttribute('href'));
  });
}
