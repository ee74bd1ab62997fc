import { setImmediate as turn } from 'node:timers/promises'
import type { Database } from '../../src/server/sqlite/sqlite-file.ts'
import { createTransaction } from './sandbox-store.ts'
import { memoryDatabase } from './sqlite.ts'

/** A failure that happens once. */
export interface Failure {
  /** The step that fails: an operation of a storage, or a call between objects. */
  readonly step: number
  /** `kill`: the process ends before the step. `lost`: the call does not arrive. `lost after`: its result does not. */
  readonly kind: 'kill' | 'lost' | 'lost after'
}

type Row = Readonly<Record<string, unknown>>
type ObjectClass = new (state: never, environment: never) => object

/** The part of an object that outlives its process. */
class Place {
  readonly #database: Database = memoryDatabase()
  readonly #transaction = createTransaction(this.#database)
  #isOpen = false

  constructor() {
    this.#database.exec('CREATE TABLE _kv (key TEXT PRIMARY KEY, value TEXT NOT NULL)')
  }

  /** Runs a statement as a part of the transaction of this turn. */
  write<T>(work: (database: Database) => T): T {
    if (!this.#isOpen) this.#database.exec('BEGIN')
    this.#isOpen = true
    return work(this.#database)
  }

  transaction<T>(work: () => T): T {
    return this.write(() => this.#transaction(work))
  }

  commit(): void {
    if (this.#isOpen) this.#database.exec('COMMIT')
    this.#isOpen = false
  }

  rollBack(): void {
    if (this.#isOpen) this.#database.exec('ROLLBACK')
    this.#isOpen = false
  }

  get(key: string): unknown {
    const [row] = this.write((db) => db.prepare('SELECT value FROM _kv WHERE key = ?').all(key)) as Row[]
    return row && JSON.parse(String(row.value))
  }

  put(key: string, value: unknown): void {
    const text = JSON.stringify(value)
    this.write((db) => db.prepare('INSERT OR REPLACE INTO _kv VALUES (?, ?)').all(key, text))
  }

  empty(): void {
    this.write((db) => {
      const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> '_kv'").all() as Row[]
      for (const { name } of tables) db.exec(`DROP TABLE ${name}`)
      db.exec("DELETE FROM _kv WHERE key <> '_alarm'")
    })
  }

  close(): void {
    this.#database.close()
  }
}

/**
 * The Durable Objects of a Worker, in this process. Each has a database, which outlives a kill. As on the platform, the writes of
 * one turn are one transaction, and no response leaves before that is committed.
 */
export class ObjectPlatform {
  /** The number of steps so far. */
  steps = 0
  failure: Failure | undefined
  #hasFailed = false
  #isDead = false
  readonly #places = new Map<string, Place>()
  #objects = new Map<string, object>()
  readonly #classes: Readonly<Record<string, ObjectClass>>
  readonly #variables: object

  constructor(classes: Readonly<Record<string, ObjectClass>>, variables: object) {
    this.#classes = classes
    this.#variables = variables
  }

  /** True once the failure has happened. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  /** The environment of the Worker. */
  environment(): object {
    const bindings = Object.keys(this.#classes).map((binding) => {
      return [
        binding,
        { idFromName: (name: string) => ({ name }), get: ({ name }: { name: string }) => this.#stub(binding, name) },
      ]
    })
    return { ...this.#variables, ...Object.fromEntries(bindings) }
  }

  /** Restarts the process if it has ended, and runs the alarms that are due. */
  async restart(now: number): Promise<void> {
    for (const place of this.#places.values()) place.rollBack()
    this.#objects = new Map()
    this.#isDead = false
    for (const [key, place] of this.#places) {
      const at = place.get('_alarm')
      if (typeof at !== 'number' || at > now) continue
      place.write((db) => db.exec("DELETE FROM _kv WHERE key = '_alarm'"))
      await (this.#object(key) as { alarm?(): Promise<void> }).alarm?.()
    }
    await turn()
    this.#commit()
  }

  /** Runs a statement in the database of an object, to change it like a fault of the disk. */
  changeStorage(binding: string, name: string, statement: string): void {
    this.#places.get(`${binding} ${name}`)?.write((database) => database.exec(statement))
  }

  close(): void {
    for (const place of this.#places.values()) place.close()
  }

  /** Runs one step, at which the failure may happen. */
  #step<T>(work: () => T, isCall = false): T {
    this.#requireAlive()
    const { step, kind } = this.failure ?? { step: -1, kind: 'kill' }
    if (this.steps++ !== step || (kind === 'kill') === isCall) return work()
    this.#hasFailed = true
    if (kind === 'kill') this.#isDead = true
    if (kind === 'kill') this.#requireAlive()
    const fail = () => {
      throw new Error('the call failed')
    }
    return (kind === 'lost' ? fail() : Promise.resolve(work()).then(fail)) as T // Only calls fail so, and these are promises.
  }

  #requireAlive(): void {
    if (this.#isDead) throw new Error('the process is dead')
  }

  #commit(): void {
    if (!this.#isDead) for (const place of this.#places.values()) place.commit()
  }

  /** Ends the turn, and commits its writes. */
  async #turn(): Promise<void> {
    await turn()
    this.#commit()
    this.#requireAlive()
  }

  #stub(binding: string, name: string): object {
    const call = async (method: string, args: unknown[]) => {
      await this.#turn()
      return this.#step(async () => {
        const object = this.#object(`${binding} ${name}`)
        const run: (...values: unknown[]) => unknown = Reflect.get(object, method)
        const result = await run.apply(object, args)
        await this.#turn()
        return result
      }, true)
    }
    return new Proxy(
      {},
      { get: (_, method: string) => method !== 'then' && ((...args: unknown[]) => call(method, args)) },
    )
  }

  #object(key: string): object {
    const known = this.#objects.get(key)
    if (known) return known
    const [binding = '', name = ''] = key.split(' ')
    const Class = this.#classes[binding]
    if (!Class) throw new Error(`There is no class for ${binding} ${name}.`)
    const place = this.#places.get(key) ?? new Place()
    this.#places.set(key, place)
    const object = new Class(this.#state(place) as never, this.environment() as never) // The classes have other types there.
    this.#objects.set(key, object)
    return object
  }

  #state(place: Place): object {
    const writeLater = (work: () => void) => {
      const written = (async () => {
        this.#step(() => place.write(work))
        await this.#turn()
      })()
      // Nobody may wait for it, and it ends with its process.
      written.catch(() => {})
      return written
    }
    const setAlarm = (at: number | null) => writeLater(() => place.put('_alarm', at))
    return {
      blockConcurrencyWhile: <T>(work: () => Promise<T>) => work(),
      getWebSockets: () => [],
      storage: {
        sql: {
          databaseSize: 4096,
          exec: (text: string, ...values: never[]) => {
            const run = () => place.write((database) => database.prepare(text).all(...values))
            // A process that ends before a read also ends before its next write.
            return text.startsWith('SELECT') ? run() : this.#step(run)
          },
        },
        kv: {
          get: (key: string) => place.get(key),
          put: (key: string, value: unknown) => this.#step(() => place.put(key, value)),
        },
        put: (key: string, value: unknown) => writeLater(() => place.put(key, value)),
        transactionSync: <T>(work: () => T) => place.transaction(work),
        setAlarm,
        deleteAlarm: () => setAlarm(null),
        deleteAll: () => writeLater(() => place.empty()),
      },
    }
  }
}
