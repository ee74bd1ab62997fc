import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { descriptionAndMetadata } from './shared.ts'

const errors = kit.declareErrors({ abuse_limit_none: kit.tooMany(221) })

const urls = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      kit.rule([], (text, report) => {
        if (!URL.canParse(text) || hostOf(text) === '')
          report(kit.general.field_invalid, { allowed: 'the URL of a web page' })
      }),
    ),
  ),
  v.nonEmpty('at least one URL of a web page'),
)

const URLS = 'The URLs of the abusive pages.'

const record = v.object({ ...kit.recordHead('abrp', descriptionAndMetadata()), urls })

const reports = kit.collection<kit.Frozen<v.InferOutput<typeof record>>>({ name: 'abuse_reports', schema: record })

const hostOf = (url: string) => new URL(url).hostname

const PENDING = 'PENDING'

/** Creates the schema of a status. Reports to an emulator are never processed, and the service has other statuses. */
const statusOf = (what: string, others: readonly string[]) =>
  kit.documented(v.string(), `The status of the ${what}; here, \`${PENDING}\`.`, {
    json: { listed: [PENDING, ...others] },
  })

const shape = kit.named(
  v.object({
    id: kit.resourceHead.id,
    uri: kit.resourceHead.uri,
    created_at: kit.resourceHead.created_at,
    metadata: kit.resourceHead.metadata,
    urls: kit.documented(v.array(v.string()), URLS),
    status: statusOf('report', ['PROCESSED', 'PARTIALLY_PROCESSED']),
    hostnames: kit.documented(
      v.array(
        v.object({
          hostname: kit.documented(v.string(), 'A host in the URLs.'),
          status: statusOf('host', ['BANNED', 'UNBANNED', 'IGNORE']),
        }),
      ),
      'The distinct hosts in the URLs.',
    ),
  }),
  'AbuseReport',
  'A report about abusive pages.',
)

const all = kit.resource(
  {
    name: 'abuse_reports',
    prefix: 'abrp',
    what: 'abuse report',
    tableFields: ['urls', 'status'],
    errors,
    limit: { none: errors.abuse_limit_none, plans: { free: 0, hobbyist: 0, paygo: 0 } },
    collection: reports,
    shape,
    ...parts.defineBodies('AbuseReport', 'an abuse report', {
      create: { metadata: descriptionAndMetadata().metadata, urls: kit.documented(urls, URLS) },
      update: {},
      examples: [{ urls: ['http://a-bank-login.ngrok.io/login'] }],
    }),
  },
  {
    view: (report, wire) => ({
      ...kit.viewHead(report, wire, '/abuse_reports'),
      urls: report.urls,
      status: PENDING,
      hostnames: [...new Set(report.urls.map(hostOf))].map((hostname) => ({ hostname, status: PENDING })),
    }),
    create: { run: (tx, { urls, ...rest }) => tx.put(reports, { ...kit.newHead(tx, 'abrp', rest), urls }) },
    update: { run: (_tx, report) => report },
  },
)

/** Abuse reports. They can be created and read, but not listed, changed, or deleted. */
export const abuseReports: Omit<typeof all, 'operations'> & {
  operations: Pick<typeof all.operations, 'create' | 'get'>
} = {
  ...all,
  operations: { create: all.operations.create, get: all.operations.get },
}
