// The pages of docs/reference, from the OpenAPI documents and a gateway that carries out their examples.
import * as main from '../../src/index.ts'
import { openApi } from '../../src/openapi/openapi.ts'
import { upload } from '../../test/support/pem.ts'
import { pagesOf } from './reference/pages.mjs'

export default async function reference() {
  const pages = await pagesOf({ ...main, openApi, upload: upload('ed25519') })
  return new Map(Object.entries(pages).map(([name, text]) => [`docs/reference/${name}`, text]))
}
