// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/**
 * Calls the control API.
 *
 * @returns {Promise<Object|null>} the body; `null` if there is none.
 * @throws {Error} with the detail of the problem document, or the reason why there is no response.
 */
export async function call(method, path, body) {
  let response;
  let text;
  try {
    response = await fetch(path, {
      method,
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    text = await response.text();
  } catch {
    throw new Error('The simulator does not respond. Check that it is running.');
  }
  const value = parse(text);
  if (!response.ok) throw new Error(value?.detail ?? `${method} ${path} failed with status ${response.status}.`);
  return value;
}

function parse(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

const segment = encodeURIComponent;

/** The path of a device in the control API. */
export const devicePath = (id) => `/v1/devices/${segment(id)}`;

/** The path of an app on a device. */
export const appPath = (id, bundleID) => `${devicePath(id)}/apps/${segment(bundleID)}`;

/** The path of the response to a notification in the list that the user sees. */
export const responsePath = (id, identifier) => `${devicePath(id)}/shown/${segment(identifier)}/response`;

/** The path of a notification in the list that the user sees, to remove it. */
export const shownPath = (id, { identifier, bundleID }) =>
  `${devicePath(id)}/shown?${new URLSearchParams({ identifier, bundleID })}`;

/** The path that removes a Live Activity from the screen, as a swipe does. */
export const activitySwipePath = (id, activity) => `${devicePath(id)}/activities/${segment(activity)}/swipe`;

/**
 * Boots devices, one after the other, because the wall shows them in boot order.
 *
 * @param {Object[]} bodies one for each device, as `POST /v1/devices` takes them.
 */
export async function boot(bodies) {
  for (const body of bodies) await call('POST', '/v1/devices', body);
}
