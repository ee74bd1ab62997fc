import { describe, expect, test } from 'vitest'
import { createNgrok, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import { ngrok } from '../../src/index.ts'
import { fieldsOf } from '../../src/service/ngrok/event-types.ts'
import { CERTIFICATE_ERRORS, listCertificateErrors } from '../../src/service/provisioning/certificate-errors.ts'

const { default: createReference } = await import(new URL('../../scripts/generate/reference.mjs', import.meta.url).href)

describe('The page with the reference in the package', () => {
  const page: string = createReference().get('docs/reference.md')
  const errors = [...page.matchAll(/^\| (\d+) \| (\d+) \| (\w+) \| .+ \|$/gm)].map(([, number, status, key = '']) => ({
    number,
    status: Number(status),
    key,
  }))

  test('has the number and the status of each error, as a gateway sends them', async () => {
    expect(errors.length).toBeGreaterThan(400)
    const gateway = createNgrok()
    const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }
    for (const { number, status, key } of errors) {
      // The page is text: a wrong key makes `add` throw.
      gateway.faults.add({ error: key as 'not_found', times: 1 })
      const answer = await gateway.fetch(`${gateway.url}/reserved_domains`, { headers })
      const { error_code, status_code } = (await answer.json()) as { error_code: string; status_code: number }
      expect({ key, error_code, status_code, sent: answer.status }).toEqual({
        key,
        error_code: `ERR_NGROK_${number}`,
        status_code: status,
        sent: status,
      })
    }
  })

  test('has every numbered error of a certificate job, and every field of a traffic event', () => {
    const jobs = listCertificateErrors().map(
      (key) => `| \`ERR_NGROK_${CERTIFICATE_ERRORS[key].number}\` | \`${key}\` |`,
    )
    expect(jobs.length).toBeGreaterThan(40)
    const fields = fieldsOf('http_request_complete.v0').map((path) => `\n| \`${path}\` |`)
    expect(fields.length).toBeGreaterThan(30)
    expect([...jobs, ...fields].filter((each) => !page.includes(each))).toEqual([])
  })

  test('has every operation', () => {
    const operations = Object.entries(openApi(ngrok, { families: ngrokFamilies }).paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `\`${method.toUpperCase()} ${path}\``),
    )
    expect(operations.length).toBeGreaterThan(300)
    expect(operations.filter((each) => !page.includes(`| ${each} |`))).toEqual([])
  })

  test.each([
    ['a request without a key', '/reserved_domains', {}, 403],
    ['a request with a key and without a version', '/reserved_domains', { authorization: 'Bearer key' }, 400],
  ])('has the status of %s', async (_what, path, headers, status) => {
    const gateway = createNgrok()
    const answer = await gateway.fetch(gateway.url + path, { headers })
    const { error_code } = (await answer.json()) as { error_code: string }
    expect(answer.status).toBe(status)
    expect(errors).toContainEqual(expect.objectContaining({ number: error_code.replace('ERR_NGROK_', ''), status }))
  })

  const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
  const messageOf = (number: number) =>
    new RegExp(`^\\| ${number} \\| \\d+ \\| \\w+ \\| (.+) \\|$`, 'm').exec(page)?.[1]

  test('has the messages of createNgrok, where those of createGateway differ', async () => {
    const gateway = createNgrok()
    const { id } = gateway.reservedDomains.create({ domain: 'app.example.com' })
    const answer = await gateway.fetch(`${gateway.url}/reserved_domains/${id}`, {
      method: 'PATCH',
      headers,
      body: '{}',
    })
    const { msg } = (await answer.json()) as { msg: string }
    expect(messageOf(422)).toBe(msg)
    await gateway.fetch(`${gateway.url}/nowhere`, { headers })
    expect(messageOf(90400)).toBe(gateway.requests.last()?.problem)
  })

  test('says what a body and a list may have', async () => {
    const gateway = createNgrok()
    const send = async (method: string, path: string, body?: object) => {
      const answer = await gateway.fetch(gateway.url + path, {
        method,
        headers,
        body: body ? JSON.stringify(body) : null,
      })
      return { status: answer.status, body: JSON.parse(await answer.text()) }
    }
    expect(page).toContain('- ReservedDomainCreate { domain* (or name), ')
    expect((await send('POST', '/reserved_domains', {})).body.error_code).toBe('ERR_NGROK_215')
    expect((await send('POST', '/reserved_domains', { name: 'app.example.com' })).status).toBe(201)

    const first = await send('POST', '/reserved_addrs', { description: 'a', metadata: 'b', region: '' })
    expect(first.body).toMatchObject({ region: 'us', created_at: expect.stringMatching(/^[\d-]{10}T[\d:]{8}Z$/) })
    const path = `/reserved_addrs/${first.body.id}`
    await send('PATCH', path, { endpoint_configuration_id: 'ec_1' })
    const sent = { description: null, metadata: '', endpoint_configuration_id: '' }
    expect((await send('PATCH', path, sent)).body).toMatchObject({
      description: 'a',
      metadata: '',
      endpoint_configuration: { id: 'ec_1' },
    })
    expect((await send('GET', '/reserved_addrs?before_id=ra_1')).body.reserved_addrs).toHaveLength(1)
    expect((await send('GET', '/reserved_addrs?before_id=ra_0')).body.reserved_addrs).toHaveLength(0)
    const fields = /List field: `reserved_addrs`. Filter fields: (.*)\.$/m
      .exec(page)?.[1]
      ?.replaceAll(/`(\w+)`/g, 'obj.$1')
    const wrong = await send('GET', `/reserved_addrs?filter=${encodeURIComponent('obj.x == 1')}`)
    expect(wrong.body.msg).toContain(`expected ${fields}. Filters`)
  })

  test('lists the entries of the details of errors', () => {
    const schema = openApi(ngrok, { families: ngrokFamilies }).components.schemas.Error
    const names = Object.keys(schema?.properties?.details?.properties ?? {})
    const row = /^\| `details` of an error \| (.*) \|$/m.exec(page)?.[1]
    expect(names.filter((name) => !row?.includes(`\`${name}\``))).toEqual([])
  })

  test('has the status of a taken name', async () => {
    const gateway = createNgrok({ initial: { reservedDomains: [{ domain: 'app.example.com' }] } })
    const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"domain":"app.example.com"}' }
    const { status } = await gateway.fetch(`${gateway.url}/reserved_domains`, init)
    expect(errors).toContainEqual({ number: '413', status, key: 'domain_taken' })
  })
})
