import { DurableObject } from 'cloudflare:workers'
import { keysOf } from '../core/schema/values.ts'
import type { AuditEntry } from './audit.ts'
import type { AccountTotals, Counts, Quota, RegisteredSandbox, Registration } from './objects.ts'

const TABLES = [
  'sandboxes (name TEXT PRIMARY KEY, facts TEXT NOT NULL)',
  'stored (name TEXT PRIMARY KEY, bytes INTEGER NOT NULL)',
  'audit (id INTEGER PRIMARY KEY, entry TEXT NOT NULL)',
]

const COUNTS = 'counts'

/** The maximum number of entries in the audit log. */
const MAX_AUDIT_ENTRIES = 1000

/** A character that sorts after all characters allowed in names. */
const AFTER_ALL_NAMES = '~'

/**
 * The single object with the names of all sandboxes, the audit log, and the request counts. All sandboxes share it, so requests with a
 * signed key do not call it.
 */
export class Account extends DurableObject {
  #isReady = false

  /** Registers a sandbox. If a quota is used up, returns the quota instead. */
  register(sandbox: RegisteredSandbox, quotas: readonly Quota[]): Quota | undefined {
    const { name } = sandbox
    const isFull = ({ prefix, most }: Quota) => name.startsWith(prefix) && this.count(prefix) >= most
    const fullQuota = this.find(name) ? undefined : quotas.find(isFull)
    if (fullQuota) return fullQuota
    const facts: Registration = { ...sandbox, hasSignedKeys: true }
    this.#run('INSERT OR REPLACE INTO sandboxes (name, facts) VALUES (?, ?)', name, JSON.stringify(facts))
    return undefined
  }

  find(name: string): Registration | undefined {
    const [row] = this.#run('SELECT facts FROM sandboxes WHERE name = ?', name)
    return row && JSON.parse(String(row.facts))
  }

  /** Records that all keys of a sandbox are signed. */
  signKeys(name: string): void {
    this.#run("UPDATE sandboxes SET facts = json_set(facts, '$.hasSignedKeys', json('true')) WHERE name = ?", name)
  }

  forget(name: string): void {
    for (const table of ['sandboxes', 'stored']) this.#run(`DELETE FROM ${table} WHERE name = ?`, name)
  }

  list(after: string, limit: number, prefix = ''): RegisteredSandbox[] {
    const select = 'SELECT facts FROM sandboxes WHERE name > ? AND name >= ? AND name < ? ORDER BY name LIMIT ?'
    return this.#run(select, after, prefix, prefix + AFTER_ALL_NAMES, limit).map(({ facts }) => {
      const { hasSignedKeys: _, ...sandbox }: Registration = JSON.parse(String(facts))
      return sandbox
    })
  }

  count(prefix: string): number {
    const select = 'SELECT COUNT(*) AS count FROM sandboxes WHERE name >= ? AND name < ?'
    return Number(this.#run(select, prefix, prefix + AFTER_ALL_NAMES)[0]?.count)
  }

  /** Increases the counts, and records the size of a sandbox. */
  report(counts: Counts, stored?: { readonly name: string; readonly bytes: number }): void {
    if (Object.keys(counts).length > 0) this.ctx.storage.kv.put(COUNTS, addCounts(this.#counts, counts))
    // A report may arrive after its sandbox was removed.
    const insert = 'INSERT OR REPLACE INTO stored (name, bytes) SELECT name, ? FROM sandboxes WHERE name = ?'
    if (stored) this.#run(insert, stored.bytes, stored.name)
  }

  getTotals(): AccountTotals {
    const [row] = this.#run('SELECT COALESCE(SUM(bytes), 0) AS bytes FROM stored')
    return { sandboxes: this.count(''), bytes: Number(row?.bytes), counts: this.#counts }
  }

  /** Adds an entry to the audit log, and drops the oldest one if there are too many. */
  addAuditEntry(entry: AuditEntry): void {
    this.#run('INSERT INTO audit (entry) VALUES (?)', JSON.stringify(entry))
    this.#run('DELETE FROM audit WHERE id <= (SELECT MAX(id) FROM audit) - ?', MAX_AUDIT_ENTRIES)
  }

  /** Returns the most recent entries, newest first. */
  listAuditEntries(limit: number): AuditEntry[] {
    const rows = this.#run('SELECT entry FROM audit ORDER BY id DESC LIMIT ?', limit)
    return rows.map(({ entry }) => JSON.parse(String(entry)))
  }

  get #counts(): Counts {
    return this.ctx.storage.kv.get<Counts>(COUNTS) ?? {} // Only `report` writes there.
  }

  #run(statement: string, ...values: (string | number)[]): Readonly<Record<string, unknown>>[] {
    const { sql } = this.ctx.storage
    if (!this.#isReady) for (const table of TABLES) sql.exec(`CREATE TABLE IF NOT EXISTS ${table}`)
    this.#isReady = true
    return [...sql.exec(statement, ...values)]
  }
}

export function addCounts(one: Counts, other: Counts): Counts {
  const names = keysOf({ ...one, ...other })
  return Object.fromEntries(names.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]))
}
