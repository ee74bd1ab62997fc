// Generates the pages of docs/reference, from the OpenAPI documents of ngrok and a gateway that runs their examples.
import { createNgrok, ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import { manualClock, ngrok } from '../../src/index.ts'
import { families } from '../../src/service/resources/index.ts'
import { upload } from '../../test/support/pem.ts'
import { formatLimitsPage } from './limits.ts'
import { formatPolicyPage } from './policy-reference.ts'
import { createPages, joinDocuments } from './reference/pages.mjs'
import { formatShortPage } from './reference/short.mjs'

export default async function reference() {
  const parts = {
    openApi,
    dialect: ngrok,
    families: ngrokFamilies,
    manualClock,
    createNgrok,
    upload: upload('ed25519'),
  }
  const pages = await createPages(parts)
  pages['account-limits.md'] = formatLimitsPage({ ...families, ...ngrokFamilies })
  pages['traffic-policies.md'] = formatPolicyPage()
  const short = formatShortPage(joinDocuments(openApi, ngrok, ngrokFamilies))
  return new Map([
    ['docs/reference.md', short],
    ...Object.entries(pages).map(([name, text]) => [`docs/reference/${name}`, text]),
  ])
}
