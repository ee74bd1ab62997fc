// Generates the pages of docs/reference, from the OpenAPI documents and a gateway that runs their examples.
import { ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import * as main from '../../src/index.ts'
import { families } from '../../src/service/resources/index.ts'
import { upload } from '../../test/support/pem.ts'
import { formatLimitsPage } from './limits.ts'
import { formatPolicyPage } from './policy-reference.ts'
import { createFamilyPages, createPages } from './reference/pages.mjs'

export default async function reference() {
  const pages = await createPages({ ...main, openApi, upload: upload('ed25519') })
  const ofNgrok = createFamilyPages({ openApi, dialect: main.ngrok, families: ngrokFamilies })
  pages['account-limits.md'] = formatLimitsPage({ ...families, ...ngrokFamilies })
  ofNgrok['traffic-policies.md'] = formatPolicyPage()
  const inFolder = (folder, all) => Object.entries(all).map(([name, text]) => [`${folder}/${name}`, text])
  return new Map([...inFolder('docs/reference', pages), ...inFolder('docs/reference/ngrok', ofNgrok)])
}
