import * as v from 'valibot'
import { collection } from '../../core/operation/collection.ts'
import type { Transaction } from '../../core/operation/transaction.ts'
import { documented, named } from '../../core/schema/documentation.ts'
import { facts } from '../../core/schema/facts.ts'
import { general } from '../../core/schema/general-errors.ts'
import { oneOfThese } from '../../core/schema/options.ts'
import { recordRule } from '../../core/schema/record-schema.ts'
import { rule } from '../../core/schema/rule.ts'
import { DURATION_ALLOWED, type Duration, durationMs } from '../../core/schema/time.ts'
import type { Frozen } from '../../core/schema/values.ts'
import type { FailedAttempt } from '../../generated/controls.ts'
import { CERTIFICATE_ERRORS, type CertificateErrorKey, findCertificateError } from './certificate-errors.ts'
import { isDnsName } from './dns.ts'

export const PROVISIONING_ERRORS = ['INTERNAL_ERROR', 'DNS_ERROR'] as const

export type ProvisioningError = (typeof PROVISIONING_ERRORS)[number]

export const OUTCOMES = ['success', ...PROVISIONING_ERRORS] as const

const MAX_MESSAGE_LENGTH = 1000
const SIGNED_ALLOWED = `${DURATION_ALLOWED}, or one of these preceded by a minus sign`

const ERROR_ALLOWED =
  'an error of certificate jobs by its code, such as "ERR_NGROK_26014", or by its key, such as "caa_check_blocked"'

/** A numbered error, by code or key. */
export const numberedError = v.pipe(
  v.custom<CertificateErrorName>((value) => findCertificateError(value) !== undefined, ERROR_ALLOWED),
  facts({
    json: { type: 'string', format: 'certificate-error', examples: ['ERR_NGROK_26014'] },
    type: 'CertificateErrorName',
    imports: { CertificateErrorName: 'service/provisioning/outcomes.ts' },
  }),
)

const details = {
  error: v.exactOptional(
    documented(numberedError, "The numbered error, by code or key. The job's `msg` ends with the code."),
  ),
  message: v.exactOptional(
    documented(
      v.pipe(v.string(), v.maxLength(MAX_MESSAGE_LENGTH, `at most ${MAX_MESSAGE_LENGTH} characters`)),
      "The job's `msg`, instead of the standard one.",
    ),
  ),
  retriesAfter: v.exactOptional(
    documented(
      v.custom<Duration>((value) => parseSignedMs(value) !== undefined, SIGNED_ALLOWED),
      'The time from the attempt to `retries_at`. If it is negative, such as `-5m`, `retries_at` is already in ' +
        'the past, and the next attempt runs after the usual wait.',
      {
        json: { type: ['integer', 'string'], pattern: '^-?\\d{1,12}(ms|s|m|h|d)$' },
        type: 'Duration',
        imports: { Duration: 'core/schema/time.ts' },
      },
    ),
  ),
}

export const failedAttempt = named(
  v.strictObject({ outcome: documented(v.picklist(PROVISIONING_ERRORS), 'The error of the attempt.'), ...details }),
  'FailedAttempt',
  "A provisioning attempt that fails, with the job's message and retry time.",
)

/** A certificate job's numbered error: its code, such as `ERR_NGROK_26014`, or its key, such as `caa_check_blocked`. */
export type CertificateErrorName = CertificateErrorKey | `ERR_${string}_${number}`

/** The outcome of a provisioning attempt. An error on its own has the standard message and the standard wait. */
export type Outcome = (typeof OUTCOMES)[number] | CertificateErrorName | FailedAttempt

/** An outcome with its details, if any. */
type DetailedOutcome = { readonly outcome: (typeof OUTCOMES)[number] } & Omit<FailedAttempt, 'outcome'>

/** Returns an outcome with its details. A numbered error is given by its key. */
function withDetails(outcome: Outcome): DetailedOutcome {
  if (typeof outcome === 'object') {
    const error = findCertificateError(outcome.error)
    return { ...outcome, ...(error && { error }) }
  }
  const error = findCertificateError(outcome)
  if (error) return { outcome: CERTIFICATE_ERRORS[error].error_code, error }
  return { outcome: OUTCOMES.find((each) => each === outcome) ?? 'success' }
}

/** Returns a duration in ms that can be negative, or undefined if the value is not a duration. */
export function parseSignedMs(value: unknown): number | undefined {
  if (typeof value === 'number' && value < 0) return parseSignedMs(-value) === undefined ? undefined : value
  const [, minus, text] = (typeof value === 'string' && /^(-?)(.*)$/s.exec(value)) || []
  const ms = durationMs(text ?? value)
  return minus && ms !== undefined ? -ms : ms
}

export const ANY_DOMAIN = ''

const domain = v.pipe(
  v.string(),
  v.toLowerCase(),
  rule([], (name, report) => {
    if (name !== ANY_DOMAIN && !isDnsName(name)) report(general.field_invalid, { allowed: 'a DNS name, or ""' })
  }),
)

const outcomeFields = { outcome: oneOfThese(OUTCOMES), ...details }

/** The middle position. All positions have the same number of digits, so keys sort like positions. */
const MIDDLE_PLACE = 2 ** 52

const scripted = v.object({
  domain,
  /** The position among its domain's outcomes. The highest is taken first. */
  place: v.pipe(
    v.number(),
    recordRule((place, report, { sequence }) => {
      if (Number.isInteger(place) && Math.abs(place - MIDDLE_PLACE) < sequence) return
      const allowed = `an integer less than ${sequence}, the sequence, away from ${MIDDLE_PLACE}`
      report(general.field_invalid, { allowed })
    }),
  ),
  ...outcomeFields,
})

type ScriptedOutcome = Frozen<v.InferOutput<typeof scripted>>

const lasting = v.object({
  domain,
  ...outcomeFields,
  /** True after an attempt had this outcome. */
  used: v.exactOptional(v.literal(true)),
})

type LastingOutcome = Frozen<v.InferOutput<typeof lasting>>

/** The maximum number of scripted outcomes for all domains together, and the maximum number of domains with a lasting outcome. */
export const MAX_OUTCOMES = 10_000

/** Outcomes that attempts take one at a time. The next outcome of a domain is that with its highest key. */
export const scriptedOutcomes = collection<ScriptedOutcome>({
  name: 'ordered_outcomes',
  key: ({ domain, place }) => `${domain} ${place}`,
  schema: scripted,
  most: MAX_OUTCOMES,
})

/** Outcomes for all attempts without a scripted outcome, until they are cleared. */
export const lastingOutcomes = collection<LastingOutcome>({
  name: 'standing_outcomes',
  key: (record) => record.domain,
  schema: lasting,
  most: MAX_OUTCOMES,
})

/** Sets the outcome for all attempts without a scripted outcome, for one domain or for any domain. */
export function putLasting(tx: Transaction, domain: string, outcome: Outcome): void {
  tx.put(lastingOutcomes, { domain, ...withDetails(outcome) })
}

/** Scripts outcomes for one domain or for any domain, after or before the outcomes that are already scripted. */
export function scriptOutcomes(tx: Transaction, domain: string, outcomes: readonly Outcome[], isFirst: boolean): void {
  for (const outcome of isFirst ? [...outcomes].reverse() : outcomes) {
    const number = tx.nextOrder()
    tx.put(scriptedOutcomes, { domain, place: MIDDLE_PLACE + (isFirst ? number : -number), ...withDetails(outcome) })
  }
}

/** Takes the scripted outcome for a domain's next attempt: an outcome for the domain itself or, if there is none, for any domain. */
export function takeOutcome(tx: Transaction, domain: string): DetailedOutcome | undefined {
  for (const scope of [domain, ANY_DOMAIN]) {
    const [next] = listScripted(tx, scope)
    if (next) tx.remove(scriptedOutcomes, next)
    const found = next ?? takeLasting(tx, scope)
    if (found) return found
  }
  return undefined
}

function takeLasting(tx: Transaction, domain: string): LastingOutcome | undefined {
  const found = tx.get(lastingOutcomes, domain)
  return found && !found.used ? tx.put(lastingOutcomes, { ...found, used: true }) : found
}

/** Returns the lasting outcomes that no attempt has used. */
export function listUnusedLasting(tx: Transaction): readonly LastingOutcome[] {
  return [...tx.newestFirst(lastingOutcomes)].filter(({ used }) => !used)
}

/** Yields the outcomes for one domain or for any domain, the next one first. */
function* listScripted(tx: Transaction, domain: string): Generator<ScriptedOutcome> {
  if (tx.count(scriptedOutcomes) === 0) return
  // "!" comes right after the space in the keys.
  for (const each of tx.newestFirst(scriptedOutcomes, `${domain}!`)) {
    if (each.domain !== domain) return
    yield each
  }
}

export function dropOutcomes(tx: Transaction, domain?: string): void {
  const scripted = domain === undefined ? tx.newestFirst(scriptedOutcomes) : listScripted(tx, domain)
  for (const each of [...scripted]) tx.remove(scriptedOutcomes, each)
  const lasting = domain === undefined ? tx.newestFirst(lastingOutcomes) : [tx.get(lastingOutcomes, domain)]
  for (const each of [...lasting]) if (each) tx.remove(lastingOutcomes, each)
}

/** An outcome for future attempts: for one attempt or, with `always`, for all attempts without another outcome. */
type ListedOutcome = DetailedOutcome & {
  readonly id: string
  readonly domain: string | null
  readonly always?: true
}

/** Returns the number of outcomes that {@link listPendingOutcomes} returns. */
export function countPendingOutcomes(tx: Transaction): number {
  return tx.count(scriptedOutcomes) + tx.count(lastingOutcomes)
}

/**
 * Returns the outcomes of future attempts, sorted by domain name, with outcomes for any domain last. A lasting outcome comes after the
 * scripted outcomes.
 */
export function listPendingOutcomes(tx: Transaction): ListedOutcome[] {
  const scopeOf = (domain: string) => (domain === ANY_DOMAIN ? null : domain)
  const scripted = [...tx.newestFirst(scriptedOutcomes)].map(({ domain, place, ...rest }): ListedOutcome => {
    return { id: `outcome_${Math.abs(place - MIDDLE_PLACE)}`, domain: scopeOf(domain), ...rest }
  })
  const lasting = [...tx.newestFirst(lastingOutcomes)].map(({ domain, used: _, ...rest }): ListedOutcome => {
    return { id: `always_${domain || '*'}`, domain: scopeOf(domain), ...rest, always: true }
  })
  return [...scripted, ...lasting].sort((a, b) => compare(a.domain ?? '~', b.domain ?? '~'))
}

/** Drops the outcome with an ID that {@link listPendingOutcomes} returned. Returns false if it doesn't exist. */
export function dropOutcome(tx: Transaction, id: string): boolean {
  const [, domain] = /^always_(.+)$/.exec(id) ?? []
  const lasting = domain === undefined ? undefined : tx.get(lastingOutcomes, domain === '*' ? ANY_DOMAIN : domain)
  const scripted = [...tx.newestFirst(scriptedOutcomes)].find(
    ({ place }) => id === `outcome_${Math.abs(place - MIDDLE_PLACE)}`,
  )
  if (lasting) tx.remove(lastingOutcomes, lasting)
  if (scripted) tx.remove(scriptedOutcomes, scripted)
  return (lasting ?? scripted) !== undefined
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
