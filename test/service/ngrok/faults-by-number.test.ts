import { describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'
import { tableOf } from '../../../src/gateway/table.ts'
import { createGateway, type Gateway, manualClock } from '../../../src/index.ts'
import { ngrokFamilies } from '../../../src/service/ngrok/families.ts'
import { catchError } from '../../support/client.ts'
import { CLOCK_START } from '../../support/clock.ts'
import { openGateway } from './support.ts'

/** The error numbers of ngrok's families, and those that only faults use, by status. */
const NUMBERS: Readonly<Record<number, string>> = {
  400: `206 243 248 249 334 401 404 405 411 412 414 415 416 417 418 419 430 431 433 446 447 450 451 457 458 459 460 461 501 502
    508 511 512 600 602 603 604 605 606 607 608 609 611 612 613 615 617 620 622 634 636 637 638 804 805 806 807 808 809
    1121 1122 1400 1401 1405 1406 1408 1409 1410 1411 1413 1414 1415 1417 1421 1422 1423 2202 2230 2236 2248 2262 2264
    4109 4110 4112 4119 5000 9029 9031 9037 9038 15005 15006 18002 18003 18004 18005 18006 18007 18008 18009 18010 18011
    18012 18013 18015 18016 18017 18018 18019 18020 18021 18022 18023 19001 19002 19003 23000 23001 23002 23003 23004
    23005 24000 24001 24002 24003 24004 24005 24006 24007 24008 24009 90440`,
  403: '115 202 208',
  409: '90441',
  429: '226 432 509 614 5001',
  503: '810',
}

const rows = Object.entries(NUMBERS).flatMap(([status, numbers]) =>
  numbers.split(/\s+/).map((number) => [Number(number), Number(status)] as const),
)

/** The signs of a message whose slots were filled with words that do not fit. */
const FLAWS = [
  /\{\w+\}|undefined|null|NaN|\[object/,
  /\b(\w+)(?: the| a| an)? \1\b/i,
  /\b(?:the|a|an) (?:the|a|an|another)\b/i,
  /""|''|``|<>/,
  / {2}| [.,;](?=\s|$)|^ | $|^.{0,14}$/,
]

describe('A fault can have any documented number (rules: errors#catalogue)', () => {
  test.each(rows)('%i with %i, and with words of its own', async (number, status) => {
    const { gateway, send } = openGateway()
    const error = `ERR_NGROK_${number}` as const
    gateway.faults.add({ error, times: 1 })
    const before = JSON.stringify(gateway.vaults.list())
    const { status: responseStatus, body } = await send('POST', '/vaults', { json: { name: 'keys' } })
    expect([responseStatus, body.error_code, body.status_code]).toEqual([status, error, status])
    expect(body.details.operation_id).toMatch(/^op_/)
    expect(body.msg).toMatch(/^(?!A fault was injected).{15}/s)
    expect(JSON.stringify(gateway.vaults.list())).toBe(before)
  })

  test.each([225, 515, 516, 517, 1412, 2241, 18024, 26000, 26038, 27213, 29000])(
    'that no rule rejects with: %i, with its page',
    async (number) => {
      const { gateway, send } = openGateway()
      gateway.faults.add({ error: `ERR_NGROK_${number}`, times: 1 })
      const { status, body } = await send('GET', '/vaults')
      expect([status, body.error_code]).toEqual([400, `ERR_NGROK_${number}`])
      expect(body.msg).toContain(`https://ngrok.com/docs/errors/err_ngrok_${number}`)
    },
  )

  // What no request says is a name in angle brackets, so that it reads as one in any sentence.
  test.each(
    ['standard', 'ngrok'].flatMap((name) =>
      (['GET /reserved_addrs', 'POST /reserved_domains'] as const).map((request) => [name, request] as const),
    ),
  )('and each message of the catalogue reads as a sentence: %s, %s', async (name, request) => {
    const clock = manualClock(CLOCK_START)
    const gateway: Gateway = name === 'ngrok' ? createNgrok({ clock }) : createGateway({ clock })
    const [method = '', path] = request.split(' ')
    const headers = {
      authorization: 'Bearer key',
      'content-type': 'application/json',
      [gateway.dialect.versionHeader]: '2',
    }
    const body = method === 'POST' ? { body: JSON.stringify({ domain: 'app.example.com' }) } : {}
    const keys = [...tableOf(gateway.dialect, name === 'ngrok' ? ngrokFamilies : {}).catalogue.keys()]
    expect(keys.length).toBeGreaterThan(150)
    const flawed: string[][] = []
    for (const key of keys) {
      gateway.faults.add({ error: key as 'domain_taken', times: 1 })
      const { msg } = await (await gateway.fetch(gateway.url + path, { method, headers, ...body })).json()
      const flaws = FLAWS.filter((each) => each.test(msg))
      if (flaws.length > 0) flawed.push([key, msg, ...flaws.map(String)])
    }
    expect(flawed).toEqual([])
  })

  test('and a number that is not documented is rejected', () => {
    const { gateway } = openGateway()
    expect(catchError(() => gateway.faults.add({ error: 'ERR_NGROK_1' }))?.message).toContain('Allowed: a code such as')
    expect(gateway.faults.all()).toEqual([])
  })
})
