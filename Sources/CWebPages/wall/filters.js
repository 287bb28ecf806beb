// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import { byID, el } from './dom.js';
import * as strings from './strings.js';

const names = ['search', 'app', 'state', 'columns'];

/** The form that filters the devices. The query of the address keeps its values. */
export class Filters {
  #form = byID('filters');
  #apps = null;

  /** @param {function(): void} onChange is called when the user has changed a value. */
  constructor(onChange) {
    const { state } = this.#form.elements;
    state.append(...Object.entries(strings.states).map(([value, name]) => el('option', { value }, name)));
    this.#read();
    const changed = () => {
      this.#write();
      onChange();
    };
    this.#form.addEventListener('submit', (event) => event.preventDefault());
    this.#form.addEventListener('input', changed);
    byID('filters-clear').addEventListener('click', () => {
      for (const name of ['search', 'app', 'state']) this.#form.elements[name].value = '';
      changed();
      this.#form.elements.search.focus();
    });
    addEventListener('popstate', () => {
      this.#read();
      onChange();
    });
  }

  /** The values by name. */
  get values() {
    const fields = new FormData(this.#form);
    return Object.fromEntries(names.map((name) => [name, fields.get(name) ?? '']));
  }

  /** Whether devices are left out. */
  get isActive() {
    const { search, app, state } = this.values;
    return Boolean(search || app || state);
  }

  /** Offers these apps. A chosen app stays, also if no device has it any more. */
  setApps(apps) {
    if (apps === this.#apps) return;
    this.#apps = apps;
    const select = this.#form.elements.app;
    const chosen = select.value;
    const all = chosen && !apps.includes(chosen) ? [...apps, chosen] : apps;
    select.replaceChildren(select.options[0], ...all.map((app) => el('option', { value: app }, app)));
    select.value = chosen;
  }

  #read() {
    const query = new URLSearchParams(location.search);
    const { app } = this.#form.elements;
    const chosen = query.get('app');
    if (chosen && ![...app.options].some(({ value }) => value === chosen)) app.append(el('option', {}, chosen));
    for (const name of names) {
      const element = this.#form.elements[name];
      element.value = query.get(name) ?? '';
      // A select has no value if the address names an unknown one.
      if (element.selectedIndex === -1) element.selectedIndex = 0;
    }
  }

  #write() {
    const query = new URLSearchParams(Object.entries(this.values).filter(([, value]) => value));
    history.replaceState(null, '', query.size > 0 ? `?${query}` : location.pathname);
  }
}
