import * as v from 'valibot'
import type { ControlCall } from '../../control/control.ts'
import { PLANS } from '../../core/operation/limit.ts'
import { documentationOf, documented, named } from '../../core/schema/documentation.ts'
import { partsOf } from '../../core/schema/schema-parts.ts'
import { mapValues, pick } from '../../core/schema/values.ts'
import { dialectNames } from '../../service/resources/dialects.ts'
import { hostedOptions } from '../hosted-options.ts'
import { gatewayRows } from '../options.ts'

/** The options whose values take more forms than a document can describe. The gateway checks the values. */
const OPEN = ['account', 'authorityKeys', 'certificates', 'initial', 'rateLimit']

const DATE_TIME = { json: { format: 'date-time' } }

const optional = <S extends v.GenericSchema>(schema: S, sentence: string) =>
  v.exactOptional(documented(schema, sentence))

const rows: Readonly<Record<string, v.GenericSchema>> = pick<v.GenericSchema>(
  gatewayRows,
  (name) => name in hostedOptions.entries && name !== 'dialect' && name !== 'clock',
)

/** The options of an additional gateway, with what is known about their values. */
const gatewayRequest = named(
  v.object({
    dialect: optional(v.picklist(dialectNames), 'The service to emulate.'),
    clock: optional(v.picklist(['system', 'manual']), 'The source of the time.'),
    start: v.exactOptional(
      documented(v.string(), 'The start of a manual clock, such as `2026-01-01T00:00:00Z`.', DATE_TIME),
    ),
    plan: optional(v.picklist(PLANS), 'The plan whose documented limits apply to the account.'),
    ...mapValues(rows, (row, name) => {
      const { wrapped = row } = partsOf(row)
      return optional(OPEN.includes(name) ? v.unknown() : wrapped, documentationOf(row).sentence ?? name)
    }),
  }),
  'GatewayRequest',
  "The options of an additional gateway. Each option defaults to the server's own.",
)

/** Returns a call as the documents describe it. The control can't do so, because gateway options belong to a higher layer. */
export function withGatewayRequest(call: ControlCall): ControlCall {
  return call.method === 'POST' && call.path === '/gateways' ? { ...call, schema: gatewayRequest } : call
}
