import type { SqlValue } from '../store/sql-store.ts'

/** A Durable Object's state, as far as sandboxes use it. */
export interface ObjectState {
  readonly storage: ObjectStorage
  /** Lets no other event in until the work has ended. */
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>
  /** Keeps one end of a WebSocket. It stays open while the object sleeps. */
  acceptWebSocket(end: WebSocket): void
  /** The ends that it keeps, which are open or about to close. */
  getWebSockets(): WebSocket[]
  /** Has the platform answer one message itself, so that it wakes nobody. */
  setWebSocketAutoResponse(pair: object): void
}

/** A Durable Object's storage with SQL. What is written without waiting in between is kept whole, or not at all. */
export interface ObjectStorage {
  readonly sql: {
    exec(statement: string, ...values: SqlValue[]): Iterable<Readonly<Record<string, unknown>>>
    readonly databaseSize: number
  }
  readonly kv: { get(key: string): unknown; put(key: string, value: unknown): void }
  /** Writes one value, without having answers wait for it where that is allowed. */
  put(key: string, value: unknown, options: { readonly allowUnconfirmed: boolean }): Promise<void>
  transactionSync<T>(work: () => T): T
  setAlarm(at: number): Promise<void>
  deleteAlarm(): Promise<void>
  deleteAll(): Promise<void>
}

/** A class of Durable Objects, by their names. */
export interface Objects<Stub> {
  idFromName(name: string): object
  get(id: object): Stub
}

/** An object as others see it: everything that it answers, it answers later. */
export type Stub<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

/** The object of a name. */
export function objectOf<S>(objects: Objects<S>, name: string): S {
  return objects.get(objects.idFromName(name))
}
