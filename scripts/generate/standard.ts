// Generates the table of docs/standard.md from the dialects and from the operations of each.
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
  'error codes': ({ errorPrefix }) => code(`${errorPrefix}413`),
  'missing or wrong API key': (dialect) => statusOf('auth_missing', dialect),
  'a name that is reserved already': (dialect) => statusOf('domain_taken', dialect),
  'default `private_key_type`': ({ defaultPrivateKeyType }) => code(defaultPrivateKeyType),
  'target of a CNAME record': ({ cnameTargetBase }) => code(`….${cnameTargetBase}`),
  'an address in the region `eu`': ({ addressHost }) =>
    code(addressHost.elsewhere.replace('{n}', '1').replace('{region}', 'eu')),
  'a policy for a domain without one': ({ policyByDefault }) => (policyByDefault ? 'yes' : 'no'),
}

export default function standardPage(root: string): Map<string, string> {
  const countPaths = (dialect: Dialect, families = {}) =>
    Object.values(openApi(dialect, { families }).paths as Record<string, object>).flatMap(Object.keys).length
  const counts = [countPaths(standard), countPaths(ngrok, ngrokFamilies)].map(String)
  const rows = Object.entries(ROWS).map(([name, show]) => [name, show(ngrok), show(standard)])
  const [few = '', all = ''] = counts
  const differences = table(['', '`createNgrok`', '`createGateway`'], [...rows, ['operations', all, few]])
  return new Map([withParts(root, 'docs/standard.md', { differences: `\n${differences}\n` })])
}
