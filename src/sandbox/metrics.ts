import type { HttpResponse } from '../gateway/http/messages.ts'
import { type Account, addCounts } from './account.ts'
import type { AccountTotals, CountName, Counts, ObjectStorage, Stub } from './objects.ts'

/** The minimum time in ms between two reports from the Worker to the account. */
const WORKER_REPORTS_MS = 10_000

const SANDBOX_REPORTS_MS = 60_000

type ReportReceiver = Pick<Stub<Account>, 'report'>

/** The counts in one Worker process since its most recent report. No request waits for a report (rules: sandboxes#metrics). */
export class RequestCounts {
  #counts: Counts = {}
  #since: number | undefined

  add(name: CountName): void {
    this.#counts = addCounts(this.#counts, { [name]: 1 })
  }

  /** Returns the report that is due, or undefined. */
  reportDue(account: () => ReportReceiver, now: number): Promise<void> | undefined {
    this.#since ??= now
    return now - this.#since < WORKER_REPORTS_MS ? undefined : this.report(account(), now)
  }

  async report(account: ReportReceiver, now: number): Promise<void> {
    const counts = this.#counts
    this.#counts = {}
    this.#since = now
    try {
      await account.report(counts)
    } catch {
      this.#counts = addCounts(this.#counts, counts)
    }
  }
}

/** Reports the size of a sandbox and its alarms to the account, at most once a minute and only while the sandbox is awake. */
export class UsageReports {
  readonly #storage: ObjectStorage
  #alarms = 0
  #since: number | undefined

  constructor(storage: ObjectStorage) {
    this.#storage = storage
  }

  async alarm(account: ReportReceiver, name: string, now: number): Promise<void> {
    this.#alarms++
    await this.report(account, name, now)
  }

  async report(account: ReportReceiver, name: string, now: number): Promise<void> {
    if (this.#since !== undefined && now - this.#since < SANDBOX_REPORTS_MS) return
    this.#since = now
    const alarms = this.#alarms
    this.#alarms = 0
    try {
      await account.report(alarms > 0 ? { alarms } : {}, { name, bytes: this.#storage.sql.databaseSize })
    } catch {
      this.#alarms += alarms
    }
  }
}

/** Formats the totals as Prometheus text. */
export function metricsResponse({ sandboxes, bytes, counts }: AccountTotals): HttpResponse {
  const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const
  const lines = [
    '# HELP fauxgate_sandboxes Existing sandboxes.',
    '# TYPE fauxgate_sandboxes gauge',
    `fauxgate_sandboxes ${sandboxes}`,
    '# HELP fauxgate_storage_bytes Bytes stored by the sandboxes, as most recently reported by each.',
    '# TYPE fauxgate_storage_bytes gauge',
    `fauxgate_storage_bytes ${bytes}`,
    '# HELP fauxgate_requests_total Requests by response class.',
    '# TYPE fauxgate_requests_total counter',
    ...classes.map((status) => `fauxgate_requests_total{status="${status}"} ${counts[status] ?? 0}`),
    '# HELP fauxgate_alarms_total Alarms run by sandboxes.',
    '# TYPE fauxgate_alarms_total counter',
    `fauxgate_alarms_total ${counts.alarms ?? 0}`,
    '# HELP fauxgate_wrong_account_keys_total Requests with a wrong account key.',
    '# TYPE fauxgate_wrong_account_keys_total counter',
    `fauxgate_wrong_account_keys_total ${counts.wrong_keys ?? 0}`,
  ]
  const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status: 200, headers, body: `${lines.join('\n')}\n` }
}
