import * as v from 'valibot'
import type { CommonDialect } from '../../../core/schema/dialect.ts'
import { documented, named } from '../../../core/schema/documentation.ts'
import { declareErrors, field, only, withCode } from '../../../core/schema/errors.ts'
import { rule } from '../../../core/schema/rule.ts'
import { ipBytes } from '../../x509/ip.ts'

/** The regions that a name can be pinned to, and `global` for all regions. */
const PINNABLE_REGIONS = ['us', 'us-cal-1', 'eu', 'ap', 'au', 'in', 'jp', 'sa', 'global']

export const hasPlaces = ({ extraFields }: CommonDialect) => Object.values(extraFields).flat().includes('resolves_to')

/** The errors for the places that a name resolves to (rules: reserved-domains#resolves-to). */
export const placeErrors = declareErrors({
  domain_place_invalid: only(
    hasPlaces,
    withCode(
      'invalid_region_target',
      field(90418, 400, `${PINNABLE_REGIONS.join(', ')}, or one of your IP addresses, with or without a port`),
    ),
  ),
  domain_place_repeated: only(hasPlaces, field(456, 400, 'each place only once')),
})

const PLACES = 'The regions or dedicated IP addresses (or both) that the name resolves to; `[]` removes them.'

const place = named(
  v.object({
    value: documented(
      v.string(),
      `A region (${PINNABLE_REGIONS.map((each) => `\`${each}\``).join(', ')}), or a dedicated IP address with or without a port.`,
      { json: { examples: ['us', '192.0.2.1:1234'] } },
    ),
  }),
  'ResolvesTo',
  'A place that a name resolves to.',
)

/** The places in a record and in a response. */
export const places = documented(v.array(place), PLACES)

/** The places in a request. */
export const sentPlaces = documented(
  v.pipe(
    v.array(place),
    rule(Object.values(placeErrors), (sent, report) => {
      const seen = new Set<string>()
      for (const [index, { value }] of sent.entries()) {
        const at = { path: [index, 'value'], value }
        if (!PINNABLE_REGIONS.includes(value) && !isDedicated(value)) report(placeErrors.domain_place_invalid, {}, at)
        else if (seen.has(value)) report(placeErrors.domain_place_repeated, {}, at)
        seen.add(value)
      }
    }),
  ),
  PLACES,
  { rules: 'reserved-domains#resolves-to' },
)

/** Returns whether a place is an IP address, optionally with a port. */
export function isDedicated(place: string): boolean {
  const parts = /^(\[(?<v6>.+)\]|(?<v4>[^:]+))(:(?<port>\d{1,5}))?$/.exec(place)?.groups
  const port = Number(parts?.port ?? 1)
  return ipBytes(parts?.v6 ?? parts?.v4 ?? place) !== undefined && port >= 1 && port <= 65_535
}
