import { createContext } from 'preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { Snapshot } from '../control/snapshot.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { Overview } from '../views/overview.ts'
import { Connection, ErrorAnswer, takeKeyFromLink } from './connection.ts'
import { Service } from './service.ts'

interface SavedSnapshot {
  readonly name: string
  readonly at: number
  readonly records: number
  readonly snapshot: Snapshot
}

const MOST_ENTRIES = 2000

/** Changes within this many ms are loaded together. */
const TOGETHER_MS = 25

const RECONNECT_MS = 500

class PageState {
  readonly service: Service | undefined = undefined
  /** The controls, as their document describes them. */
  readonly controls: Service | undefined = undefined
  readonly overview: Overview | undefined = undefined
  /** The newest first. */
  readonly journal: readonly JournalEntry[] = []
  /** Counts the changes at the server; 0 before the first event. */
  readonly version: number = 0
  readonly isConnected: boolean = false
  readonly needsKey: boolean = false
  readonly problem: string = ''
  readonly place: string = location.hash.slice(1)
  readonly snapshots: readonly SavedSnapshot[] = []
}

export class Page extends PageState {
  readonly connection = new Connection()
  /** Draws the page; set by the component that shows it. */
  draw: () => void = () => undefined
  /** The ms by which the gateway's system clock is ahead of the browser's. */
  #ahead = 0
  #isChanging = false

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
    this.draw()
  }

  get now(): number {
    const { now, manual } = this.overview ?? { now: '', manual: true }
    return manual ? Date.parse(now) : Date.now() + this.#ahead
  }

  go(place: string): void {
    location.hash = place
  }

  control<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.connection.control(method, path, body)
  }

  /** Calls a control and shows its error. Returns whether it succeeded. */
  act(method: string, path: string, body?: unknown): Promise<boolean> {
    return this.run(() => this.control(method, path, body))
  }

  /** Does something and shows its error. Returns whether it succeeded. */
  async run(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      if (this.problem) this.set({ problem: '' })
      return true
    } catch (error) {
      this.#fail(error, `The gateway could not be reached: ${String(error)}`)
      return false
    }
  }

  #fail(error: unknown, otherwise: string): void {
    if (error instanceof ErrorAnswer && error.status === 401) this.set({ needsKey: true })
    this.set({ problem: error instanceof ErrorAnswer ? error.message : otherwise })
  }

  async #listen(): Promise<void> {
    for (;;) {
      try {
        for await (const { event, data } of this.connection.events()) {
          if (!this.isConnected) void this.run(() => this.#load())
          this.#handle(event, data)
        }
      } catch (error) {
        this.#fail(error, this.problem)
      }
      this.set({ isConnected: false })
      do await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS))
      while (this.needsKey)
    }
  }

  /** Loads what no event brings. */
  async #load(): Promise<void> {
    this.set({ isConnected: true, needsKey: false, problem: '', journal: [] })
    // The server answers one request after the other: first those of the part in sight.
    await new Promise((resolve) => setTimeout(resolve, 2 * TOGETHER_MS))
    await this.#catchUp('')
    // The server makes the document at the first request for it, which takes a while.
    const service = new Service(await this.control('GET', '/openapi.json'))
    this.connection.version = service.versionHeader
    this.set({ service })
    this.set({ controls: new Service(await this.control('GET', '/openapi.control.json')) })
  }

  #handle(event: string, data: unknown): void {
    if (event === 'overview') this.#setOverview(data as Overview) // The data of that event.
    if (event === 'request') this.#addEntry(data as JournalEntry) // The data of that event.
    if (event === 'emptied') this.set({ journal: [] })
    if (event === 'missed') void this.run(() => this.#catchUp(this.journal[0]?.operationId ?? ''))
    this.#changed()
  }

  #setOverview(overview: Overview): void {
    this.#ahead = Date.parse(overview.now) - Math.floor(Date.now() / 1000) * 1000
    this.set({ overview })
  }

  #addEntry(entry: JournalEntry): void {
    const { journal } = this
    if (journal.some(({ operationId }) => operationId === entry.operationId)) return
    this.set({ journal: [entry, ...journal.slice(0, MOST_ENTRIES - 1)] })
  }

  #changed(): void {
    if (this.#isChanging) return
    this.#isChanging = true
    setTimeout(() => {
      this.#isChanging = false
      this.set({ version: this.version + 1 })
    }, TOGETHER_MS)
  }

  /** Loads the entries of the journal after one, or all. Others may have come by events meanwhile. */
  async #catchUp(after: string): Promise<void> {
    const loaded = await this.control<JournalEntry[]>('GET', `/requests${after && `?after=${after}`}`)
    const ids = new Set(loaded.map(({ operationId }) => operationId))
    const others = this.journal.filter(({ operationId }) => !ids.has(operationId))
    const at = others.findIndex(({ operationId }) => operationId === after)
    const older = at < 0 ? [] : others.splice(at)
    this.set({ journal: [...others, ...loaded.reverse(), ...older].slice(0, MOST_ENTRIES) })
  }
}

export const PageContext = createContext<Page | undefined>(undefined)

export function usePage(): Page {
  const page = useContext(PageContext)
  if (!page) throw new Error('No page.')
  return page
}

/**
 * Loads a value, and loads it again when something changes at the server or in the inputs, one load at a time. Returns
 * undefined before the first answer.
 */
export function useLive<T>(load: () => Promise<T>, inputs: readonly unknown[]): T | undefined {
  const page = usePage()
  const [value, setValue] = useState<T | undefined>(undefined)
  const state = useRef({ load, isLoading: false, isStale: false }).current
  state.load = load
  const run = async () => {
    state.isLoading = true
    while (state.isStale) {
      state.isStale = false
      await page.run(async () => setValue(await state.load()))
    }
    state.isLoading = false
  }
  useEffect(() => {
    if (page.version === 0) return
    state.isStale = true
    if (!state.isLoading) void run()
  }, [page.version, ...inputs])
  return value
}
