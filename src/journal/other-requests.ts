import { counted } from '../schema/text.ts'

/** The fate of a request through the global `fetch` that was for no installed gateway. */
export type Fate = 'refused' | 'passed'

const MOST_NAMED = 20

/** Requests through the global `fetch` that were for another host than the gateway. */
export class OtherRequests {
  readonly #hintFor: (url: string) => string
  readonly #lines = new Map<string, number>()
  #refused = 0
  #hasWarned = false

  /** `hintFor` names the likeliest reason why a URL is not that of the gateway. */
  constructor(hintFor: (url: string) => string) {
    this.#hintFor = hintFor
  }

  /** Notes a request. Returns its method and URL without query and credentials, with the likeliest reason. */
  add(method: string, url: string, fate: Fate): { readonly request: string; readonly hint: string } {
    const request = `${method} ${url.replace(/[?#].*/s, '').replace(/^([^/]*\/\/)[^/]*@/, '$1')}`
    if (fate === 'refused') this.#refused++
    const line = `${request} → ${fate}`
    if (this.#lines.has(line) || this.#lines.size < MOST_NAMED) this.#lines.set(line, (this.#lines.get(line) ?? 0) + 1)
    return { request, hint: this.#hintFor(url) }
  }

  /** Warns of the first request that goes to the network without a word of the test. */
  warnOnce(text: string): void {
    if (!this.#hasWarned) console.warn(text)
    this.#hasWarned = true
  }

  /** A line for each different request. */
  lines(): readonly string[] {
    return [...this.#lines].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`))
  }

  /** Says which requests were refused; undefined if none was. */
  refused(): string | undefined {
    if (this.#refused === 0) return undefined
    const lines = this.lines().filter((line) => line.includes(' → refused'))
    return `${counted(this.#refused, 'request was', 'requests were')} for another host, and refused:\n${lines
      .map((line) => `  ${line}`)
      .join('\n')}`
  }

  clear(): void {
    this.#lines.clear()
    this.#refused = 0
  }
}
