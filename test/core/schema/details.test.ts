import { describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../../src/index.ts'
import { client, expectError } from '../../support/client.ts'

describe('The details of an error are data about its first field (rules: errors#details)', () => {
  const post = async (path: string, json: object) =>
    (await client(createGateway())('POST', path, { json })).body.details
  const addFault = (spec: Parameters<Gateway['faults']['add']>[0]) =>
    expectError(() => createGateway().faults.add(spec)).details

  it('names the received and the allowed value, and the rule', async () => {
    expect(await post('/reserved_domains', { domain: 5 })).toMatchObject({
      field: 'domain',
      rule: 'field_invalid',
      received: '5',
      allowed: 'a string',
    })
  })

  it('lists the choices, and the nearest one', () => {
    const details = addFault({ operation: 'reserved_domain.create' as never })
    expect(details).toMatchObject({ field: 'operation', nearest: 'reserved_domains.create' })
    expect(details.choices?.split(', ')).toContain('reserved_addrs.delete')
  })

  it('names the field that was probably meant by an unknown one', async () => {
    const details = await post('/reserved_domains', { domian: 'app.example.com' })
    expect(details).toMatchObject({ field: 'domian', rule: 'field_unknown', nearest: 'domain' })
  })

  it('describes a duration for senders of texts', () => {
    expect(addFault({ latency: '200' as never })).toMatchObject({
      received: '"200"',
      typed: 'a whole number followed by a unit (ms, s, m, h, or d), such as "30s", or a range such as "1s..3s"',
    })
  })
})
