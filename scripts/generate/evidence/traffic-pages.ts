// Reads tools/evidence/traffic-pages: for each page about traffic policies, a row for each statement about behaviour.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import type { Duration } from '../../../src/index.ts'
import { table } from '../markdown.ts'

/** A page of the service's documentation. */
export interface TrafficPage {
  /** The path of the page in github.com/ngrok/ngrok-docs, without its ending. */
  readonly page: string
  readonly rows: readonly TrafficRow[]
  /** Statements that have no row, each in a few words. */
  readonly left_out?: readonly string[]
}

/** A statement of a page, with an example and its result. In a policy, `<129 letters>` means a text of this length. */
export interface TrafficRow extends TrafficStep {
  readonly says: string
  /** The rules of a phase. An action alone is a rule with this action. */
  readonly on_tcp_connect?: readonly RuleOrAction[]
  readonly on_http_request?: readonly RuleOrAction[]
  readonly on_http_response?: readonly RuleOrAction[]
  readonly on_event_stream_message?: readonly RuleOrAction[]
  /** The numbers of the errors of the policy. Default: none. A policy with errors does not run. */
  readonly check?: readonly number[]
  /** The place of the policy: protocol, kind of endpoint, plan. */
  readonly place?: object
  /** A file with policies, such as the config of an agent or a manifest, instead of rules. */
  readonly file?: string
  /** An expression, which is evaluated after the rules of its phase; `is` is its value as an expression, and `type` its type. */
  readonly cel?: string
  readonly is?: string
  readonly type?: string
  /** True if the evaluation of the expression fails. */
  readonly fails?: true
  readonly phase?: 'on_http_request' | 'on_http_response'
  /** The response of the upstream. */
  readonly app?: SentResponse
  /** Internal endpoints, by URL. */
  readonly internal?: Readonly<Record<string, SentResponse & { readonly policy?: object }>>
  /** Other URLs that the gateway reads, such as those of keys. */
  readonly served?: Readonly<Record<string, SentResponse>>
  /** The secrets of vaults, by vault and name. */
  readonly vaults?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The rules of IP policies. The policy of the row names one as `ipp_` and its name. */
  readonly ip_policies?: Readonly<
    Record<string, readonly { readonly cidr: string; readonly action: 'allow' | 'deny' }[]>
  >
  /** Further requests to the same gateway. */
  readonly then?: readonly TrafficStep[]
  /** The readings of pages that contradict themselves or each other. The first is fauxgate's, whose result the row has. */
  readonly undecided?: readonly string[]
  /** The reason for which fauxgate does not do what the page says. Such a row is not run. */
  readonly not?: string
}

/** A request and its documented result. */
export interface TrafficStep {
  /** The time that passes before the request. */
  readonly wait?: Duration
  /** The path and query, or more. */
  readonly request?: string | SentRequest
  /** The status of the response, or more. Headers that are null are not there. `error` is the number in the header of errors. */
  readonly response?: number | 'closed' | ExpectedMessage
  /** The request that the upstream received; `none` if it received none. */
  readonly upstream?: 'none' | ExpectedMessage
}

interface SentRequest {
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly from?: object
}

export interface SentResponse {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The number of letters in the body, instead of a long `body`. */
  readonly letters?: number
  /** The time that passes without a response. */
  readonly silent_for?: Duration
}

export interface ExpectedMessage {
  readonly status?: number
  readonly error?: number
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | null>>
  /** The text, or the value of its JSON. */
  readonly body?: unknown
}

export type RuleOrAction = { readonly type: string } | { readonly actions: readonly object[] }

const FOLDER = 'tools/evidence/traffic-pages'

/** Reads all pages, in the order of their paths. */
export function readTrafficPages(root = '.'): readonly TrafficPage[] {
  return readdirSync(join(root, FOLDER))
    .map((file) => readRows(join(root, FOLDER, file)))
    .sort((a, b) => (a.page < b.page ? -1 : 1))
}

/** Reads the policies of ngrok's Kubernetes operator, with their results. */
export function readOperatorPolicies(root = '.'): TrafficPage {
  return readRows(join(root, 'tools/evidence/operator-policies.yaml'))
}

function readRows(path: string): TrafficPage {
  return load(readFileSync(path, 'utf8')) as TrafficPage // test/traffic/pages.test.ts checks the fields.
}

/** The pages about policies: those that have rows, and the reasons for which the others have none. */
export interface PageList {
  readonly with_rows: readonly string[]
  readonly without_rows: Readonly<Record<string, string>>
}

/** Reads the list of all pages about policies. */
export function readPageList(root = '.'): PageList {
  return load(readFileSync(join(root, `${FOLDER}.yaml`), 'utf8')) as PageList // test/traffic/pages.test.ts compares it with the pages.
}

const RESULTS = ['held', 'undecided', 'not done'] as const

const countResults = (rows: readonly TrafficRow[]) =>
  RESULTS.map((result) => rows.filter((row) => resultOf(row) === result).length)

/** Returns the part of docs/fidelity.md that counts the rows of all pages. */
export function countTrafficRows(root: string): string {
  const rows = readTrafficPages(root).flatMap((page) => page.rows)
  const [held, undecided, notDone] = countResults(rows)
  return `Of ${rows.length} statements, ${held} are held, ${undecided} are undecided, and ${notDone} are not done.`
}

/** Returns the table that counts the rows of each page. */
export function formatTrafficPages(root: string): string {
  const empty = Object.entries(readPageList(root).without_rows).map(([page, reason]) => ({
    page,
    rows: [],
    left_out: [`the whole page: ${reason}`],
  }))
  const all = [...readTrafficPages(root), ...empty].sort((a, b) => (a.page < b.page ? -1 : 1))
  const lines = all.map(({ page, rows, left_out = [] }) => [
    `[${page.replace('traffic-policy/', '')}](https://ngrok.com/docs/${page.replace(/\/index$/, '')})`,
    ...countResults(rows),
    left_out.map((each) => `${each.charAt(0).toUpperCase()}${each.slice(1)}.`).join(' '),
  ])
  return table(['page', ...RESULTS, 'left out'], lines)
}

function resultOf({ undecided, not }: TrafficRow): (typeof RESULTS)[number] {
  if (not !== undefined) return 'not done'
  return undecided === undefined ? 'held' : 'undecided'
}
