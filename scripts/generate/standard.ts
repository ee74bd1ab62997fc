// Generates the tables of docs/standard.md: from the dialects and the operations of each, and from tools/evidence/service-document.yaml.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import { type Dialect, ngrok, standard } from '../../src/index.ts'
import { ngrokFamilies } from '../../src/service/ngrok/families.ts'
import { table, withParts } from './markdown.ts'

const code = (text: string) => `\`${text}\``

const statusOf = (key: string, dialect: Dialect) => String(openApi(dialect).components.examples[key]?.value.status_code)

/** The facts of a dialect, by their words on the page. */
const ROWS: Readonly<Record<string, (dialect: Dialect) => string>> = {
  'base URL': ({ baseUrl }) => code(baseUrl),
  'version header': ({ versionHeader }) => code(`${versionHeader}: 2`),
  'operation id in every response': ({ operationIdHeader }) => code(operationIdHeader),
  'error codes, with the same numbers': ({ errorPrefix }) => code(`${errorPrefix}413`),
  'missing or wrong API key': (dialect) => statusOf('auth_missing', dialect),
  'a name that is reserved already': (dialect) => statusOf('domain_taken', dialect),
  'default `private_key_type`': ({ defaultPrivateKeyType }) => code(defaultPrivateKeyType),
  'target of a CNAME record': ({ cnameTargetBase }) => code(`….${cnameTargetBase}`),
  'an address in the region `eu`, such as': ({ addressHost }) =>
    code(addressHost.elsewhere.replace('{n}', '1').replace('{region}', 'eu')),
  'a policy for a domain without one': ({ policyByDefault }) => (policyByDefault ? 'yes' : 'no'),
}

/** Says where the numbers are explained. test/docs/truths.test.ts proves the sentences. */
const NUMBERS =
  '`docs/reference.md` in the package lists the errors of `createNgrok` by number. Errors from `createGateway` have the same number after ' +
  '`ERR_GATEWAY_`. Its status is the same too, except for the two kinds above, a sent authtoken (206: 401, not 400), and a wrong method ' +
  '(405, not 404).'

const NOTATION =
  'A request that is not the last one has its expected response after the arrow. Without an arrow, it must succeed. `{id}` is the id of the ' +
  'last resource in a response, `{cert}` that of the last certificate, and so on. A value such as `/^ra_/` is a regular expression.'

export default function standardPage(root: string): Map<string, string> {
  const countPaths = (dialect: Dialect, families = {}) =>
    Object.values(openApi(dialect, { families }).paths as Record<string, object>).flatMap(Object.keys).length
  const counts = [countPaths(standard), countPaths(ngrok, ngrokFamilies)].map(String)
  const rows = Object.entries(ROWS).map(([name, show]) => [name, show(ngrok), show(standard)])
  const [few = '', all = ''] = counts
  const differences = table(['', '`createNgrok`', '`createGateway`'], [...rows, ['operations', all, few]])
  const document = documentTables(root)
  return new Map([
    withParts(root, 'docs/standard.md', {
      differences: `\n${differences}\n\n${NUMBERS}\n`,
      document: `\n${NOTATION}\n\n${document}\n`,
    }),
  ])
}

/** The expected parts of a response. */
export interface Expected {
  readonly status: number
  readonly body?: Readonly<Record<string, unknown>>
}

/** A statement of the service document, with the requests that show it. The file describes its form. */
export interface Row extends Expected {
  readonly says: string
  readonly steps: readonly (string | (Expected & { readonly step: string }))[]
}

/** Reads the statements of the service document, by their section. */
export function readStatements(root: string): [section: string, rows: Row[]][] {
  const text = readFileSync(join(root, 'tools/evidence/service-document.yaml'), 'utf8')
  return Object.entries(load(text) as Record<string, Row[]>)
}

/** Returns a table for each section of the service document: the statements, with the requests that test each. */
function documentTables(root: string): string {
  const format = ({ status, body = {} }: Expected) => [
    String(status),
    ...Object.entries(body).map(([path, value]) => code(`${path}: ${value}`)),
  ]
  const formatStep = (each: Row['steps'][number]) =>
    typeof each === 'string' ? code(each) : `${code(each.step)} → ${format(each).join(', ')}`
  const lines = (rows: readonly Row[]) =>
    rows.map((row) => [row.says, row.steps.map(formatStep).join('<br>'), format(row).join('<br>')])
  const tables = readStatements(root).map(
    ([name, rows]) => `### ${name}\n\n${table(['statement', 'tested with', 'last response'], lines(rows))}`,
  )
  return tables.join('\n\n')
}
