// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { boot, call } from './api.js';
import { byID, el, openForm, report } from './dom.js';
import * as strings from './strings.js';

/** The app and the number of the phones that the empty wall boots. */
const firstApp = 'com.example.app';
const firstPhones = 3;

/** The clock, the counters and the dialogs of the header. */
export class Controls {
  #model;
  #scale = byID('scale');

  constructor(model) {
    this.#model = model;
    for (const button of document.querySelectorAll('[data-advance]')) {
      const seconds = Number(button.dataset.advance);
      button.addEventListener('click', () => this.#setClock('POST', '/v1/clock:advance', { seconds }));
    }
    this.#scale.addEventListener('change', () => {
      this.#setClock('PATCH', '/v1/clock', { scale: Number(this.#scale.value) });
    });
    this.#scale.addEventListener('blur', () => this.#drawScale());
    byID('boot-open').addEventListener('click', () => this.#openBoot());
    byID('boot-three').addEventListener('click', () => this.#bootFirst());
    byID('faults-open').addEventListener('click', () => this.#openFaults());
    byID('reset-open').addEventListener('click', () => this.#openReset());
    const action = document.querySelector('#faults [name=action]');
    action.addEventListener('change', () => showFields(action.value));
    showFields(action.value);
    for (const [name, title] of Object.entries(strings.counterNames)) {
      byID('counters').append(el('div', {}, el('dt', {}, title), el('dd', { 'data-counter': name }, '0')));
    }
    setInterval(() => this.#drawTime(), 1000);
  }

  /** Draws the counters and the time; after a snapshot, the faults may be others, too. */
  update(isSnapshot) {
    for (const element of document.querySelectorAll('[data-counter]')) {
      setText(element, strings.number(this.#model.counters[element.dataset.counter] ?? 0));
    }
    this.#drawTime();
    // An open list must not change under the pointer.
    if (document.activeElement !== this.#scale) this.#drawScale();
    if (isSnapshot) this.#loadFaults().catch(() => {});
  }

  #drawTime() {
    const now = this.#model.now;
    const element = byID('now');
    element.dateTime = now.toISOString();
    setText(element, strings.moment(now));
  }

  #drawScale() {
    const value = String(this.#model.scale);
    if (![...this.#scale.options].some((option) => option.value === value)) {
      this.#scale.append(el('option', { value }, `${strings.number(this.#model.scale)}×`));
    }
    this.#scale.value = value;
  }

  async #setClock(method, path, body) {
    // The stream has the new time. The response can arrive after a message with a newer one.
    if (await report(call(method, path, body)) === undefined) this.#drawScale();
  }

  #boot(bundleID, count, systemName) {
    const { devices = 0 } = this.#model.counters;
    return boot(Array.from({ length: count }, (_, index) => ({
      apps: [bundleID], systemName, name: strings.bootName(systemName, devices + index + 1),
    })));
  }

  async #bootFirst() {
    const button = byID('boot-three');
    button.disabled = true;
    await report(this.#boot(firstApp, firstPhones, 'iOS'));
    button.disabled = false;
    // The button disappears with the empty wall, so the focus goes to what it made.
    byID('devices').focus();
  }

  #openBoot() {
    openForm(byID('boot'), async (_, fields) => {
      await this.#boot(fields.get('app'), Number(fields.get('count')), fields.get('system'));
      return true;
    });
  }

  #openReset() {
    byID('reset-text').textContent = strings.resetText(this.#model.counters.devices ?? 0);
    openForm(byID('reset'), async () => {
      await call('POST', '/v1/reset');
      return true;
    });
  }

  #openFaults() {
    report(this.#loadFaults());
    openForm(byID('faults'), async (_, fields) => {
      await call('POST', '/v1/faults', fault(fields));
      await this.#loadFaults();
      return false;
    });
  }

  /** Loads the faults, and shows their number on the button. */
  async #loadFaults() {
    const { faults } = await call('GET', '/v1/faults');
    const remove = async ({ id }) => {
      await call('DELETE', `/v1/faults/${id}`);
      await this.#loadFaults();
      document.querySelector('#faults [name=action]').focus();
    };
    const items = faults.map((fault) => el('li', {}, el('span', {}, strings.fault(fault)),
      el('button', { type: 'button', onclick: () => this.#try(remove(fault)) },
        'Remove', el('span', { class: 'hidden' }, ` ${strings.fault(fault)}`))));
    byID('fault-list').replaceChildren(...(items.length > 0 ? items : [el('li', {}, strings.texts.noFault)]));
    byID('faults-open').textContent = faults.length > 0 ? `Faults (${strings.number(faults.length)})` : 'Faults';
  }

  /** Shows the error of a call in the dialog of the faults. */
  async #try(promise) {
    const error = document.querySelector('#faults .error');
    error.textContent = '';
    await promise.catch((problem) => { error.textContent = problem.message; });
  }
}

/** Changes a text only if it differs, which keeps a selection. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows the fields of an action and disables those of the others. */
function showFields(action) {
  for (const field of document.querySelectorAll('#faults [data-for]')) {
    field.hidden = field.dataset.for !== action;
    field.querySelector('input, select').disabled = field.hidden;
  }
}

/** The fault that the fields of the form describe. */
function fault(fields) {
  const body = { action: fields.get('action') };
  if (fields.has('reason')) body.reason = fields.get('reason');
  if (fields.has('milliseconds')) body.milliseconds = Number(fields.get('milliseconds'));
  if (fields.get('count')) body.count = Number(fields.get('count'));
  return body;
}
