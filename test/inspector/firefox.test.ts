import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { serve } from '../../src/server/node.ts'
import { DOMAIN, openManual } from '../support/provisioning.ts'
import { startFirefox } from './support/firefox.ts'
import { populate } from './support/populate.ts'
import { sendRequest } from './support/use-inspector.ts'

const ESCAPE = '\uE00C'

describe.skipIf(inject('firefox') === '')('In Firefox', () => {
  test('every tab of the page shows the state, follows changes, and works', async () => {
    const gateway = openManual({ dns: 'simulated' })
    const server = await serve(gateway)
    onTestFinished(() => server.close())
    const { domain, request, certificate } = await populate(gateway, server)
    const page = await startFirefox(inject('firefox'))
    const go = (place: string) => page.go(`${server.url}/_fauxgate/#${place}`)
    const button = (name: string) => `//button[.="${name}"]`
    await go('now')
    await page.find('//*[@role="status"][.="live"]')
    for (const [tab, text] of [
      ['Now', 'Worth a look'],
      ['Jobs', 'api.example.com'],
      ['Requests', '/reserved_addrs'],
      ['Resources', 'TLS certificates'],
      ['DNS & faults', 'docs.example.com'],
      ['State', 'Reset the gateway'],
    ]) {
      await page.click(`//nav/a[.="${tab}"]`)
      await page.find(`//main[contains(., "${text}")]`)
    }
    await go(`jobs/${domain}`)
    await page.click(`//aside${button('Fix the record')}`)
    await page.find('//aside//td[.="found"]')
    await page.click(button('Run the attempt now'))
    await page.find('//aside//li[contains(., "INTERNAL_ERROR")]')
    await go(`resources/tls_certificates/${certificate}`)
    await page.find('//aside//h3[.="Certificate 2 of 2"]')
    await go(`requests/${request}`)
    await page.find('//aside//*[@role="tab"][.="Changes"]')
    await page.type('//aside//h2', ESCAPE)
    await page.find('//main[not(.//aside)]')
    await sendRequest(server, 'POST', '/reserved_domains', { domain: DOMAIN })
    await page.find('//main//*[@role="row"][contains(., "reserved_domains.create") and contains(., "201")]')
    await go('resources/reserved_addrs')
    await page.click(button('Create'))
    await page.type('//aside//input[@aria-label="Description"]', 'made in Firefox')
    await page.click(`//aside${button('Create')}`)
    await page.find('//aside//dd[contains(., "made in Firefox")]')
    expect(gateway.reservedAddrs.list().reserved_addrs.map(({ description }) => description)).toContain(
      'made in Firefox',
    )
  })
})
