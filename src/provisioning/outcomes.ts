import { collection } from '../contract/collection.ts'
import type { Transaction } from '../contract/transaction.ts'

/** What an attempt can come to. */
export const OUTCOMES = ['success', 'INTERNAL_ERROR', 'DNS_ERROR'] as const

/** What an attempt can come to. */
export type Outcome = (typeof OUTCOMES)[number]

/** The outcomes on order for one domain, or for any. */
export interface ScriptRecord {
  /** The domain's name, or "" for any domain. */
  readonly domain: string
  /** What the next attempts come to, in this order. */
  readonly next: readonly Outcome[]
  /** What all further attempts come to, until told otherwise. */
  readonly always: Outcome | null
}

export const scripts = collection<ScriptRecord>({
  name: 'provisioning_scripts',
  key: (record) => record.domain,
  fields: ['domain', 'next', 'always'],
})

/** The key of the script for any domain. */
export const ANY_DOMAIN = ''

/** Takes the outcome that was ordered for a domain's next attempt: its own first, then one for any domain. */
export function takeScripted(tx: Transaction, domain: string): Outcome | undefined {
  return takeFrom(tx, domain) ?? takeFrom(tx, ANY_DOMAIN)
}

function takeFrom(tx: Transaction, domain: string): Outcome | undefined {
  const script = tx.get(scripts, domain)
  if (!script) return undefined
  const [first, ...rest] = script.next
  if (first === undefined) return script.always ?? undefined
  putScript(tx, { ...script, next: rest })
  return first
}

/** Changes the script for a domain, or for any. An empty script is no script. */
export function changeScript(
  tx: Transaction,
  domain: string,
  change: (before: ScriptRecord) => Partial<ScriptRecord>,
): void {
  const before = tx.get(scripts, domain) ?? { domain, next: [], always: null }
  putScript(tx, { ...before, ...change(before) })
}

function putScript(tx: Transaction, script: ScriptRecord): void {
  if (script.next.length > 0 || script.always) tx.put(scripts, script)
  else if (tx.get(scripts, script.domain)) tx.remove(scripts, script)
}

/** Drops the script for a domain, or all scripts. */
export function dropScripts(tx: Transaction, domain?: string): void {
  for (const script of [...tx.newestFirst(scripts)]) {
    if (domain === undefined || script.domain === domain) tx.remove(scripts, script)
  }
}

/** All outcomes that no attempt has used: those of named domains by name, those for any domain last. */
export function pendingOutcomes(tx: Transaction): { domain: string | null; outcome: Outcome }[] {
  const records = [...tx.newestFirst(scripts)].reverse()
  // The key of the script for any domain is empty, so it comes first.
  if (records[0]?.domain === ANY_DOMAIN) records.push(records.shift() as ScriptRecord)
  return records.flatMap(({ domain, next }) => next.map((outcome) => ({ domain: domain || null, outcome })))
}
