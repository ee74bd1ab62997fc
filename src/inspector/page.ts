import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Snapshot } from '../control/state/snapshot.ts'
import type { Overview } from '../views/overview.ts'
import { Connection, type JournalEntry, Refused } from './connection.ts'
import { Service } from './document.ts'

/** A snapshot that the page keeps, to go back to. */
export interface KeptSnapshot {
  readonly name: string
  /** When it was taken, in ms. */
  readonly at: number
  readonly records: number
  readonly snapshot: Snapshot
}

/** How much of the journal the page keeps. */
const MOST_ENTRIES = 2000

/** Changes that come within this many ms are looked at together. */
const TOGETHER_MS = 25

/** How long after a lost connection the next one is tried, in ms. */
const AGAIN_MS = 500

/** What the page is drawn from. */
class Shown {
  readonly service: Service | undefined = undefined
  readonly overview: Overview | undefined = undefined
  /** The newest first. */
  readonly journal: readonly JournalEntry[] = []
  /** Counts the changes; whoever shows something asks again when it moves. */
  readonly version: number = 0
  readonly isConnected: boolean = false
  readonly needsKey: boolean = false
  readonly problem: string = ''
  readonly place: string = location.hash.slice(1)
  readonly snapshots: readonly KeptSnapshot[] = []
}

/** What every part of the page shares. */
export class Page extends Shown {
  readonly connection = new Connection()
  /** Draws the page; set by whoever shows it. */
  draw: () => void = () => undefined
  /** How far the time of the system clock is ahead of this machine's, in ms. */
  #ahead = 0
  #waits = false

  constructor() {
    super()
    this.connection.onKeyNeeded = () => this.set({ needsKey: true })
    addEventListener('hashchange', () => this.set({ place: location.hash.slice(1) }))
    void this.#listen()
  }

  /** Sets what the page is drawn from, and draws it. */
  set(shown: Partial<Shown>): void {
    Object.assign(this, shown)
    this.draw()
  }

  /** The gateway's time in ms. */
  get now(): number {
    const { now, manual } = this.overview ?? { now: '', manual: true }
    return manual ? Date.parse(now) : Date.now() + this.#ahead
  }

  go(place: string): void {
    location.hash = place
  }

  /** Asks a control. Throws {@link Refused}. */
  ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.connection.control(method, path, body)
  }

  /** Asks a control for what a person wants done. Answers whether it was done. */
  act(method: string, path: string, body?: unknown): Promise<boolean> {
    return this.doing(() => this.ask(method, path, body))
  }

  /** Does something that a person asked for, and says why where it is refused. Answers whether it was done. */
  async doing(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      if (this.problem) this.set({ problem: '' })
      return true
    } catch (error) {
      this.set({
        problem: error instanceof Refused ? error.message : `The gateway could not be asked: ${String(error)}`,
      })
      return false
    }
  }

  /** Notes that something may have changed. */
  changed(): void {
    if (this.#waits) return
    this.#waits = true
    setTimeout(() => {
      this.#waits = false
      this.set({ version: this.version + 1 })
    }, TOGETHER_MS)
  }

  async #listen(): Promise<void> {
    for (;;) {
      try {
        for await (const { event, data } of this.connection.events()) {
          if (!this.isConnected) void this.doing(() => this.#begin())
          this.#hear(event, data)
        }
      } catch (error) {
        if (error instanceof Refused) this.set({ problem: error.message })
      }
      this.set({ isConnected: false })
      do await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      while (this.needsKey)
    }
  }

  /** Asks for what no event tells. Most parts show what they have without waiting for that. */
  async #begin(): Promise<void> {
    this.set({ isConnected: true, needsKey: false, problem: '', journal: [] })
    // What is in sight is asked for first: the server answers one question after the other.
    await new Promise((resolve) => setTimeout(resolve, 2 * TOGETHER_MS))
    await this.#catchUp('')
    // The last, since a server makes it when it is first asked, which takes a while.
    const service = new Service(await this.ask('GET', '/openapi.json'))
    this.connection.version = service.versionHeader
    this.set({ service })
  }

  #hear(event: string, data: unknown): void {
    if (event === 'overview')
      this.#tellTime(data as Overview) // Data of that event.
    else if (event === 'request')
      this.#noted(data as JournalEntry) // Data of that event.
    else if (event === 'emptied') this.set({ journal: [] })
    else if (event === 'missed') void this.doing(() => this.#catchUp(this.journal[0]?.operationId ?? ''))
    this.changed()
  }

  #tellTime(overview: Overview): void {
    this.#ahead = Date.parse(overview.now) - Math.floor(Date.now() / 1000) * 1000
    this.set({ overview })
  }

  #noted(entry: JournalEntry): void {
    const { journal } = this
    if (journal.some(({ operationId }) => operationId === entry.operationId)) return
    this.set({ journal: [entry, ...journal.slice(0, MOST_ENTRIES - 1)] })
  }

  /** Asks for the entries of the journal after one, or for all: no event told them. */
  async #catchUp(after: string): Promise<void> {
    const entries = await this.ask<JournalEntry[]>('GET', `/requests${after && `?after=${after}`}`)
    const known = new Set(entries.map(({ operationId }) => operationId))
    const told = this.journal.filter(({ operationId }) => !known.has(operationId))
    const at = told.findIndex(({ operationId }) => operationId === after)
    const older = at < 0 ? [] : told.splice(at)
    this.set({ journal: [...told, ...entries.reverse(), ...older].slice(0, MOST_ENTRIES) })
  }
}

export const PageContext = createContext<Page | undefined>(undefined)

/** The page that a part stands on. */
export function usePage(): Page {
  const page = useContext(PageContext)
  if (!page) throw new Error('No page.')
  return page
}
