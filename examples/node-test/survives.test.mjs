// node:test: `survives` with failures of certificates, and the smallest schedule of a function that gives up too early.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNgrok } from 'fauxgate/ngrok'
import { survives } from 'fauxgate/testing'

const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }
const domain = 'app.example.com'
const body = JSON.stringify({ domain, certificate_management_policy: { authority: 'letsencrypt' } })

/** Polls until the domain has a certificate. `isFinal` says which answers end the wait. */
async function waitForCertificate(url, isFinal) {
  for (;;) {
    try {
      const list = await (await fetch(`${url}/reserved_domains`, { headers })).json()
      const known = list.reserved_domains.find((each) => each.domain === domain)
      if (!known) await fetch(`${url}/reserved_domains`, { method: 'POST', headers, body })
      else if (known.certificate || isFinal(known)) return known.certificate !== null
    } catch {
      // The next poll may reach it.
    }
    await new Promise((resolve) => setTimeout(resolve, 60_000))
  }
}

test('a patient program gets its certificate, whatever fails', async () => {
  await survives(({ url }) => waitForCertificate(url, () => false), {
    create: createNgrok,
    faults: 1,
    holds: ({ value }) => value,
  })
})

test('a program that takes DNS_ERROR as final is found', async () => {
  const hasFailed = ({ certificate_management_status: status }) => Boolean(status?.provisioning_job?.error_code)
  await assert.rejects(
    survives(({ url }) => waitForCertificate(url, hasFailed), { create: createNgrok, holds: ({ value }) => value }),
    { name: 'SurvivalError', replay: `attempt ${domain}#1 DNS_ERROR` },
  )
})

test('two copies at once reserve one domain, since the second one takes the conflict as success', async () => {
  const reserve = async ({ url }) => {
    const { ok, status } = await fetch(`${url}/reserved_domains`, { method: 'POST', headers, body })
    if (!ok && status !== 400) throw new Error(String(status)) // 400: the name is taken
  }
  const { isComplete } = await survives(reserve, { create: createNgrok, copies: 2 })
  assert.equal(isComplete, true)
})
