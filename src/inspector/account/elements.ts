/** What an element holds: texts stay texts. */
export type Content = string | Node

/** Makes an element with its properties and what it holds. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<Omit<HTMLElementTagNameMap[Name], 'style'>>,
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...content)
  return made
}

/** A button; one that cannot be undone is asked twice. */
export function button(text: string, act: () => void, isDanger = false): HTMLButtonElement {
  const made = element('button', { type: 'button', className: isDanger ? 'danger' : '' }, text)
  made.onclick = () => {
    if (!isDanger || made.textContent === 'Really?') return act()
    made.textContent = 'Really?'
    setTimeout(() => {
      made.textContent = text
    }, 4000)
  }
  return made
}

/** A line of text with its label. */
export function line(label: string, properties: Partial<HTMLInputElement> = {}): [HTMLLabelElement, HTMLInputElement] {
  const input = element('input', { spellcheck: false, autocomplete: 'off', ...properties })
  return [element('label', {}, label, input), input]
}

/** One of several values with its label. */
export function choice(label: string, ...values: readonly string[]): [HTMLLabelElement, HTMLSelectElement] {
  const select = element('select', {}, ...values.map((each) => element('option', {}, each)))
  return [element('label', {}, label, select), select]
}

/** A form that does something in this page when it is sent. */
export function form(send: string, act: () => void, ...content: readonly Content[]): HTMLFormElement {
  const made = element('form', {}, ...content, element('button', { type: 'submit' }, send))
  made.onsubmit = (event) => {
    event.preventDefault()
    act()
  }
  return made
}
