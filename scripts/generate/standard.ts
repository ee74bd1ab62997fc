// Generates the table of docs/standard.md from the dialects and the operations of each.
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

export default function standardPage(root: string): Map<string, string> {
  const countPaths = (dialect: Dialect, families = {}) =>
    Object.values(openApi(dialect, { families }).paths as Record<string, object>).flatMap(Object.keys).length
  const counts = [countPaths(standard), countPaths(ngrok, ngrokFamilies)].map(String)
  const rows = Object.entries(ROWS).map(([name, show]) => [name, show(ngrok), show(standard)])
  const [few = '', all = ''] = counts
  const differences = table(['', '`createNgrok`', '`createGateway`'], [...rows, ['operations', all, few]])
  return new Map([withParts(root, 'docs/standard.md', { differences: `\n${differences}\n\n${NUMBERS}\n` })])
}
