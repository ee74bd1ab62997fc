import { DurableObject } from 'cloudflare:workers'
import type { SandboxEnvironment } from './environment.ts'
import type { AccountObject, RegisteredSandbox, Registration } from './objects.ts'

/** The names of all sandboxes. Requests with a signed key do not come here: there is one account for all sandboxes. */
export class Account extends DurableObject<SandboxEnvironment> implements AccountObject {
  #isReady = false

  register(sandbox: RegisteredSandbox, most: number): boolean {
    const { name } = sandbox
    const [others] = this.#run('SELECT COUNT(*) AS count FROM sandboxes WHERE name <> ?', name)
    if (Number(others?.count) >= most) return false
    const facts: Registration = { ...sandbox, hasSignedKeys: true }
    this.#run('INSERT OR REPLACE INTO sandboxes (name, facts) VALUES (?, ?)', name, JSON.stringify(facts))
    return true
  }

  find(name: string): Registration | undefined {
    const [row] = this.#run('SELECT facts FROM sandboxes WHERE name = ?', name)
    return row && JSON.parse(String(row.facts))
  }

  signKeys(name: string): void {
    this.#run("UPDATE sandboxes SET facts = json_set(facts, '$.hasSignedKeys', json('true')) WHERE name = ?", name)
  }

  forget(name: string): void {
    this.#run('DELETE FROM sandboxes WHERE name = ?', name)
  }

  list(after: string, limit: number): RegisteredSandbox[] {
    const rows = this.#run('SELECT facts FROM sandboxes WHERE name > ? ORDER BY name LIMIT ?', after, limit)
    return rows.map(({ facts }) => {
      const { hasSignedKeys: _, ...sandbox }: Registration = JSON.parse(String(facts))
      return sandbox
    })
  }

  #run(statement: string, ...values: (string | number)[]): Readonly<Record<string, unknown>>[] {
    const { sql } = this.ctx.storage
    if (!this.#isReady) sql.exec('CREATE TABLE IF NOT EXISTS sandboxes (name TEXT PRIMARY KEY, facts TEXT NOT NULL)')
    this.#isReady = true
    return [...sql.exec(statement, ...values)]
  }
}
