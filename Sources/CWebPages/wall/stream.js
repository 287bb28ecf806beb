// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/** The delay before a stream that the browser has closed is opened again, in milliseconds. */
const retryDelay = 2000;

/**
 * Follows the wall, and reconnects by itself.
 *
 * @param {function(Object, boolean): void} onMessage is called with each message, and whether it is a snapshot.
 * @param {function(Date|null): void} onConnection is called with the time since which there is no connection, or
 *   `null`.
 */
export function follow(onMessage, onConnection) {
  let source = null;
  let lostAt = null;
  let timer = null;
  const open = () => {
    source = new EventSource('/v1/wall/stream');
    for (const name of ['snapshot', 'changes']) {
      source.addEventListener(name, (event) => {
        lostAt = null;
        onConnection(null);
        onMessage(JSON.parse(event.data), name === 'snapshot');
      });
    }
    source.onerror = () => {
      lostAt ??= new Date();
      onConnection(lostAt);
      // The browser retries after a lost connection, but not after an unexpected response.
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, retryDelay);
    };
  };
  // A page in the back/forward cache would keep one of the six connections that a browser opens to a host.
  addEventListener('pagehide', () => {
    clearTimeout(timer);
    source.close();
  });
  addEventListener('pageshow', (event) => {
    if (event.persisted) open();
  });
  open();
}
