// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { activitySwipePath, appPath, call, devicePath, responsePath, shownPath } from './api.js';
import { byID, el } from './dom.js';
import { banner, card } from './phone.js';
import { PushForm } from './push.js';
import * as strings from './strings.js';
import { item } from './ticker.js';

/** The shortest time between two loads of an open device, in milliseconds. */
const refreshInterval = 500;
/** The largest numbers of entries in the lists. */
const limits = { shown: 50, received: 20, events: 50 };

/** The dialog with everything about one device. */
export class Drawer {
  #dialog = byID('drawer');
  #model;
  #id = null;
  #opener = null;
  #parts = {};
  #drawn = new Map();
  #timer = null;
  #push = null;

  constructor(model) {
    this.#model = model;
    this.#dialog.addEventListener('close', () => {
      this.#id = null;
      // A reset removes the phone that opened it.
      (this.#opener?.isConnected ? this.#opener : byID('devices')).focus();
    });
  }

  /** Opens a device; the focus returns to `opener`. */
  async open(id, opener) {
    this.#id = id;
    this.#opener = opener;
    this.#build(this.#model.devices.get(id));
    this.#dialog.showModal();
    await this.#load();
  }

  /** Loads the open device again if it changed. */
  refresh(changed) {
    if (this.#id === null) return;
    if (!this.#model.devices.has(this.#id)) return this.#dialog.close();
    if (!changed.includes(this.#id) || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#load();
    }, refreshInterval);
  }

  /** Builds the parts that stay: inputs keep what is typed while the lists change. */
  #build(device) {
    const parts = {
      title: el('h2', { id: 'drawer-title', dir: 'auto' }, strings.deviceName(device)),
      error: el('p', { class: 'error', role: 'alert' }),
      status: el('p', { class: 'sent', role: 'status' }),
      toggles: el('fieldset', { class: 'toggles' }),
      apps: el('div'), shown: el('div'), activities: el('div'), received: el('div'),
      events: el('ol', { class: 'events', tabindex: 0, 'aria-label': 'Events of the device, newest first' }),
    };
    this.#parts = parts;
    this.#drawn.clear();
    this.#push = new PushForm(device, (body) => this.#send(body));
    this.#dialog.replaceChildren(
      el('header', {}, parts.title, el('button', { type: 'button', onclick: () => this.#dialog.close() }, 'Close')),
      el('p', { class: 'id' }, `${device.systemName} ${device.systemVersion} · ${device.environment} · `,
        el('code', {}, device.id)),
      parts.error, parts.status,
      this.#nameForm(device), parts.toggles, this.#push.element,
      section('Live Activities', parts.activities), section('Notifications on the screen', parts.shown),
      section('Apps', parts.apps, this.#installForm()),
      section('Delivered payloads', parts.received), section('Events', parts.events),
    );
  }

  #nameForm(device) {
    const name = el('input', {
      name: 'name', value: device.name ?? '', maxlength: 60, autocomplete: 'off', dir: 'auto',
    });
    return this.#form('naming', [el('label', {}, 'Name ', name), el('button', {}, 'Save')],
      () => this.#change('PATCH', devicePath(this.#id), { name: name.value }));
  }

  #installForm() {
    const app = el('input', { name: 'install', required: true, pattern: '[A-Za-z0-9._\\-]+', autocomplete: 'off' });
    return this.#form('naming', [el('label', {}, 'Bundle ID ', app), el('button', {}, 'Install')],
      () => this.#change('POST', `${devicePath(this.#id)}/apps`, { bundleID: app.value }));
  }

  #form(className, children, submit) {
    const form = el('form', { class: className }, ...children);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      submit();
    });
    return form;
  }

  async #send(body) {
    const sent = await this.#change('POST', `${devicePath(this.#id)}/notifications`, body);
    if (sent) this.#parts.status.textContent = `Sent with the apns-id ${sent.apnsID}.`;
  }

  /** Calls the API, shows its error, and loads the device again. */
  async #change(method, path, body) {
    const { error, status } = this.#parts;
    error.textContent = '';
    status.textContent = '';
    try {
      const result = await call(method, path, body);
      await this.#load();
      return result;
    } catch (problem) {
      error.textContent = problem.message;
      error.scrollIntoView({ block: 'nearest' });
      // A switch or a list shows the state that did not change.
      this.#drawn.clear();
      await this.#load();
      return null;
    }
  }

  async #load() {
    const id = this.#id;
    if (id === null) return;
    const path = devicePath(id);
    try {
      const [device, { events }, { activities }] = await Promise.all(
        [path, `${path}/events`, `${path}/activities`].map((part) => call('GET', part)));
      if (this.#id === id) this.#draw(device, events, activities);
    } catch (problem) {
      if (this.#id === id) this.#parts.error.textContent = problem.message;
    }
  }

  #draw(device, events, activities) {
    const { id, apps } = device;
    const { texts } = strings;
    const shown = device.shown.slice(-limits.shown).reverse();
    const current = activities.filter(({ state }) => state !== 'dismissed');
    const focused = document.activeElement?.dataset?.key;
    this.#parts.title.textContent = strings.deviceName(device);
    this.#push.setApps(apps);
    this.#part('toggles', [device.online, device.locked, device.lowPower], () => this.#toggles(device));
    this.#part('apps', apps, () => apps.map((app) => this.#app(id, app)), texts.emptyApps);
    this.#part('shown', [shown, strings.minute(this.#model.now)], () => {
      return shown.map((entry) => banner(entry, this.#model.now, ...this.#actions(id, entry)));
    }, texts.emptyShown);
    this.#part('activities', current, () => current.map((activity) => this.#activity(id, activity)),
      texts.emptyActivities);
    const notifications = device.notifications.slice(-limits.received).reverse();
    const open = new Set([...this.#parts.received.querySelectorAll('[open]')].map(({ dataset }) => dataset.id));
    this.#part('received', notifications, () => notifications.map((entry) => received(entry, open)),
      texts.emptyReceived);
    const latest = events.slice(-limits.events).reverse();
    this.#part('events', latest, () => latest.map((event) => item(event)), texts.emptyEvents, 'li');
    // An element that was drawn again has lost the focus.
    if (focused && document.activeElement?.dataset?.key !== focused) {
      this.#dialog.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    }
  }

  /** Draws a part if its content differs from the content that was drawn last. */
  #part(name, content, build, empty = '', tag = 'p') {
    const key = JSON.stringify(content);
    if (this.#drawn.get(name) === key) return;
    this.#drawn.set(name, key);
    const children = build();
    this.#parts[name].replaceChildren(...(children.length > 0 ? children : [el(tag, { class: 'none' }, empty)]));
  }

  #toggles(device) {
    return [el('legend', {}, 'Device'), ...Object.entries(strings.switches).map(([name, label]) => el('label', {},
      el('input', {
        type: 'checkbox', role: 'switch', checked: device[name], 'data-key': name,
        onchange: (event) => this.#change('PATCH', devicePath(device.id), { [name]: event.target.checked }),
      }), label))];
  }

  #activity(id, activity) {
    return el('div', { class: 'entry' }, card(activity),
      el('p', { class: 'controls' },
        this.#button(`swipe-${activity.id}`, 'Swipe away', 'POST', activitySwipePath(id, activity.id))));
  }

  #app(id, app) {
    const path = appPath(id, app.bundleID);
    const choice = (name, label, names) => el('label', {}, label, el('select', {
      'data-key': `${name}-${app.bundleID}`,
      onchange: (event) => this.#change('PATCH', path, { [name]: event.target.value }),
    }, ...Object.entries(names).map(([value, text]) => el('option', { value, selected: app[name] === value }, text))));
    return el('section', { class: 'entry' },
      el('h4', {}, app.bundleID, app.badge > 0 && el('span', { class: 'flag' }, `Badge ${strings.number(app.badge)}`)),
      el('p', { class: 'fields' },
        choice('permission', 'Notifications', strings.permissions), choice('state', 'State', strings.appStates)),
      ...Object.entries(app.tokens).map(([topic, token]) => this.#token(app, topic, token)),
      el('p', { class: 'controls' },
        this.#button(`again-${app.bundleID}`, 'Reinstall', 'POST', `${path}/reinstall`),
        this.#button(`remove-${app.bundleID}`, 'Uninstall', 'DELETE', path)));
  }

  #token(app, topic, token) {
    const code = el('code', {}, token);
    return el('p', { class: 'token' },
      topic === app.bundleID ? 'Token ' : `Token for ${topic} `, code, ' ',
      el('button', {
        type: 'button', 'data-key': `copy-${topic}`, 'aria-label': `Copy the token of ${topic}`,
        onclick: (event) => copy(token, code, event.target, this.#parts.status),
      }, 'Copy'));
  }

  #actions(id, shown) {
    const { apnsID, bundleID, identifier } = shown;
    return [
      this.#button(`tap-${apnsID}`, 'Tap', 'POST', responsePath(id, identifier), { bundleID }),
      this.#button(`swipe-${apnsID}`, 'Swipe away', 'DELETE', shownPath(id, shown)),
    ];
  }

  #button(key, label, method, path, body) {
    return el('button', { type: 'button', 'data-key': key, onclick: () => this.#change(method, path, body) }, label);
  }
}

const section = (title, ...content) => el('section', {}, el('h3', {}, title), ...content);

/** Copies a text. Without a clipboard, as on plain HTTP to another host, it selects the text instead. */
async function copy(text, element, button, status) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    status.textContent = 'Copied the token.';
  } catch {
    getSelection().selectAllChildren(element);
    status.textContent = strings.texts.noClipboard;
  }
}

function received({ apnsID, bundleID, headers, payload, receivedAt }, open) {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload, null, 2);
  const id = `${apnsID} ${receivedAt}`;
  return el('details', { class: 'entry', 'data-id': id, open: open.has(id) },
    el('summary', { 'data-key': `payload-${id}` },
      el('time', { datetime: receivedAt }, strings.time(new Date(receivedAt))), ` ${bundleID}`),
    el('pre', { tabindex: 0, dir: 'auto', 'aria-label': 'Payload' }, text),
    el('dl', { class: 'headers' }, ...Object.entries({ 'apns-id': apnsID, ...headers }).flatMap(([name, value]) => [
      el('dt', {}, name), el('dd', {}, value)])));
}
