import { createHash } from 'node:crypto'
import { MANUAL_CLOCK, type StorageCommand } from './sandboxes.ts'

/** The unsigned keys of a sandbox of version 0.1.0. */
export const OLD_KEYS = { api_key: `fgapi_old_${'0a'.repeat(32)}`, control_key: `fgctl_${'0b'.repeat(32)}` }

/** Returns the changes of the storage that turn the sandbox `old` into one of version 0.1.0, with `OLD_KEYS`. */
export function createDowngrade(options: object = {}): StorageCommand[] {
  const digest = (key: string) => createHash('sha256').update(key).digest('hex')
  const digests = { api_key: digest(OLD_KEYS.api_key), control_key: digest(OLD_KEYS.control_key) }
  const metadata = { name: 'old', created: 0, expires: null, options: { ...MANUAL_CLOCK, ...options }, digests }
  const facts = { name: 'old', created_at: MANUAL_CLOCK.start, expires_at: null, dialect: 'standard', clock: 'manual' }
  return [
    { namespace: 'SANDBOXES', name: 'old', put: ['sandbox', metadata] },
    { namespace: 'ACCOUNTS', name: 'account', sql: ['UPDATE sandboxes SET facts = ?', JSON.stringify(facts)] },
  ]
}
