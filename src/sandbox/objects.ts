import type { StoredRecord, StoredState } from '../core/operation/store.ts'
import type { SqlValue } from '../core/store/sql.ts'
import type { HttpResponse } from '../gateway/http/messages.ts'
import type { KeyScope } from './key-list.ts'
import type { Keys } from './keys.ts'
import type { SandboxOptions } from './options.ts'

/** A WebSocket with a value that the platform keeps while the object sleeps: the expiry of its key. */
export interface ListenerSocket extends WebSocket {
  serializeAttachment(until: number | null): void
  deserializeAttachment(): number | null
}

/** The part of a Durable Object's state that sandboxes use. */
export interface ObjectState {
  readonly storage: ObjectStorage
  /** Runs work, delaying all other events until it has ended. */
  blockConcurrencyWhile<T>(work: () => Promise<T>): Promise<T>
  /** Keeps one end of a WebSocket open, even while the object sleeps. */
  acceptWebSocket(end: ListenerSocket): void
  /** Returns the accepted WebSockets that are open or about to close. */
  getWebSockets(): ListenerSocket[]
  /** Makes the platform itself respond to one kind of message, without waking the object. */
  setWebSocketAutoResponse(pair: object): void
}

/** A Durable Object's storage with SQL. Writes without an `await` between them are one transaction. */
export interface ObjectStorage {
  readonly sql: {
    exec(statement: string, ...values: SqlValue[]): Iterable<Readonly<Record<string, unknown>>>
    readonly databaseSize: number
  }
  readonly kv: { get<T = unknown>(key: string): T | undefined; put(key: string, value: unknown): void }
  /** Writes one value. With `allowUnconfirmed`, responses do not wait for it. */
  put(key: string, value: unknown, options: { readonly allowUnconfirmed: boolean }): Promise<void>
  transactionSync<T>(work: () => T): T
  /** Runs work as one transaction, delaying all other events until it has ended, for at most 30 s. */
  transaction<T>(work: () => Promise<T>): Promise<T>
  setAlarm(at: number, options?: { readonly allowUnconfirmed: boolean }): Promise<void>
  deleteAlarm(): Promise<void>
  deleteAll(): Promise<void>
}

/** The part of the platform's request context that the Worker uses. */
export interface WorkerContext {
  /** Keeps the Worker running after the response until a promise settles. */
  waitUntil(promise: Promise<unknown>): void
}

export interface Objects<Stub> {
  idFromName(name: string): object
  get(id: object): Stub
}

/** A Durable Object as its callers see it. Its methods return promises. */
export type Stub<T> = {
  readonly [Name in keyof T]: T[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

export function getObject<S>(objects: Objects<S>, name: string): S {
  return objects.get(objects.idFromName(name))
}

export interface RegisteredSandbox {
  readonly name: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly dialect: string
  readonly clock: string
}

/** A sandbox as stored by the account. Sandboxes from version 0.1.0 have unsigned keys, and only the sandbox's object can check them. */
export interface Registration extends RegisteredSandbox {
  readonly hasSignedKeys?: boolean
}

/** A sandbox in the account's list. */
export interface ListedSandbox extends RegisteredSandbox {
  readonly url: string
}

export interface SandboxList {
  readonly sandboxes: readonly ListedSandbox[]
  /** The name after which the next page begins, or null on the last page. */
  readonly next_after: string | null
  readonly dialects: readonly string[]
}

export interface DescribedSandbox extends ListedSandbox {
  readonly last_used_at: string | null
  readonly now: string
  readonly next_event_at: string | null
  readonly records: number
  readonly bytes: number
}

/** A new sandbox with its keys. No other response contains the keys. */
export type CreatedSandbox = DescribedSandbox & Keys

/** The name of a count: a class of HTTP statuses, sandbox alarms, or wrong account keys. */
export type CountName = `${number}xx` | 'alarms' | 'wrong_keys'

export type Counts = Readonly<Partial<Record<CountName, number>>>

/** The maximum number of sandboxes whose names begin with a prefix. An empty prefix means all sandboxes. */
export interface Quota {
  readonly prefix: string
  readonly most: number
}

/** The totals of all sandboxes, and the counts since the account was created. */
export interface AccountTotals {
  readonly sandboxes: number
  readonly bytes: number
  readonly counts: Counts
}

/** The whole state of a sandbox, as contained in archives and forks. */
export type SandboxState = Omit<StoredState, 'records'> & { readonly records: readonly StoredRecord[] }

/** A sandbox as a line of an archive. The platform passes at most 32 MiB between objects at once, but streams can have any length. */
interface StreamedSandbox {
  readonly line: ReadableStream<Uint8Array>
}

/** A sandbox for a backup or a fork, or why it cannot be read. */
export type CopiedSandbox = StreamedSandbox | { readonly refused: HttpResponse }

/** The options of a new sandbox and, for a fork or a restored sandbox, the state to continue from. */
export interface InitialSandbox {
  readonly options: Omit<SandboxOptions, 'ttl'>
  readonly state?: SandboxState
}

/** A sandbox to create, or a sandbox to fork, and its time to live in ms. */
export type NewSandbox = { readonly ttl: number | undefined } & (StreamedSandbox | Pick<InitialSandbox, 'options'>)

/** The treatment, in a restore, of a sandbox whose name already exists. */
export type ExistingPolicy = 'refuse' | 'keep' | 'replace'

/** The properties of a key to be created. */
export interface NamedKey {
  readonly name: string
  readonly scopes: readonly KeyScope[]
  /** The time to live in ms. If undefined, the key is valid as long as the sandbox exists. */
  readonly ttl: number | undefined
}
