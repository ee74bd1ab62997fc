import { describe, expect, test } from 'vitest'
import { createNgrok, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import { ngrok } from '../../src/index.ts'

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

  test('has the status of a taken name', async () => {
    const gateway = createNgrok({ initial: { reservedDomains: [{ domain: 'app.example.com' }] } })
    const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: '{"domain":"app.example.com"}' }
    const { status } = await gateway.fetch(`${gateway.url}/reserved_domains`, init)
    expect(errors).toContainEqual({ number: '413', status, key: 'domain_taken' })
  })
})
