import type { FamilyNouns } from '../control/views/nouns.ts'
import type { OpenApiDocument } from '../gateway/openapi/document.ts'
import type { JournalEntry, Overview } from '../generated/controls.ts'
import { Connection, decodePart, ResponseError, takeKeyFromLink } from './connection.ts'
import { KnownRequests } from './journal.ts'
import { inState, type Live, LOADING, settle } from './live-value.ts'
import { Service } from './service.ts'

const MAX_DURATIONS = 2000

/** The minimum time between two renderings, in ms. Requests that arrive in between are rendered together. */
const DRAW_MS = 33

/** The time in ms from the first change to its load, and the minimum time between later loads. */
const GATHER_MS = 25
const LOAD_MS = 150
const RECONNECT_MS = 500

const waitToReconnect = (end: () => void) =>
  document.hidden ? addEventListener('visibilitychange', end, { once: true }) : setTimeout(end, RECONNECT_MS)

/** The identity of a gateway. */
interface GatewayName {
  /** The server's `name` option, or the name of the sandbox. */
  readonly name: string | null
  readonly url: string
  readonly dialect: string
  /** The time at which the server started; absent for a sandbox. */
  readonly started?: string
  readonly versionHeader: string
  readonly nouns: Readonly<Record<string, FamilyNouns>>
}

/** Shown instead of an error that the page has because there is no server. */
export const NO_SERVER = 'The server does not respond. Restart it at this address: this page keeps trying.'

class PageState {
  readonly gateway: GatewayName | undefined = undefined
  readonly overview: Overview | undefined = undefined
  /** The load of the journal. */
  readonly history: Live<true> = LOADING
  /** Counts the state changes at the server. 0 before the first event. */
  version = 0
  readonly isConnected: boolean = false
  /** The time at which the most recent connection ended, in ms on the browser's clock. */
  readonly lostAt: number | undefined = undefined
  readonly needsKey: boolean = false
  /** The error of data that the page loads automatically. */
  readonly problem: string = ''
  /** True while a clock move is in progress. */
  readonly isMoving: boolean = false
  /** The clock move whose results the user has dismissed. */
  readonly dismissed: string = ''
  /** The errors whose rows the user has dismissed in this tab of the browser. */
  readonly dismissedTroubles: readonly string[] = JSON.parse(sessionStorage.getItem('dismissed') ?? '[]')
  readonly place: string = location.hash.slice(1)
}

export class Page extends PageState {
  readonly connection = new Connection()
  readonly requests = new KnownRequests()
  /** The durations of requests on the wall clock, in ms, by operation ID. */
  readonly durations = new Map<string, number>()
  /** Renders the page. Set by the component that shows it. */
  draw: () => void = () => undefined
  /** The number of ms by which the gateway's system clock is ahead of the browser's. */
  #clockAheadMs = 0
  #changing: ReturnType<typeof setTimeout> | undefined
  #loadedAt = 0
  #drawing: ReturnType<typeof setTimeout> | undefined
  #drawnAt = 0
  /** The overview as JSON, without the parts that change only because of requests. */
  #lastOverview = ''
  /** Counts the connections that have ended. */
  #ended = 0
  readonly #documents = new Map<string, { readonly service: Live<Service>; readonly connection: number }>()

  constructor() {
    super()
    const follow = () => {
      const hasKey = takeKeyFromLink()
      this.set({ place: location.hash.slice(1), ...(hasKey && { needsKey: false }) })
    }
    addEventListener('hashchange', follow)
    follow()
    void this.#listen()
  }

  set(state: Partial<PageState>): void {
    Object.assign(this, state)
    this.#drawing ??= setTimeout(() => this.#drawNow(), Math.max(0, this.#drawnAt + DRAW_MS - performance.now()))
  }

  #drawNow(): void {
    clearTimeout(this.#drawing)
    this.#drawing = undefined
    this.#drawnAt = performance.now()
    this.draw()
  }

  /** The requests since the last restart of the server, newest first. */
  get journal(): readonly JournalEntry[] {
    return this.requests.all
  }

  /** The service, as described by its document. The first view that reads it loads it. */
  get described(): Live<Service> {
    return this.#describe('/openapi.json')
  }

  /** The service for parts of a view that are optional, such as links, or undefined until it is loaded. */
  get service(): Service | undefined {
    return inState<Service, Service | undefined>(this.described, undefined, undefined, (service) => service)
  }

  /** The controls, as described by their document. The first view that reads them loads them. */
  get controls(): Live<Service> {
    return this.#describe('/openapi.control.json')
  }

  /** Returns the service that a document describes. Loads it once per connection, because another server may have a different one. */
  #describe(path: string): Live<Service> {
    const { service, connection: last } = this.#documents.get(path) ?? { service: LOADING }
    const connection = this.#ended
    // The first view does not wait until the page is connected.
    if ((this.isConnected || connection === 0) && last !== connection) {
      this.#documents.set(path, { service, connection })
      const load = async () => new Service(await this.control<OpenApiDocument>('GET', path))
      void settle(service, load).then((loaded) => {
        this.#documents.set(path, { service: loaded, connection })
        this.set({})
      })
    }
    return service
  }

  /** Returns the nouns for one resource of a family and for several. */
  getNouns(family: string): Pick<FamilyNouns, 'one' | 'many'> {
    return this.gateway?.nouns[family] ?? { one: family, many: family }
  }

  /** The header that names the version of the API. */
  get versionHeader(): Record<string, string> {
    return { [this.gateway?.versionHeader ?? '']: '2' }
  }

  get now(): number {
    const { now, manual } = this.overview ?? { now: '', manual: true }
    return manual ? Date.parse(now) : Date.now() + this.#clockAheadMs
  }

  /** Returns the time until which a request's client is waiting, or undefined if it is not waiting. */
  findWaitEnd(entry: JournalEntry): string | undefined {
    return this.overview?.waiting.find(({ operationId }) => operationId === entry.operationId)?.until
  }

  /** The segments of the current location, such as `jobs` and the ID of a domain. */
  get path(): string[] {
    return (this.place.split('?')[0] ?? '').split('/').map(decodePart)
  }

  /** The query of the current location: the search and the sorting of the current tab. */
  get query(): URLSearchParams {
    return new URLSearchParams(this.place.split('?')[1])
  }

  /** Returns a link to a location in the current tab that keeps its query. */
  linkWithin(place: string): string {
    const [, query] = this.place.split('?')
    return `#${place}${query ? `?${query}` : ''}`
  }

  /** Changes the query of the current location without adding a history entry. */
  setQuery(changes: Readonly<Record<string, string>>): void {
    const { query } = this
    for (const [name, value] of Object.entries(changes)) value ? query.set(name, value) : query.delete(name)
    history.replaceState(null, '', `#${this.place.split('?')[0]}${query.size > 0 ? `?${query}` : ''}`)
    this.set({ place: location.hash.slice(1) })
  }

  dismissTroubles(dismissedTroubles: readonly string[]): void {
    sessionStorage.setItem('dismissed', JSON.stringify(dismissedTroubles))
    this.set({ dismissedTroubles })
  }

  goTo(place: string): void {
    location.hash = place
  }

  control<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.connection.control<T>(method, path, body).catch((error) => {
      if (error instanceof ResponseError && error.status === 401) this.#showRejection(error)
      throw error
    })
  }

  /** Asks for a key, or shows the error. Before the user has entered a key, a missing key isn't an error. */
  #showRejection({ status, message }: ResponseError): void {
    const needsKey = status === 401
    this.set({ needsKey, problem: needsKey && !this.connection.hasKey ? '' : message })
  }

  /** Returns a resource of the service, or null if it does not exist. */
  findResource<T>(path: string): Promise<T | null> {
    return this.connection.service<T>('GET', path).catch((error) => {
      if (error.status === 404) return null
      throw error
    })
  }

  /** Calls a control that moves the clock and can be undone. */
  async moveClock(path: string, body: object): Promise<void> {
    if (this.isMoving) return
    this.set({ isMoving: true })
    try {
      await this.control('POST', path, { ...body, remember: true })
    } finally {
      this.set({ isMoving: false })
    }
  }

  /** Reloads the data that the current view shows, and any data that could not be loaded. */
  reload(): void {
    for (const [path, { service }] of this.#documents) if (service.state === 'failed') this.#documents.delete(path)
    if (this.history.state !== 'known') void this.#loadHistory()
    this.#changed()
  }

  async #listen(): Promise<void> {
    for (;;) {
      try {
        for await (const { event, data } of this.connection.events()) {
          if (!this.isConnected) void this.#load()
          this.#handle(event, data)
        }
        if (!this.isConnected) throw new Error('There were no events.')
      } catch (error) {
        if (error instanceof ResponseError) this.#showRejection(error)
        // Later, the header shows that the connection is lost.
        else if (!this.isConnected && !this.lostAt) this.set({ problem: NO_SERVER })
      }
      this.#ended++
      this.set({ isConnected: false, lostAt: this.isConnected ? Date.now() : this.lostAt })
      do await new Promise<void>(waitToReconnect)
      while (this.needsKey)
    }
  }

  /** Loads the data that no event contains. */
  async #load(): Promise<void> {
    this.set({ isConnected: true, needsKey: false, problem: '' })
    // Without a connection, the page received no events about changes.
    this.#changed()
    // The server handles requests one at a time, so the current tab's requests go first.
    await new Promise((resolve) => setTimeout(resolve))
    await this.#loadHistory()
    this.#drawNow()
  }

  #handle(event: string, read: () => unknown): void {
    const data = () => read() as never // Each event has the data that the method takes.
    if (event === 'request') this.requests.add(data())
    if (event === 'durations') this.#addDurations(data())
    if (event === 'overview') this.#setOverview(data())
    if (event === 'gateway') this.#setGateway(data())
    if (event === 'cancelled') this.requests.cancel(Object.values(data()))
    if (event === 'emptied') this.requests.empty()
    if (event === 'missed') void this.#loadHistory(this.journal[0]?.operationId)
    if (event === 'changed' || event === 'control' || event === 'missed') this.#changed()
    else this.set({})
  }

  #setGateway(gateway: GatewayName): void {
    if (this.gateway && this.gateway.started !== gateway.started) {
      this.requests.cancel(this.overview?.waiting.map(({ operationId }) => operationId) ?? [])
      this.requests.restart()
    }
    this.set({ gateway })
  }

  #setOverview(overview: Overview): void {
    this.#clockAheadMs = Date.parse(overview.now) - Math.floor(Date.now() / 1000) * 1000
    const { requests: _requests, dropped: _dropped, traffic: _traffic, waiting: _waiting, now, ...rest } = overview
    const facts = JSON.stringify(rest.manual ? { now, ...rest } : rest)
    // The first overview arrives with the connection. Everything has been loaded by then.
    if (this.#lastOverview && facts !== this.#lastOverview) this.#changed()
    this.#lastOverview = facts
    this.requests.limitTo(overview)
    this.set({ overview })
  }

  #addDurations(durations: Record<string, number>): void {
    for (const [id, ms] of Object.entries(durations)) this.durations.set(id, ms)
    for (const id of this.durations.keys()) if (this.durations.size > MAX_DURATIONS) this.durations.delete(id)
  }

  #changed(): void {
    // The first change is shown immediately.
    const wait = this.version && Math.max(GATHER_MS, this.#loadedAt + LOAD_MS - performance.now())
    this.#changing ??= setTimeout(() => {
      this.#changing = undefined
      this.#loadedAt = performance.now()
      this.version++
      this.#drawNow()
    }, wait)
  }

  /** Loads the requests after the request with the ID `after`, or all: the journal may have been cleared without an event to this page. */
  async #loadHistory(after = ''): Promise<void> {
    const load = async () => {
      const replaced = after ? [] : this.journal
      this.requests.addMissed(after, await this.control('GET', `/requests${after && `?after=${after}`}`), replaced)
      return true as const
    }
    this.set({ history: await settle(this.history, load) })
  }
}

/** The state of the page. */
export const page = new Page()
