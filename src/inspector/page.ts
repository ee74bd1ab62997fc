import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Overview } from '../control/overview.ts'
import type { Snapshot } from '../control/state/snapshot.ts'
import { Connection, type JournalEntry, Refused } from './connection.ts'
import { Service } from './document.ts'
import { Value } from './value.ts'

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

/** What every part of the page shares. */
export class Page {
  readonly connection = new Connection()
  /** Draws the page; set by whoever shows it. */
  draw: () => void = () => undefined
  readonly service = this.#value<Service | undefined>(undefined)
  readonly overview = this.#value<Overview | undefined>(undefined)
  /** The newest first. */
  readonly journal = this.#value<readonly JournalEntry[]>([])
  /** Counts the changes; whoever shows something asks again when it moves. */
  readonly version = this.#value(0)
  readonly isConnected = this.#value(false)
  readonly needsKey = this.#value(false)
  readonly problem = this.#value('')
  readonly place = this.#value(location.hash.slice(1))
  readonly snapshots = this.#value<readonly KeptSnapshot[]>([])
  /** How far the time of the system clock is ahead of this machine's, in ms. */
  #ahead = 0
  #waits = false

  constructor() {
    this.connection.onKeyNeeded = () => {
      this.needsKey.value = true
    }
    addEventListener('hashchange', () => {
      this.place.value = location.hash.slice(1)
    })
    void this.#listen()
  }

  #value<T>(value: T): Value<T> {
    return new Value(value, () => this.draw())
  }

  /** The gateway's time in ms. */
  get now(): number {
    const { now, manual } = this.overview.value ?? { now: '', manual: true }
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
      this.problem.value = ''
      return true
    } catch (error) {
      this.problem.value = error instanceof Refused ? error.message : `The gateway could not be asked: ${String(error)}`
      return false
    }
  }

  /** Notes that something may have changed. */
  changed(): void {
    if (this.#waits) return
    this.#waits = true
    setTimeout(() => {
      this.#waits = false
      this.version.value++
    }, TOGETHER_MS)
  }

  async #listen(): Promise<void> {
    for (;;) {
      try {
        await this.#begin()
        for await (const { event, data } of this.connection.events()) this.#hear(event, data)
      } catch (error) {
        if (error instanceof Refused) this.problem.value = error.message
      }
      this.isConnected.value = false
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
      while (this.needsKey.value) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }

  async #begin(): Promise<void> {
    const document = await this.connection.control<Service['document']>('GET', '/openapi.json')
    const service = new Service(document)
    this.connection.version = service.versionHeader
    this.service.value = service
    const entries = await this.connection.control<JournalEntry[]>('GET', '/requests')
    this.journal.value = entries.reverse()
    this.needsKey.value = false
    this.problem.value = ''
    this.changed()
  }

  #hear(event: string, data: unknown): void {
    this.isConnected.value = true
    if (event === 'overview') this.#tellTime(data as Overview)
    else if (event === 'request') this.#noted(data as JournalEntry)
    else if (event === 'emptied') this.journal.value = []
    else if (event === 'missed') void this.doing(() => this.#catchUp())
    this.changed()
  }

  #tellTime(overview: Overview): void {
    this.#ahead = Date.parse(overview.now) - Math.floor(Date.now() / 1000) * 1000
    this.overview.value = overview
  }

  #noted(entry: JournalEntry): void {
    const entries = this.journal.value
    if (entries[0]?.operationId === entry.operationId) return
    this.journal.value = [entry, ...entries.slice(0, MOST_ENTRIES - 1)]
  }

  /** Asks for what the stream of events left out. */
  async #catchUp(): Promise<void> {
    const entries = this.journal.value
    const after = entries[0] ? `?after=${entries[0].operationId}` : ''
    const newer = await this.connection.control<JournalEntry[]>('GET', `/requests${after}`)
    const known = new Set(entries.map(({ operationId }) => operationId))
    const unknown = newer.filter(({ operationId }) => !known.has(operationId)).reverse()
    this.journal.value = [...unknown, ...entries].slice(0, MOST_ENTRIES)
  }
}

export const PageContext = createContext<Page | undefined>(undefined)

/** The page that a part stands on. */
export function usePage(): Page {
  const page = useContext(PageContext)
  if (!page) throw new Error('No page.')
  return page
}
