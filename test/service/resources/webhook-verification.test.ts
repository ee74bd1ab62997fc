import { createPublicKey } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { client, outcome } from '../../support/client.ts'
import { open } from '../../support/gateway.ts'
import { pem } from '../../support/pem.ts'

const PATH = '/edges/https/edghts_1/routes/edghtsrt_1/webhook_verification'

/** The providers in webhook-providers.txt. */
const PROVIDERS =
  `aftership airship alchemy autodesk bitbucket bolt box brex buildkite calendly castle chargify circleci
  clearbit clerk coinbase contentful docusign dropbox facebook_graph_api facebook_messenger frameio github gitlab go1
  graphcms heroku hostedhooks hubspot instagram intercom jira launch_darkly linear mailchimp mailgun microsoft_teams
  modern_treasury mongodb mux orb orbit pagerduty pinwheel plivo pusher sendgrid sentry shopify signal_sciences slack
  sns sonatype square stripe svix terraform tiktok trendmicro_conformity twilio twitter typeform vmware webex whatsapp
  worldline xero zendesk zoom`.split(/\s+/)

/** The public key of a P-256 key, as SendGrid shows it. */
const SENDGRID_KEY = createPublicKey(pem('key-p256')).export({ type: 'spki', format: 'der' }).toString('base64')

const put = (json: object) => client(open())('PUT', PATH, { json })

describe('The provider of a webhook verification (rules: webhook-verification#provider)', () => {
  test('is one of 69', () => {
    expect(PROVIDERS).toHaveLength(69)
  })

  test.each(PROVIDERS)('can be %s, in any case, and is returned as sent', async (provider) => {
    const secret = provider === 'sns' ? {} : { secret: provider === 'sendgrid' ? SENDGRID_KEY : 's3cret' }
    for (const sent of [provider, provider.toUpperCase(), provider[0]?.toUpperCase() + provider.slice(1)]) {
      const { status, body } = await put({ provider: sent, ...secret })
      expect([status, body]).toEqual([200, { enabled: true, provider: sent, secret: secret.secret ?? '' }])
    }
  })

  test.each(['pigeon', 'git hub', ' github', 'github ', 'constructor', '__proto__', 'gitHub\u212A'])(
    'cannot be %j',
    async (provider) => {
      const response = await put({ provider, secret: 's3cret' })
      expect(outcome(response)).toBe('400 ERR_GATEWAY_7030')
      expect(response.body.msg).toContain(provider)
    },
  )

  test.each([
    ['gihub', 'github'],
    ['Sripe', 'stripe'],
  ])('that is misspelt is rejected, and the message suggests the most similar one: %s', async (provider, near) => {
    const { body } = await put({ provider, secret: 's3cret' })
    expect(body.msg).toMatch(`provider is "${provider}". Did you mean ${near}? Allowed: one of aftership,`)
  })

  test('cannot be a name that is supported only after lower-casing: cler\u212A is not clerk', async () => {
    expect(outcome(await put({ provider: 'cler\u212A', secret: 's3cret' }))).toBe('400 ERR_GATEWAY_7030')
  })

  test.each([undefined, null, ''])('is required: %j', async (provider) => {
    expect(outcome(await put({ provider, secret: 's3cret' }))).toBe('400 ERR_GATEWAY_7029')
  })

  test.each([7, true, ['github']])('is a string: %j', async (provider) => {
    expect(outcome(await put({ provider, secret: 's3cret' }))).toBe('400 ERR_GATEWAY_215')
  })
})

describe('The secret of a webhook verification (rules: webhook-verification#secret)', () => {
  test.each(PROVIDERS.filter((provider) => provider !== 'sns'))('is required for %s', async (provider) => {
    expect(outcome(await put({ provider }))).toBe('400 ERR_GATEWAY_7027')
  })

  test.each([null, ''])('counts as missing when it is %j', async (secret) => {
    expect(outcome(await put({ provider: 'github', secret }))).toBe('400 ERR_GATEWAY_7027')
  })

  test('is the base64 of an ECDSA public key for sendgrid', async () => {
    const rsa = createPublicKey(pem('key-rsa2048')).export({ type: 'spki', format: 'der' }).toString('base64')
    for (const secret of ['s3cret', rsa, `${SENDGRID_KEY}!`])
      expect(outcome(await put({ provider: 'SendGrid', secret }))).toBe('400 ERR_GATEWAY_7107')
    expect((await put({ provider: 'SendGrid', secret: SENDGRID_KEY })).status).toBe(200)
  })

  test.each(['sns', 'SNS'])('is not accepted for %s, where null and "" count as missing', async (provider) => {
    expect(outcome(await put({ provider, secret: 's3cret' }))).toBe('400 ERR_GATEWAY_7026')
    for (const secret of [null, '']) expect((await put({ provider, secret })).status).toBe(200)
  })

  test('is shown in the response, as in the 200 response of the document', async () => {
    const { text } = await put({ secret: 's3cret', provider: 'github', enabled: false })
    expect(text).toBe('{"enabled":false,"provider":"github","secret":"s3cret"}')
  })

  test.each([7, true, { value: 's3cret' }])('is a string: %j', async (secret) => {
    expect((await put({ provider: 'github', secret })).status).toBe(400)
  })

  test('is never repeated by an error', async () => {
    const responses = [
      await put({ provider: 'pigeon', secret: 's3cret' }),
      await put({ provider: 'sns', secret: 's3cret' }),
      await put({ provider: 'github', secret: 's3cret', enabled: 'yes' }),
      await put({ provider: 7, secret: 's3cret', colour: 'red' }),
    ]
    for (const { status, text } of responses) {
      expect(status).toBe(400)
      expect(text).not.toContain('s3cret')
    }
  })
})
