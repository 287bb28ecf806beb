// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/** An error response of the API, or no response. */
export class APIError extends Error {
  /** @param {Object|null} problem the problem document; `null` if there is no response. */
  constructor(problem, status, message) {
    super(message);
    this.status = status;
    this.code = problem?.code ?? null;
    this.title = problem?.title ?? null;
    this.requestID = problem?.requestID ?? null;
    this.errors = problem?.errors ?? [];
  }
}

/** The delay before a page is loaded again whose stream failed, in milliseconds. */
const retryDelay = 3000;

/** Is called when a call is rejected because the browser is not signed in; resolves when it is. */
let signIn = null;
export function onSignedOut(handler) { signIn = handler; }

/**
 * Calls the API with the session of this browser. If the session ended, it waits for the sign-in and calls again.
 *
 * @param {Object} options `body` is sent as JSON; `key` is the idempotency key.
 * @returns {Promise<Object|null>} the body; `null` if there is none.
 * @throws {APIError}
 */
export async function call(method, path, { body, key, signsIn = true } = {}) {
  const response = await request(method, path, body, key);
  const value = parse(await response.text());
  if (response.ok) return value;
  if (response.status === 401 && signsIn && signIn) {
    await signIn();
    return call(method, path, { body, key, signsIn });
  }
  throw new APIError(value, response.status, value?.detail ?? `${method} ${path} failed with status ${response.status}.`);
}

async function request(method, path, body, key) {
  const headers = {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (method !== 'GET') headers['X-Apus-Console'] = '1';
  if (key) headers['Idempotency-Key'] = key;
  try {
    return await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new APIError(null, 0, 'The server does not respond. Check that it is running.');
  }
}

function parse(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

export const get = (path) => call('GET', path);

/** A path below an app; each part is one segment. */
export function appPath(app, ...parts) {
  // A browser would resolve them.
  if ([app, ...parts].some((part) => part === '.' || part === '..')) {
    throw new APIError(null, 0, 'The console cannot show an item whose ID is “.” or “..”.');
  }
  return ['/v1/apps', ...[app, ...parts].map((part) => encodeURIComponent(part).replaceAll('%3A', ':'))].join('/');
}

/** A path with a query without the parameters that have no value. */
export function withQuery(path, parameters) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
  return query.size > 0 ? `${path}?${query}` : path;
}

/**
 * Follows a stream of server-sent events until it is closed.
 *
 * @param {Object<string, function(Object): void>} handlers by the name of the event.
 * @param {function(Date|null): void} onConnection is called with the time since which there is no connection.
 * @param {function(): void} onFailure is called some time after a response that is no stream.
 * @returns {function(): void} closes the stream.
 */
export function follow(path, handlers, onConnection, onFailure) {
  const source = new EventSource(path);
  let lostAt = null;
  for (const [name, handler] of Object.entries(handlers)) {
    source.addEventListener(name, (event) => handler(JSON.parse(event.data)));
  }
  source.onopen = () => {
    lostAt = null;
    onConnection(null);
  };
  let timer = null;
  source.onerror = () => {
    lostAt ??= new Date();
    onConnection(lostAt);
    // The browser retries after a lost connection, but not after an error response. Loading the page shows the error.
    if (source.readyState === EventSource.CLOSED) timer = setTimeout(onFailure, retryDelay);
  };
  return () => {
    clearTimeout(timer);
    source.close();
  };
}
