// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { el } from './dom.js';
import * as strings from './strings.js';

/** The form that sends a push to a device: a title and a text, or a payload as JSON. */
export class PushForm {
  element;
  #app = el('select', { name: 'app' });
  #type = el('select', { name: 'pushType' },
    ...Object.entries(strings.pushTypes).map(([value, name]) => el('option', { value }, name)));
  #title = el('input', { name: 'title', value: 'Hello', autocomplete: 'off', dir: 'auto' });
  #body = el('input', { name: 'body', value: 'Sent from the device wall', autocomplete: 'off', dir: 'auto' });
  #payload = el('textarea', {
    name: 'payload', rows: 8, spellcheck: 'false', dir: 'auto', 'aria-describedby': 'payload-error',
  });
  #error = el('p', { class: 'error', id: 'payload-error', role: 'alert' });
  #json = el('details', {},
    el('summary', {}, 'Payload as JSON'),
    el('label', {}, 'Replaces title and text', this.#payload), this.#error);
  #send = el('button', { class: 'primary' }, 'Send');
  /** The payload that the form has filled in. */
  #filled = '';

  /** @param {function(Object): void} send is called with the body of `POST …/notifications`. */
  constructor(device, send) {
    this.setApps(device.apps);
    this.element = el('form', { class: 'push' },
      el('h3', {}, 'Send a push'),
      el('p', { class: 'fields' }, el('label', {}, 'App', this.#app), el('label', {}, 'Push type', this.#type)),
      el('label', {}, 'Title', this.#title), el('label', {}, 'Text', this.#body), this.#json, this.#send);
    this.#json.addEventListener('toggle', () => this.#update());
    this.#type.addEventListener('change', () => this.#update());
    this.element.addEventListener('submit', (event) => {
      event.preventDefault();
      const payload = this.#parse();
      if (payload) send({ bundleID: this.#app.value, pushType: this.#type.value, payload });
    });
  }

  setApps(apps) {
    const names = apps.map(({ bundleID }) => bundleID);
    this.#send.disabled = names.length === 0;
    if ([...this.#app.options].map(({ value }) => value).join() === names.join()) return;
    const chosen = this.#app.value;
    this.#app.replaceChildren(...names.map((name) => el('option', {}, name)));
    if (names.includes(chosen)) this.#app.value = chosen;
  }

  /** The payload of the title and the text. */
  get #simple() {
    if (this.#type.value === 'background') return { aps: { 'content-available': 1 } };
    return { aps: { alert: { title: this.#title.value, body: this.#body.value }, sound: 'default' } };
  }

  /** Fills the payload with that of title and text, unless it was edited, and disables the inputs without effect. */
  #update() {
    const isOpen = this.#json.open;
    if (isOpen && [this.#filled, ''].includes(this.#payload.value.trim())) {
      this.#filled = JSON.stringify(this.#simple, null, 2);
      this.#payload.value = this.#filled;
    }
    this.#title.disabled = isOpen || this.#type.value === 'background';
    this.#body.disabled = this.#title.disabled;
  }

  #parse() {
    this.#error.textContent = '';
    this.#payload.removeAttribute('aria-invalid');
    if (!this.#json.open) return this.#simple;
    try {
      const payload = JSON.parse(this.#payload.value);
      if (payload !== null && typeof payload === 'object' && !Array.isArray(payload)) return payload;
      throw new Error('expected an object');
    } catch (problem) {
      this.#error.textContent = `The payload is not a JSON object: ${problem.message}`;
      this.#payload.setAttribute('aria-invalid', 'true');
      this.#payload.focus();
      return null;
    }
  }
}
