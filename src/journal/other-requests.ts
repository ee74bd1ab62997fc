import { formatCount } from '../schema/text.ts'

/** The treatment of a request through the global `fetch` that was for no installed gateway. */
type Treatment = 'refused' | 'passed'

/** The maximum number of different requests that are listed. */
const MAX_LINES = 20

/** The requests through the global `fetch` that were for another host than the gateway. */
export class OtherRequests {
  readonly #createHint: (url: string) => string
  readonly #countsByLine = new Map<string, number>()
  #refusedCount = 0
  #hasWarned = false

  /** `createHint` names the likeliest reason why a URL is not that of the gateway. */
  constructor(createHint: (url: string) => string) {
    this.#createHint = createHint
  }

  /** Records a request. Returns its method and its URL without query and credentials, and the hint for that URL. */
  add(method: string, url: string, treatment: Treatment): { readonly request: string; readonly hint: string } {
    const request = `${method} ${url.replace(/[?#].*/s, '').replace(/^([^/]*\/\/)[^/]*@/, '$1')}`
    if (treatment === 'refused') this.#refusedCount++
    const line = `${request} → ${treatment}`
    if (this.#countsByLine.has(line) || this.#countsByLine.size < MAX_LINES)
      this.#countsByLine.set(line, (this.#countsByLine.get(line) ?? 0) + 1)
    return { request, hint: this.#createHint(url) }
  }

  /** Prints a warning, unless it has printed one before. */
  warnOnce(text: string): void {
    if (!this.#hasWarned) console.warn(text)
    this.#hasWarned = true
  }

  /** Returns a line for each different request. */
  listLines(): readonly string[] {
    return [...this.#countsByLine].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`))
  }

  /** Describes the refused requests; undefined if there are none. */
  describeRefused(): string | undefined {
    if (this.#refusedCount === 0) return undefined
    const lines = this.listLines().filter((line) => line.includes(' → refused'))
    return `${formatCount(this.#refusedCount, 'request was', 'requests were')} for another host, and refused:\n${lines
      .map((line) => `  ${line}`)
      .join('\n')}`
  }

  clear(): void {
    this.#countsByLine.clear()
    this.#refusedCount = 0
  }
}
