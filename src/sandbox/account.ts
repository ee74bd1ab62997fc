import { DurableObject } from 'cloudflare:workers'
import type { SandboxEnvironment } from './environment.ts'
import type { AccountObject, Registered } from './objects.ts'

/** The names of all sandboxes. Nothing that happens inside a sandbox comes here: there is one for all of them. */
export class Account extends DurableObject<SandboxEnvironment> implements AccountObject {
  #isReady = false

  register(sandbox: Registered, most: number): boolean {
    const { name } = sandbox
    const [others] = this.#run('SELECT COUNT(*) AS count FROM sandboxes WHERE name <> ?', name)
    if (Number(others?.count) >= most) return false
    this.#run('INSERT OR REPLACE INTO sandboxes (name, facts) VALUES (?, ?)', name, JSON.stringify(sandbox))
    return true
  }

  forget(name: string): void {
    this.#run('DELETE FROM sandboxes WHERE name = ?', name)
  }

  list(after: string, limit: number): Registered[] {
    const rows = this.#run('SELECT facts FROM sandboxes WHERE name > ? ORDER BY name LIMIT ?', after, limit)
    return rows.map(({ facts }) => JSON.parse(String(facts)))
  }

  #run(statement: string, ...values: (string | number)[]): Readonly<Record<string, unknown>>[] {
    const { sql } = this.ctx.storage
    if (!this.#isReady) sql.exec('CREATE TABLE IF NOT EXISTS sandboxes (name TEXT PRIMARY KEY, facts TEXT NOT NULL)')
    this.#isReady = true
    return [...sql.exec(statement, ...values)]
  }
}
