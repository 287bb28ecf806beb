// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { deviceName } from './strings.js';

/** The devices and the simulated time, according to the messages of the stream. Does not know the page. */
export class Model {
  /** Devices by ID, in boot order. */
  devices = new Map();
  counters = {};
  scale = 1;
  #apps = null;
  #now = Date.now();
  #receivedAt = performance.now();
  #isRunning = true;

  /**
   * Applies a message.
   *
   * @returns {{changed: string[], lit: Set<string>, isNew: boolean}} the devices that changed, those that show
   *   something new, and whether the set of devices changed.
   */
  apply(message, isSnapshot) {
    const old = this.devices;
    if (isSnapshot) this.devices = new Map();
    this.counters = message.counters;
    this.setTime(message.now, message.scale);
    const lit = new Set();
    let isNew = isSnapshot;
    for (const device of message.devices) {
      const before = old.get(device.id);
      if (before && showsMore(device, before)) lit.add(device.id);
      if (!before) isNew = true;
      if (!before || appsOf(before) !== appsOf(device)) this.#apps = null;
      this.devices.set(device.id, device);
    }
    if (isSnapshot) this.#apps = null;
    return { changed: message.devices.map((device) => device.id), lit, isNew };
  }

  setTime(now, scale) {
    this.#now = Date.parse(now);
    this.#receivedAt = performance.now();
    this.#isRunning = true;
    this.scale = scale;
  }

  /** Stops the time until the next message, because it is unknown without a connection. */
  stopTime() {
    this.#now = this.now.getTime();
    this.#isRunning = false;
  }

  /** The simulated time. */
  get now() {
    if (!this.#isRunning) return new Date(this.#now);
    return new Date(this.#now + (performance.now() - this.#receivedAt) * this.scale);
  }

  /** The apps of all devices, in alphabetical order. */
  get apps() {
    if (this.#apps) return this.#apps;
    const apps = new Set();
    for (const device of this.devices.values()) for (const app of device.apps) apps.add(app.bundleID);
    this.#apps = [...apps].sort();
    return this.#apps;
  }

  /** The IDs of the devices that match a filter, in boot order. */
  matching({ search, app, state }) {
    const words = search.trim().toLowerCase();
    const test = stateTests[state];
    const matches = (device) =>
      (!app || device.apps.some(({ bundleID }) => bundleID === app)) &&
      (!test || test(device)) &&
      (!words || deviceName(device).toLowerCase().includes(words) || device.id.toLowerCase().startsWith(words));
    return [...this.devices.values()].filter(matches).map(({ id }) => id);
  }
}

const stateTests = {
  online: (device) => device.online,
  offline: (device) => !device.online,
  waiting: (device) => device.waiting > 0,
  locked: (device) => device.locked,
  lowPower: (device) => device.lowPower,
  denied: (device) => device.apps.some((app) => app.permission === 'denied' || app.permission === 'notDetermined'),
  activity: (device) => device.activities.length > 0,
  discarded: (device) => device.discarded !== null,
};

const appsOf = (device) => device.apps.map((app) => app.bundleID).join();

/** Whether a device shows a notification or the content of a Live Activity that it did not show before. */
function showsMore(device, before) {
  const [shown] = device.shown;
  if (shown && (shown.apnsID !== before.shown[0]?.apnsID || shown.at !== before.shown[0]?.at)) {
    // After a swipe, an older notification is the first one.
    if (!before.shown.some(({ apnsID, at }) => apnsID === shown.apnsID && at === shown.at)) return true;
  }
  return device.activities.some((activity) => {
    const earlier = before.activities.find(({ id }) => id === activity.id);
    return !earlier || JSON.stringify(earlier.contentState) !== JSON.stringify(activity.contentState);
  });
}

/** The shown notifications by app: the app of the newest first, and in each group the newest first. */
export function groups(shown) {
  const byApp = new Map();
  for (const notification of shown) {
    if (!byApp.has(notification.bundleID)) byApp.set(notification.bundleID, []);
    byApp.get(notification.bundleID).push(notification);
  }
  return [...byApp.values()];
}

/** A small number that is always the same for a text, to choose colors with. */
export function hash(text, size) {
  let value = 7;
  for (const character of text) value = (value * 31 + character.codePointAt(0)) % 65521;
  return value % size;
}
