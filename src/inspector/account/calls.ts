/** A sandbox as the list has it. */
export interface Listed {
  readonly name: string
  readonly url: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly dialect: string
  readonly clock: string
}

/** What a sandbox says of itself. */
export interface Described extends Listed {
  readonly now: string
  readonly next_event_at: string | null
  readonly last_used_at: string | null
  readonly records: number
  readonly bytes: number
}

/** A sandbox that was just made, with the keys that are shown once. */
export interface Created extends Described {
  readonly api_key: string
  readonly control_key: string
}

/** A page of the list. */
export interface Listing {
  readonly sandboxes: readonly Listed[]
  readonly next_after: string | null
}

/** A call that was refused, with the reason for people. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

const KEY = 'fauxgate-account-key'

/** What stands before the paths of all sandboxes. */
const base = `${location.pathname.replace(/\/+$/, '')}/s`

/** Keeps the account key for this tab. */
export function keepKey(key: string): void {
  sessionStorage.setItem(KEY, key)
}

/** Whether a key was given in this tab. */
export function hasKey(): boolean {
  return sessionStorage.getItem(KEY) !== null
}

/** A call of the account. Throws {@link Refused}. */
export async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const key = sessionStorage.getItem(KEY)
  const headers = {
    ...(key && { 'Fauxgate-Account-Key': key }),
    ...(body && { 'Content-Type': 'application/json' }),
  }
  const response = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  if (!response.ok) throw new Refused(response.status, reasonIn(text) ?? `The answer was ${response.status}.`)
  return text && JSON.parse(text)
}

function reasonIn(text: string): string | undefined {
  try {
    return JSON.parse(text).msg
  } catch {
    return undefined
  }
}
