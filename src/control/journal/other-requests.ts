import { printWarning } from '../../core/schema/print.ts'
import { hideUrlSecrets } from '../../core/schema/secret-texts.ts'
import { formatCount } from '../../core/schema/text.ts'

/** The treatment of a request through the global `fetch` that wasn't for an installed gateway. */
type Treatment = 'rejected' | 'passed'

/** The maximum number of different requests to list for each treatment. */
const MAX_LINES = 20

/** Requests with the same method and URL. */
interface ListedRequest {
  /** The method, and the URL without its query and credentials. */
  readonly request: string
  /** The most likely reason that the URL is not the gateway's. */
  readonly hint: string
  readonly count: number
}

/** The requests through the global `fetch` to hosts other than the gateway's. */
export class OtherRequests {
  readonly #createHint: (url: string) => string
  /** The listed requests, by method and URL. */
  readonly #listed = { rejected: new Map<string, ListedRequest>(), passed: new Map<string, ListedRequest>() }
  /** True once the gateway has been installed as the global `fetch`. */
  wasInstalled = false
  #refusedCount = 0
  #hasWarned = false

  /** `createHint` returns the most likely reason that a URL is not the gateway's. */
  constructor(createHint: (url: string) => string) {
    this.#createHint = createHint
  }

  /** Records a request. Returns its method, its URL without query and credentials, and the hint for that URL. */
  add(method: string, url: string, treatment: Treatment): { readonly request: string; readonly hint: string } {
    const request = `${method} ${hideUrlSecrets(url)}`
    if (treatment === 'rejected') this.#refusedCount++
    const listed = this.#listed[treatment]
    const { count = 0, hint = this.#createHint(url) } = listed.get(request) ?? {}
    if (count > 0 || listed.size < MAX_LINES) listed.set(request, { request, hint, count: count + 1 })
    return { request, hint }
  }

  /** Prints a warning, unless it has already printed one. */
  warnOnce(text: string): void {
    if (!this.#hasWarned) printWarning(text)
    this.#hasWarned = true
  }

  /** Returns a line for each listed request. */
  listLines(): readonly string[] {
    return [...this.#linesOf('rejected'), ...this.#linesOf('passed')]
  }

  #linesOf(treatment: Treatment): string[] {
    return [...this.#listed[treatment].values()].map(
      ({ request, count }) => `${request} → ${treatment}${count === 1 ? '' : ` (${count} times)`}`,
    )
  }

  get refusedCount(): number {
    return this.#refusedCount
  }

  /** Returns the rejected requests, and the number of unlisted ones. */
  listRefused(): { readonly listed: readonly ListedRequest[]; readonly omitted: number } {
    const listed = [...this.#listed.rejected.values()]
    return { listed, omitted: listed.reduce((rest, { count }) => rest - count, this.#refusedCount) }
  }

  /** Returns a description of the rejected requests, or undefined if there are none. */
  describeRefused(): string | undefined {
    if (this.#refusedCount === 0) return undefined
    const { omitted } = this.listRefused()
    const lines = [...this.#linesOf('rejected'), ...(omitted === 0 ? [] : [`… and ${omitted} more`])]
    return [
      `${formatCount(this.#refusedCount, 'request was', 'requests were')} for another host, and rejected:`,
      ...lines.map((line) => `  ${line}`),
    ].join('\n')
  }

  clear(): void {
    this.#listed.rejected.clear()
    this.#listed.passed.clear()
    this.#refusedCount = 0
  }
}
