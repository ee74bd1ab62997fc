import type { HttpResponse } from '../http/messages.ts'
import type { StoredRecord, StoredState } from '../operation/store.ts'
import type { Keys } from './keys.ts'
import type { KeptOptions, SandboxOptions } from './options.ts'

/** What the account knows of a sandbox. */
export interface Registered {
  readonly name: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly dialect: string
  readonly clock: string
}

/** A sandbox in the account's list. */
export interface ListedSandbox extends Registered {
  readonly url: string
}

/** A page of the account's list. */
export interface SandboxList {
  readonly sandboxes: readonly ListedSandbox[]
  /** The name after which the next page begins; null on the last page. */
  readonly next_after: string | null
  /** The names of the dialects that a sandbox can have. */
  readonly dialects: readonly string[]
}

/** A sandbox as it describes itself. */
export interface DescribedSandbox extends ListedSandbox {
  readonly last_used_at: string | null
  readonly now: string
  readonly next_event_at: string | null
  readonly records: number
  readonly bytes: number
}

/** A new sandbox with its keys, which no other answer has. */
export type CreatedSandbox = DescribedSandbox & Keys

/** What others ask of the object that has the names of all sandboxes. */
export interface AccountObject {
  /** Takes a sandbox in. Answers false where there are as many already as there may be. */
  register(sandbox: Registered, most: number): boolean
  forget(name: string): void
  /** The sandboxes after a name, by their names. */
  list(after: string, limit: number): Registered[]
}

/** Everything that a fork of a sandbox begins with. */
export interface SandboxCopy {
  readonly options: KeptOptions
  readonly state: Omit<StoredState, 'records'> & { readonly records: readonly StoredRecord[] }
}

/** What a sandbox begins with: options, or a copy of another one. */
export type Beginning =
  | { readonly options: SandboxOptions; readonly copy?: undefined }
  | { readonly copy: SandboxCopy; readonly ttl: number | undefined }

/** What the Worker asks of a sandbox's object. */
export interface SandboxObject {
  /** Answers what is asked of the gateway. */
  fetch(request: Request): Promise<Response>
  /** Begins. The answer has the keys, which nobody can ask for again. */
  create(name: string, url: string, beginning: Beginning): Promise<HttpResponse>
  /** What there is to say of it. */
  describe(name: string, url: string): Promise<HttpResponse>
  /** Everything that a copy begins with, or the answer that there is nothing to copy. */
  copy(name: string): Promise<SandboxCopy | { readonly refused: HttpResponse }>
  /** Gives it new keys; the old ones are good for nothing from then on. */
  renewKeys(name: string): Promise<HttpResponse>
  /** Removes it with everything in it. */
  remove(name: string): Promise<HttpResponse>
}
